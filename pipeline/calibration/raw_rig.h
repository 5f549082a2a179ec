// Two raw cameras with their pose: the result of calibration, and the start of rectification. The geometry
// after rectification is StereoRig (parallax/rig.h).
#pragma once

#include <string>

#include "pipeline/calibration/camera_model.h"
#include "pipeline/calibration/vectors.h"

namespace parallax {

// A point of the left camera's frame is at right_from_left * p + translation_m in the right camera's.
struct RawRig {
  CameraModel left, right;
  Matrix3 right_from_left;
  Vector3 translation_m;

  double baseline_m() const { return Length(translation_m); }
  // The place of the right camera in the left camera's frame.
  Vector3 RightCentre() const { return -(Transposed(right_from_left) * translation_m); }
  friend bool operator==(const RawRig&, const RawRig&) = default;
};

// Throws InvalidArgument, in one line that begins with `what`, for invalid cameras, an invalid rotation and a
// baseline of 0.
void CheckRawRig(const RawRig& rig, const std::string& what);

}  // namespace parallax
