// The ETH3D two-view metrics: bad pixels and errors over the estimated pixels only, and the coverage
// separately.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "parallax/image.h"
#include "pipeline/metrics/error_quantiles.h"

namespace parallax {

inline constexpr std::array<float, 4> kEth3dThresholds_px = {0.5F, 1.0F, 2.0F, 4.0F};

// Scores of one frame, or their mean over frames. Rates are 0..1.
struct Eth3dScores {
  double coverage = 0;                                   // estimated / truth pixels
  std::array<double, kEth3dThresholds_px.size()> bad{};  // error > threshold (strictly) / estimated pixels
  // Bad or without a value, of all truth pixels. Not ETH3D's: Middlebury's totbad, for comparison.
  std::array<double, kEth3dThresholds_px.size()> bad_or_holes{};
  double mean_error_px = 0;
  double rms_error_px = 0;
  ErrorQuantiles quantiles_px;
  std::int64_t num_truth = 0;      // pixels; summed over frames
  std::int64_t num_estimated = 0;  // pixels; summed over frames
};

// estimate: px; NaN and values beyond +-width (of the images) count as no value. truth: px, NaN = unknown.
// mask: counts where it is 255 (not occluded); empty = everywhere. Throws InvalidArgument when sizes differ.
// Without estimated pixels bad is 1 and the errors are infinite; without truth pixels everything is NaN.
Eth3dScores EvaluateEth3d(HostImageView<const float> estimate, HostImageView<const float> truth,
                          HostImageView<const std::uint8_t> mask = {});

// The plain mean over frames; frames without truth pixels are left out.
Eth3dScores MeanOf(std::span<const Eth3dScores> frames);

}  // namespace parallax
