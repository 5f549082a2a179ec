// Rigs of raw cameras for tests.
#pragma once

#include "pipeline/calibration/raw_rig.h"

namespace parallax::test {

// 640x480, strongly bent images, cameras a little turned against each other, 12 cm apart.
inline RawRig WideRig() {
  RawRig rig;
  rig.left = {.width_px = 640,
              .height_px = 480,
              .fx_px = 460,
              .fy_px = 458,
              .cx_px = 322,
              .cy_px = 237,
              .lens = LensModel::kPlumbBob,
              .distortion = {-0.28, 0.09, 0.0006, -0.0004, -0.012}};
  rig.right = {.width_px = 640,
               .height_px = 480,
               .fx_px = 463,
               .fy_px = 462,
               .cx_px = 315,
               .cy_px = 243,
               .lens = LensModel::kPlumbBob,
               .distortion = {-0.27, 0.08, -0.0003, 0.0005, -0.01}};
  rig.right_from_left = RotationOf({0.012, -0.02, 0.008});
  rig.translation_m = {-0.12, 0.001, 0.002};
  return rig;
}

// 640x480, 150 degrees along the diagonal.
inline RawRig FisheyeRig() {
  RawRig rig;
  rig.left = {.width_px = 640,
              .height_px = 480,
              .fx_px = 300,
              .fy_px = 301,
              .cx_px = 318,
              .cy_px = 243,
              .lens = LensModel::kFisheye,
              .distortion = {-0.02, 0.004, -0.003, 0.0006}};
  rig.right = {.width_px = 640,
               .height_px = 480,
               .fx_px = 303,
               .fy_px = 302,
               .cx_px = 323,
               .cy_px = 238,
               .lens = LensModel::kFisheye,
               .distortion = {-0.018, 0.003, -0.002, 0.0004}};
  rig.right_from_left = RotationOf({-0.008, 0.015, 0.01});
  rig.translation_m = {-0.1, -0.001, 0.001};
  return rig;
}

}  // namespace parallax::test
