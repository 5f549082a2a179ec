// Two cameras as they stand: what calibration finds, and what rectification starts from. The geometry after
// rectification is StereoRig (parallax/rig.h).
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
  // Where the right camera stands, in the left camera's frame.
  Vector3 RightCentre() const { return -(Transposed(right_from_left) * translation_m); }
  friend bool operator==(const RawRig&, const RawRig&) = default;
};

// Throws InvalidArgument, one line beginning with `what`, on cameras that are none, a rotation that is none
// and a baseline of 0.
void CheckRawRig(const RawRig& rig, const std::string& what);

}  // namespace parallax
