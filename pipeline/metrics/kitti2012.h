// The KITTI stereo 2012 metrics: outliers above 1..5 px and mean error, over all truth and estimated only.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "parallax/image.h"

namespace parallax {

inline constexpr int kKitti2012NumThresholds = 5;  // > 1, 2, 3, 4, 5 px

// Scores of one frame, or their mean over frames. Rates are 0..1; index i is the threshold of i + 1 px.
struct Kitti2012Scores {
  std::array<double, kKitti2012NumThresholds> outliers{};            // holes filled (InterpolateBackground)
  std::array<double, kKitti2012NumThresholds> outliers_estimated{};  // only pixels that had a value
  // Holes count as outliers. Not KITTI's: the strict convention of Middlebury's totbad, for comparison.
  std::array<double, kKitti2012NumThresholds> outliers_or_holes{};
  double mean_error_px = 0;
  double mean_error_estimated_px = 0;
  double density = 0;              // truth pixels that had a value / truth pixels
  std::int64_t num_truth = 0;      // pixels; summed over frames
  std::int64_t num_estimated = 0;  // pixels; summed over frames
  std::int64_t num_frames = 0;     // frames with truth over which the rates are averaged
};

// estimate: px, NaN = no value, as read from a 16-bit PNG (QuantizeAsKittiPng). truth: px, NaN = unknown.
// mask: counts where it is 255; empty = everywhere. Throws InvalidArgument when sizes differ. As in the
// development kit, errors are strictly > t, a map without any value counts as -1 everywhere, and without
// estimated pixels the estimated-only figures are 0. Without truth pixels all rates are NaN.
Kitti2012Scores EvaluateKitti2012(HostImageView<const float> estimate, HostImageView<const float> truth,
                                  HostImageView<const std::uint8_t> mask = {});

// The benchmark's total: the mean of the frames' rates, with equal weights, however many pixels they have.
// Frames without truth pixels are left out.
Kitti2012Scores MeanOf(std::span<const Kitti2012Scores> frames);

}  // namespace parallax
