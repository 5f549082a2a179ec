// The folder of pictures that `parallax eval --report` writes: index.html and one PNG per frame.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/eval/score_table.h"
#include "app/eval/scores.h"
#include "pipeline/frame.h"

namespace parallax::app {

class EvalReport {
 public:
  // Makes the folder. Throws Error when it cannot.
  // fill_holes: error pictures show the estimate as KITTI scores it, with its holes filled.
  EvalReport(std::filesystem::path folder, bool fill_holes);

  // Writes frames/NAME.png: left image and errors above, estimate and truth below, both disparities in the
  // same colours from the truth's 1st to its 99th percentile. frame.truth must be there.
  void AddFrame(const StereoFrame& frame, HostImageView<const float> estimate);

  // Writes frames/NAME_cloud.png, which index.html shows below the frame's picture.
  void AddCloudPicture(const std::string& name, HostImageView<const Rgb8> picture);

  // Writes index.html. heading: one line, what was scored; notes: lines below the tables.
  void Finish(const std::string& heading, std::span<const TableSection> sections,
              std::span<const FrameScores> frames, const Scores& total, std::span<const std::string> notes);

  std::filesystem::path index_file() const { return folder_ / "index.html"; }

 private:
  std::filesystem::path folder_;
  bool fill_holes_;
  std::vector<std::string> pictures_;        // names of the frames
  std::vector<std::string> cloud_pictures_;  // of those that have one
};

// The picture of one frame, as AddFrame writes it.
HostImage<Rgb8> FramePicture(const StereoFrame& frame, HostImageView<const float> estimate, bool fill_holes);

}  // namespace parallax::app
