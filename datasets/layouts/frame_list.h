// A FrameSource over frames that lie in files: each data set only lists where they are.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/source.h"

namespace parallax {

// Where one frame is. Nothing is opened before it is read.
struct FrameRecipe {
  std::string name;  // the data set's own; unique, file-name safe
  std::filesystem::path left, right;
  std::vector<std::filesystem::path> calibration{};  // files that add_rig reads, there or not
  std::vector<std::filesystem::path> truth{};        // files that add_truth reads, there or not
  std::string note{};                                // as the frame's
  std::optional<double> timestamp_s;
  bool rectified = true;
  // Adds the rig (or rig_note), and what else the calibration tells. Called with the images in place, for several
  // frames at once (as is the next one).
  std::function<void(StereoFrame&)> add_rig;
  // Adds the truth or truth_note. Called with the images in place, and only if truth is asked for.
  std::function<void(StereoFrame&)> add_truth;
};

// Reads the frames in their order. Read() throws Error when images or truth differ in size, or in depth or
// channels, naming the files.
std::unique_ptr<FrameSource> MakeFrameList(SourceKind kind, std::vector<FrameRecipe> frames, bool with_truth);

// Throws Error unless both images have the same size, depth and channels; the names are the message's.
void CheckSamePair(const CameraImage& left, const CameraImage& right, const std::string& left_name,
                   const std::string& right_name);

}  // namespace parallax
