// KITTI odometry: sequences/XX with image_0/1 (gray) or image_2/3 (colour), calib.txt (P0..P3), times.txt.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"
#include "datasets/system/paths.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

constexpr KittiCameras kPairs[] = {{"image_0", "image_1", "P0", "P1"}, {"image_2", "image_3", "P2", "P3"}};

// A times.txt (or calib.txt) next to the images distinguishes a sequence from the folders of the stereo data
// sets.
bool IsSequence(const fs::path& folder) {
  if (!fs::exists(folder / "times.txt") && !fs::exists(folder / "calib.txt")) return false;
  return fs::is_directory(folder / "image_0") || fs::is_directory(folder / "image_2");
}

FrameRecipes FramesOfSequence(const fs::path& sequence) {
  const fs::path calibration = sequence / "calib.txt";
  FrameRecipes frames;
  for (const KittiCameras& cameras : kPairs) {
    frames = FramesOfFolders(
        FileNameSafe(NameOfFolder(sequence)), sequence / cameras.left_folder, sequence / cameras.right_folder,
        ReadKittiTimes(sequence / "times.txt"), [=](FrameRecipe& recipe) {
          recipe.calibration = {calibration};
          recipe.add_rig = [=](StereoFrame& frame) { AddKittiRig(calibration, cameras, frame); };
        });
    if (!frames.empty()) break;  // gray where both are there
  }
  return frames;
}

}  // namespace

FrameRecipes FindKittiOdometry(const fs::path& folder, bool /*forced*/) {
  FrameRecipes frames;
  for (const fs::path& level : {folder, folder / "sequences", folder / "dataset/sequences"}) {
    for (const fs::path& sequence : FindFolders(level, 1, IsSequence))
      frames.Append(FramesOfSequence(sequence));
    if (!frames.empty()) break;
  }
  return frames;
}

}  // namespace parallax
