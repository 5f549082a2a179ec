// Whether a stated uncertainty of disparities is what their errors say.
#pragma once

#include "parallax/image.h"

namespace parallax {

// Errors from this on are mismatches, of which sigma says nothing.
inline constexpr float kLargestSigmaError_px = 3;

// Of the pixels with truth and an estimate. Shares 0 .. 1; NaN where no pixel counts.
struct UncertaintyScores {
  // The share of the errors below kLargestSigmaError_px that are within one, within two sigma. 0.683
  // and 0.954 where errors are normal and sigma is right.
  double within_one = 0, within_two = 0;
  double mean_sigma_px = 0;  // of these pixels
};

// sigma: px, NaN where estimate is. All images of one size; InvalidArgument otherwise.
UncertaintyScores EvaluateUncertainty(HostImageView<const float> estimate, HostImageView<const float> sigma,
                                      HostImageView<const float> truth);

}  // namespace parallax
