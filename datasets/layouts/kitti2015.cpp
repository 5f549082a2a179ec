// KITTI stereo 2015: image_2/3, disp_occ_0, disp_noc_0, obj_map, calib_cam_to_cam/NNNNNN.txt with
// P_rect_00..03.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"

namespace parallax {

std::vector<FrameRecipe> FindKitti2015(const std::filesystem::path& folder, bool /*forced*/) {
  std::filesystem::path root = folder;
  KittiCameras cameras{};
  std::vector<FrameRecipe> frames =
      ListKittiStereo(root, {{"image_2", "image_3", "P_rect_02", "P_rect_03"}}, cameras);
  for (FrameRecipe& recipe : frames) {
    const auto file = recipe.left.filename().replace_extension(".png");
    const std::string number = recipe.name.substr(0, recipe.name.size() - 3);  // without "_10"
    const auto calibration = root / "calib_cam_to_cam" / (number + ".txt");
    recipe.calibration = {calibration};
    recipe.add_rig = [=](StereoFrame& frame) { AddKittiRig(calibration, cameras, frame); };
    recipe.truth = {root / "disp_occ_0" / file, root / "disp_noc_0" / file, root / "obj_map" / file};
    recipe.add_truth = [truth = recipe.truth](StereoFrame& frame) {
      AddKittiTruth(truth[0], truth[1], truth[2], frame);
    };
  }
  return frames;
}

}  // namespace parallax
