// Disparities as whole numbers of 1/16 px, the form of OpenCV's CV_16S maps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "parallax/disparity_map.h"

namespace parallax {

inline constexpr int kFixedPointUnit = 16;  // steps in 1 px

// The value of a pixel without a disparity: one px below the smallest disparity searched, as in OpenCV.
inline std::int16_t FixedPointOfInvalid(int min_disparity) {
  return static_cast<std::int16_t>(
      std::max((min_disparity - 1) * kFixedPointUnit, int{std::numeric_limits<std::int16_t>::min()}));
}

// The disparity (px, NaN = no value) in 1/16 px, rounded to the nearest, ties to even, and clamped to the
// range of 16 bits (about +-2047.9 px).
inline std::int16_t FixedPointOf(float disparity, int min_disparity) {
  if (std::isnan(disparity)) return FixedPointOfInvalid(min_disparity);
  constexpr float kLowest = std::numeric_limits<std::int16_t>::min();
  constexpr float kHighest = std::numeric_limits<std::int16_t>::max();
  // Floats of this size are whole numbers, so adding it rounds without a call.
  constexpr float kWholeNumbers = 3 << 22;
  const float steps = std::clamp(disparity * static_cast<float>(kFixedPointUnit), kLowest, kHighest);
  return static_cast<std::int16_t>((steps + kWholeNumbers) - kWholeNumbers);
}

}  // namespace parallax
