// A calibration against the rig that is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "app/calibrate/stereo_calibration.h"

namespace parallax::test {

// How far each number of the rig is from the truth, in the sigmas that the calibration states.
inline std::vector<double> ErrorsInSigmas(const app::StereoCalibration& result, const RawRig& truth) {
  const RawRig& rig = result.bundle.rig;
  std::vector<double> errors;
  const auto n = static_cast<std::size_t>(result.bundle_options.num_coefficients);
  for (const auto& [is, was] : {std::pair{&rig.left, &truth.left}, std::pair{&rig.right, &truth.right}}) {
    errors.insert(errors.end(), {is->fx_px - was->fx_px, is->fy_px - was->fy_px, is->cx_px - was->cx_px,
                                 is->cy_px - was->cy_px});
    for (std::size_t i = 0; i < n; ++i) errors.push_back(is->distortion[i] - was->distortion[i]);
  }
  const Vector3 turn = RotationVectorOf(rig.right_from_left * Transposed(truth.right_from_left));
  const Vector3 shift = rig.translation_m - truth.translation_m;
  errors.insert(errors.end(), {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z});
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] /= result.bundle.Sigma(static_cast<int>(i));
  return errors;
}

}  // namespace parallax::test
