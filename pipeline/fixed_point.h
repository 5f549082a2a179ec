// Disparities as whole numbers of 1/16 px, the form of OpenCV's CV_16S maps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pipeline/image.h"

namespace parallax {

inline constexpr int kFixedPointUnit = 16;  // steps in 1 px

// What a pixel without a value has: one px below the smallest disparity searched, as in OpenCV.
inline std::int16_t FixedPointOfInvalid(int min_disparity) {
  return static_cast<std::int16_t>(
      std::max((min_disparity - 1) * kFixedPointUnit, int{std::numeric_limits<std::int16_t>::min()}));
}

// disparity: px, NaN = no value. Rounded to the nearest step, ties to even; beyond +-2047.9 px the nearest
// there is.
inline std::int16_t FixedPointOf(float disparity, int min_disparity) {
  if (std::isnan(disparity)) return FixedPointOfInvalid(min_disparity);
  constexpr float kLowest = std::numeric_limits<std::int16_t>::min();
  constexpr float kHighest = std::numeric_limits<std::int16_t>::max();
  // Floats of this size are whole numbers, so that adding it rounds, without a call.
  constexpr float kWholeNumbers = 3 << 22;
  const float steps = std::clamp(disparity * static_cast<float>(kFixedPointUnit), kLowest, kHighest);
  return static_cast<std::int16_t>((steps + kWholeNumbers) - kWholeNumbers);
}

// Both images W x H.
inline void ToFixedPoint(HostImageView<const float> disparity, int min_disparity,
                         HostImageView<std::int16_t> to) {
  for (int y = 0; y < disparity.height; ++y) {
    const float* from = disparity.Row(y);
    std::int16_t* row = to.Row(y);
    for (int x = 0; x < disparity.width; ++x) row[x] = FixedPointOf(from[x], min_disparity);
  }
}

}  // namespace parallax
