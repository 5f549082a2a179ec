// EuRoC (ASL): [mav0/]cam0 and cam1, each with sensor.yaml, data.csv and data/TIME.png (TIME in ns). Raw
// images.
#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/file_bytes.h"
#include "datasets/layouts/layouts.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

bool IsEuroc(const fs::path& folder) {
  return fs::exists(folder / "cam0/sensor.yaml") && fs::is_directory(folder / "cam0/data") &&
         fs::is_directory(folder / "cam1/data");
}

void AppendSequence(const fs::path& folder, std::vector<FrameRecipe>& frames) {
  const std::vector<fs::path> files{folder / "cam0/sensor.yaml", folder / "cam1/sensor.yaml"};
  std::set<std::string> right_names;
  for (const fs::path& right : ListImages(folder / "cam1/data"))
    right_names.insert(right.filename().string());
  for (const fs::path& left : ListImages(folder / "cam0/data")) {
    // The cameras are triggered together; an image that one of them lacks has no partner.
    if (!right_names.contains(left.filename().string())) continue;
    FrameRecipe recipe;
    recipe.name = FileNameSafe(left.stem().string());
    recipe.left = left;
    recipe.right = folder / "cam1/data" / left.filename();
    if (const auto time_ns = ParseNumber(left.stem().string()); time_ns && *time_ns >= 0)
      recipe.timestamp_s = *time_ns * 1e-9;
    recipe.rectified = false;
    recipe.calibration = files;
    recipe.add_rig = [folder](StereoFrame& frame) {
      frame.raw_rig = std::make_shared<const RawRig>(*ReadCalibration(folder.string()).raw);
    };
    frames.push_back(std::move(recipe));
  }
}

}  // namespace

FrameRecipes FindEuroc(const fs::path& folder, bool /*forced*/) {
  std::vector<FrameRecipe> frames;
  for (const fs::path& sequence : FindFolders(folder, 2, IsEuroc)) AppendSequence(sequence, frames);
  return frames;
}

}  // namespace parallax
