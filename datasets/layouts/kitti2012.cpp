// KITTI stereo 2012: image_0/1 (gray) or colored_0/1, disp_noc, disp_occ, calib/NNNNNN.txt with P0..P3.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"

namespace parallax {

std::vector<FrameRecipe> FindKitti2012(const std::filesystem::path& folder, bool /*forced*/) {
  std::filesystem::path root = folder;
  KittiCameras cameras{};
  std::vector<FrameRecipe> frames = ListKittiStereo(
      root, {{"image_0", "image_1", "P0", "P1"}, {"colored_0", "colored_1", "P2", "P3"}}, cameras);
  for (FrameRecipe& recipe : frames) {
    const auto file = recipe.left.filename().replace_extension(".png");
    const std::string number = recipe.name.substr(0, recipe.name.size() - 3);  // without "_10"
    const auto calibration = root / "calib" / (number + ".txt");
    recipe.calibration = {calibration};
    recipe.add_rig = [=](StereoFrame& frame) { AddKittiRig(calibration, cameras, frame); };
    recipe.truth = {root / "disp_occ" / file, root / "disp_noc" / file};
    recipe.add_truth = [truth = recipe.truth](StereoFrame& frame) {
      AddKittiTruth(truth[0], truth[1], {}, frame);
    };
  }
  return frames;
}

}  // namespace parallax
