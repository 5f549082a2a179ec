// KITTI odometry: sequences/XX with image_0/1 (gray) or image_2/3 (colour), calib.txt (P0..P3), times.txt.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"
#include "datasets/paths.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

constexpr KittiCameras kPairs[] = {{"image_0", "image_1", "P0", "P1"}, {"image_2", "image_3", "P2", "P3"}};

// times.txt (or calib.txt) beside the images tells a sequence from the stereo data sets' folders.
bool IsSequence(const fs::path& folder) {
  if (!fs::exists(folder / "times.txt") && !fs::exists(folder / "calib.txt")) return false;
  return fs::is_directory(folder / "image_0") || fs::is_directory(folder / "image_2");
}

void AppendSequence(const fs::path& sequence, std::vector<FrameRecipe>& frames) {
  const std::vector<double> times_s = ReadKittiTimes(sequence / "times.txt");
  const std::string name = FileNameSafe(NameOfFolder(sequence));
  for (const KittiCameras& cameras : kPairs) {
    const std::vector<fs::path> images = ListImages(sequence / cameras.left_folder);
    for (const fs::path& left : images) {
      FrameRecipe recipe;
      recipe.name = name + "_" + FileNameSafe(left.stem().string());
      recipe.left = left;
      recipe.right = sequence / cameras.right_folder / left.filename();
      recipe.timestamp_s = TimeOfFrame(times_s, left);
      recipe.calibration = {sequence / "calib.txt"};
      recipe.add_rig = [=](StereoFrame& frame) { AddKittiRig(sequence / "calib.txt", cameras, frame); };
      frames.push_back(std::move(recipe));
    }
    if (!images.empty()) return;  // gray where both are there
  }
}

}  // namespace

std::vector<FrameRecipe> FindKittiOdometry(const fs::path& folder, bool /*forced*/) {
  std::vector<FrameRecipe> frames;
  for (const fs::path& level : {folder, folder / "sequences", folder / "dataset/sequences"}) {
    for (const fs::path& sequence : FindFolders(level, 1, IsSequence)) AppendSequence(sequence, frames);
    if (!frames.empty()) break;
  }
  return frames;
}

}  // namespace parallax
