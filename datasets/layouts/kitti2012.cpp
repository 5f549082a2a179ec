// KITTI stereo 2012: image_0/1 (gray) or colored_0/1, disp_noc, disp_occ, calib/NNNNNN.txt with P0..P3.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"

namespace parallax {

FrameRecipes FindKitti2012(const std::filesystem::path& folder, bool /*forced*/) {
  return ListKittiStereo(
      folder, {{"image_0", "image_1", "P0", "P1"}, {"colored_0", "colored_1", "P2", "P3"}},
      [](const std::filesystem::path& root, const std::string& number, const std::filesystem::path& truth) {
        return KittiStereoFiles{
            root / "calib" / (number + ".txt"), root / "disp_occ" / truth, root / "disp_noc" / truth, {}};
      });
}

}  // namespace parallax
