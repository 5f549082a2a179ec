// The geometry of a rectified stereo pair.
#pragma once

namespace parallax {

// Rectified pinhole pair: both cameras share focal length and rows; x_right = x_left - disparity.
// Depth of a pixel: Z = fx * baseline / (disparity + doffs); X = (x - cx) Z / fx; Y = (y - cy) Z / fx.
// Camera frame of the left camera: x to the right, y down, z forward, in metres.
struct StereoRig {
  double fx_px = 0;  // focal length of both cameras (square pixels)
  double cx_px = 0;  // principal point of the LEFT camera
  double cy_px = 0;
  double baseline_m = 0;  // distance between the cameras, > 0
  double doffs_px = 0;    // cx_right - cx_left (Middlebury's doffs; 0 for KITTI)
};

}  // namespace parallax
