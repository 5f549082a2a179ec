// Middlebury v3 (MiddEval3) and 2014, 2021: im0, im1, calib.txt, disp0GT.pfm or disp0.pfm, mask0nocc.png.
#include "datasets/layouts/layouts.h"
#include "datasets/layouts/two_view_scene.h"

namespace parallax {

FrameRecipes FindMiddleburyV3(const std::filesystem::path& folder, bool forced) {
  std::vector<FrameRecipe> frames = ListTwoViewScenes(folder, 3, forced ? std::nullopt : std::optional(true));
  for (FrameRecipe& recipe : frames) {
    const std::filesystem::path scene = recipe.left.parent_path();
    recipe.calibration = {scene / "calib.txt"};
    recipe.add_rig = [=](StereoFrame& frame) { AddMiddleburyRig(scene / "calib.txt", true, frame); };
    recipe.truth = MiddleburyTruthFiles({scene});
    recipe.add_truth = [=](StereoFrame& frame) { AddMiddleburyTruth({scene}, frame); };
  }
  return frames;
}

}  // namespace parallax
