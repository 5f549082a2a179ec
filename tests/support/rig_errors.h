// A calibration against the rig that is known.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "calibrate/stereo_calibration.h"

namespace parallax::test {

// How far each number of the rig is from the truth, in the order of the covariance.
inline std::vector<double> ErrorsOf(const StereoCalibration& result, const RawRig& truth) {
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
  return errors;
}

// The same, each in the sigmas that the calibration states.
inline std::vector<double> ErrorsInSigmas(const StereoCalibration& result, const RawRig& truth) {
  std::vector<double> errors = ErrorsOf(result, truth);
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] /= result.bundle.Sigma(static_cast<int>(i));
  return errors;
}

// All of them together: the sum of squares that the covariance makes of them, chi squared, as the normal number that
// is as rare (Wilson and Hilferty 1931).
inline double ErrorInSigmas(const StereoCalibration& result, const RawRig& truth) {
  const std::vector<double> errors = ErrorsOf(result, truth);
  const std::size_t n = errors.size(), row = static_cast<std::size_t>(result.bundle.num_parameters);
  std::vector<double> lower(n * n), solved(n);  // Cholesky
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    solved[i] = errors[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = result.bundle.covariance[i * row + j];
      for (std::size_t k = 0; k < j; ++k) rest -= lower[i * n + k] * lower[j * n + k];
      lower[i * n + j] = i == j ? std::sqrt(rest) : rest / lower[j * n + j];
      if (j < i) solved[i] -= lower[i * n + j] * solved[j];
    }
    solved[i] /= lower[i * n + i];
    sum += solved[i] * solved[i];
  }
  const double size = static_cast<double>(n), spread = 2 / (9 * size);
  return (std::cbrt(sum / size) - (1 - spread)) / std::sqrt(spread);
}

}  // namespace parallax::test
