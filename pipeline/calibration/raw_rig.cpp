#include "pipeline/calibration/raw_rig.h"

#include "parallax/error.h"

namespace parallax {

void CheckRawRig(const RawRig& rig, const std::string& what) {
  CheckCamera(rig.left, what + ": left camera");
  CheckCamera(rig.right, what + ": right camera");
  constexpr double kRounded = 1e-3;
  if (!(DistanceFromRotation(rig.right_from_left) < kRounded)) {
    throw InvalidArgument(what +
                          ": the rotation between the cameras is not a rotation: its rows must be of "
                          "length 1, at right angles, and right-handed");
  }
  if (!(rig.baseline_m() > 0) || !std::isfinite(rig.baseline_m())) {
    throw InvalidArgument(what + ": the cameras are at the same place (baseline " +
                          std::to_string(rig.baseline_m()) + " m), which gives no depth");
  }
}

}  // namespace parallax
