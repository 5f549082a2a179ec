// Disparity maps of any matcher: finds and reads the file of a frame.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scores/evaluator.h"
#include "parallax/image.h"

namespace parallax::app {

// A .png is a 16-bit KITTI disparity, a .pfm a Middlebury one. Throws Error for others and for bad files.
HostImage<float> ReadEstimate(const std::filesystem::path& file);

// Estimates of a whole source: a folder, or a file for a source of one frame.
class EstimateFiles {
 public:
  // Throws Error when there is no such folder or file. metric: KITTI's prefer NAME.png to NAME.pfm; the
  // others prefer the PFM, which is not rounded to 1/256 px.
  EstimateFiles(std::filesystem::path folder_or_file, Metric metric);

  // Looks for NAME.png and NAME.pfm in the folder and in its disparity/, pfm/ (what `parallax run` writes),
  // data/, disp_0/ and data/disp_0/ (KITTI submissions); then for NAME/disp0*.pfm (Middlebury, ETH3D); last
  // for the only file of the folder whose name contains NAME between separators, such as "sgbm_000000_10.png"
  // or "000000_10.PNG". Throws Error when several files fit that last rule.
  std::optional<std::filesystem::path> Find(const std::string& frame_name) const;

  // All files that may be read.
  std::vector<std::string> All() const;

 private:
  std::array<std::string_view, 2> Extensions() const;  // in the order of preference
  std::optional<std::filesystem::path> FindByPart(const std::string& frame_name) const;

  std::filesystem::path path_;
  bool is_file_ = false;
  bool png_first_ = false;
};

}  // namespace parallax::app
