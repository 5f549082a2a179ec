// The Middlebury stereo v3 metrics: bad pixels, invalid pixels and both together, mean and rms error.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "parallax/image.h"
#include "pipeline/metrics/error_quantiles.h"

namespace parallax {

inline constexpr std::array<float, 4> kMiddleburyThresholds_px = {0.5F, 1.0F, 2.0F, 4.0F};

struct MiddleburyOptions {
  // Values are clipped to [0, this] before they are compared; in px of the ESTIMATE's resolution. If the
  // truth has negative values, which Middlebury's has not, its minimum replaces 0.
  float max_disparity_px = std::numeric_limits<float>::infinity();
  bool round = false;  // to whole pixels before comparing (for truth that is whole pixels)
  std::vector<float> thresholds_px{kMiddleburyThresholds_px.begin(), kMiddleburyThresholds_px.end()};
};

// Scores of one frame, or their mean over frames. Rates are 0..1 of the evaluated pixels.
struct MiddleburyScores {
  std::vector<double> bad;     // have a value, error > threshold (strictly); one per threshold
  std::vector<double> totbad;  // bad or without a value
  // Bad over the pixels that have a value. Not Middlebury's: the convention of ETH3D, for comparison.
  std::vector<double> bad_estimated;
  double invalid = 0;        // without a value
  double evaluated = 0;      // evaluated pixels / pixels of the image
  double mean_error_px = 0;  // these over the evaluated pixels that have a value; NaN when there are none
  double rms_error_px = 0;
  ErrorQuantiles quantiles_px;
  std::int64_t num_evaluated = 0;  // pixels; summed over frames
  std::int64_t num_invalid = 0;    // pixels; summed over frames
};

// estimate: px, NaN = no value; of the truth's size, or 1/2 or 1/4 of it: then each pixel counts for 2x2 or
// 4x4 and its value is doubled or quadrupled. truth: px, NaN = unknown. mask: counts where it is 255 (not
// occluded); empty = everywhere. Throws InvalidArgument when the sizes do not fit. Rates are NaN when no
// pixel is evaluated.
MiddleburyScores EvaluateMiddlebury(HostImageView<const float> estimate, HostImageView<const float> truth,
                                    HostImageView<const std::uint8_t> mask, const MiddleburyOptions& options);

// The plain mean over frames of every rate and error (the benchmark's own table weights its 15 images; this
// does not). A frame counts only for figures that it has: none without evaluated pixels, no errors without
// estimates.
MiddleburyScores MeanOf(std::span<const MiddleburyScores> frames);

}  // namespace parallax
