// KITTI stereo 2015: image_2/3, disp_occ_0, disp_noc_0, obj_map, calib_cam_to_cam/NNNNNN.txt with
// P_rect_00..03.
#include "datasets/layouts/kitti_files.h"
#include "datasets/layouts/layouts.h"

namespace parallax {

FrameRecipes FindKitti2015(const std::filesystem::path& folder, bool /*forced*/) {
  return ListKittiStereo(
      folder, {{"image_2", "image_3", "P_rect_02", "P_rect_03"}},
      [](const std::filesystem::path& root, const std::string& number, const std::filesystem::path& truth) {
        return KittiStereoFiles{root / "calib_cam_to_cam" / (number + ".txt"), root / "disp_occ_0" / truth,
                                root / "disp_noc_0" / truth, root / "obj_map" / truth};
      });
}

}  // namespace parallax
