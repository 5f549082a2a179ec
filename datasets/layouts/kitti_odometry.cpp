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

FrameRecipes FramesOfSequence(const fs::path& sequence) {
  std::vector<double> times_s = ReadKittiTimes(sequence / "times.txt");
  const std::string name = FileNameSafe(NameOfFolder(sequence));
  for (const KittiCameras& cameras : kPairs) {
    ImageNames images = ListImageNames(sequence / cameras.left_folder);
    if (images.names.empty()) continue;  // gray where both are there
    const std::size_t num_frames = images.names.size();
    return {num_frames, [=, images = std::move(images), times_s = std::move(times_s)](std::size_t i) {
              const fs::path image = images.names[i];
              FrameRecipe recipe;
              recipe.name = name + "_" + FileNameSafe(image.stem().string());
              recipe.left = images.folder / image;
              recipe.right = sequence / cameras.right_folder / image;
              recipe.timestamp_s = TimeOfFrame(times_s, image);
              recipe.calibration = {sequence / "calib.txt"};
              recipe.add_rig = [=](StereoFrame& frame) {
                AddKittiRig(sequence / "calib.txt", cameras, frame);
              };
              return recipe;
            }};
  }
  return {};
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
