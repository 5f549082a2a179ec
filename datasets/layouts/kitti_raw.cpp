// KITTI raw: DATE/DRIVE_sync/image_00..03/data (rectified), DATE/calib_cam_to_cam.txt. DRIVE_extract holds
// raw images of other size, which are rectified with the cameras of the same file.
#include <memory>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"
#include "datasets/system/paths.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

constexpr KittiCameras kRawPairs[] = {{"image_00", "image_01", "P_rect_00", "P_rect_01"},
                                      {"image_02", "image_03", "P_rect_02", "P_rect_03"}};

bool IsDrive(const fs::path& folder) {
  return fs::is_directory(folder / "image_00/data") || fs::is_directory(folder / "image_02/data");
}

void AddRawRig(const fs::path& calibration, const KittiCameras& cameras, StereoFrame& frame) {
  const auto number = [](const char* folder) { return std::string(folder).substr(sizeof("image_") - 1); };
  std::string lacking = " does not exist";
  if (fs::exists(calibration)) {
    if (const auto rig =
            ReadKittiRawRig(calibration, number(cameras.left_folder), number(cameras.right_folder))) {
      frame.raw_rig = std::make_shared<const RawRig>(*rig);
      return;
    }
    lacking = " lacks the raw cameras (S, K, D, R, T)";
  }
  frame.rig_note =
      calibration.string() + lacking + "; give the calibration of the cameras, or use the _sync folder";
}

FrameRecipes FramesOfDrive(const fs::path& drive) {
  const std::string name = FileNameSafe(NameOfFolder(drive));
  const bool rectified = !name.ends_with("_extract");
  const fs::path calibration = fs::weakly_canonical(drive).parent_path() / "calib_cam_to_cam.txt";
  FrameRecipes frames;
  for (const KittiCameras& cameras : kRawPairs) {
    const fs::path left = drive / cameras.left_folder;
    frames = FramesOfFolders(name, left / "data", drive / cameras.right_folder / "data",
                             ReadKittiTimes(left / "timestamps.txt"), [=](FrameRecipe& recipe) {
                               recipe.rectified = rectified;
                               recipe.calibration = {calibration};
                               recipe.add_rig = [=](StereoFrame& frame) {
                                 (rectified ? AddKittiRig : AddRawRig)(calibration, cameras, frame);
                               };
                             });
    if (!frames.empty()) break;  // gray where both are there
  }
  return frames;
}

}  // namespace

FrameRecipes FindKittiRaw(const fs::path& folder, bool /*forced*/) {
  FrameRecipes frames;
  for (const fs::path& drive : FindFolders(folder, 2, IsDrive)) frames.Append(FramesOfDrive(drive));
  return frames;
}

}  // namespace parallax
