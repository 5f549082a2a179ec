// Whether the stated uncertainty of disparities agrees with their errors.
#pragma once

#include "parallax/image.h"

namespace parallax {

// Larger errors are mismatches, which sigma does not describe.
inline constexpr float kLargestSigmaError_px = 3;

// Scores of the pixels with truth and an estimate. Shares are 0 .. 1. All NaN if there is no such pixel.
struct UncertaintyScores {
  // The share of the errors below kLargestSigmaError_px within one and within two sigma: 0.683 and 0.954 for
  // normal errors and a correct sigma.
  double within_one = 0, within_two = 0;
  double mean_sigma_px = 0;  // of these pixels
};

// sigma: px, NaN where estimate is. All images of one size; InvalidArgument otherwise.
UncertaintyScores EvaluateUncertainty(HostImageView<const float> estimate, HostImageView<const float> sigma,
                                      HostImageView<const float> truth);

}  // namespace parallax
