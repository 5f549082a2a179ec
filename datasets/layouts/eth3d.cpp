// ETH3D two-view: SCENE/im0, im1, and calib.txt like Middlebury's (but its ndisp is the image width, so it is
// ignored). The truth is in the same folder, or in the folder of the same name below a parent whose name ends
// in "_gt".
#include "datasets/layouts/layouts.h"
#include "datasets/layouts/two_view_scene.h"

namespace parallax {

FrameRecipes FindEth3d(const std::filesystem::path& folder, bool forced) {
  std::vector<FrameRecipe> frames =
      ListTwoViewScenes(folder, 2, forced ? std::nullopt : std::optional(false));
  for (FrameRecipe& recipe : frames) {
    const std::filesystem::path scene = std::filesystem::weakly_canonical(recipe.left.parent_path());
    const std::filesystem::path beside = scene.parent_path().string() + "_gt";
    const std::filesystem::path truth = beside / scene.filename();
    recipe.calibration = {scene / "calib.txt"};
    recipe.add_rig = [=](StereoFrame& frame) { AddMiddleburyRig(scene / "calib.txt", false, frame); };
    recipe.truth = MiddleburyTruthFiles({scene, truth});
    recipe.add_truth = [=](StereoFrame& frame) { AddMiddleburyTruth({scene, truth}, frame); };
  }
  return frames;
}

}  // namespace parallax
