// Formulas of one pixel that every back end shares, each a sequence of single, correctly rounded operations.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

PARALLAX_HOST_DEVICE inline std::uint8_t GrayOf(Rgb8 c) {
  return static_cast<std::uint8_t>((77U * c.r + 150U * c.g + 29U * c.b + 128U) >> 8);
}

// Offset of the minimum from its sampled place, in -0.5 .. 0.5, from its sum of path costs and the extra
// costs of its neighbours (both >= 0). Parabola through three points, or equiangular ("V") fit of two lines
// of opposite slope. A sum of 0 means that the images agree to the bit along every path: nothing is left to
// refine.
PARALLAX_HOST_DEVICE inline float SubpixelOffset(int lowest, int dearer_before, int dearer_after,
                                                 Subpixel method) {
  if (method == Subpixel::kNone || lowest == 0) return 0.0F;
  const int larger = dearer_before > dearer_after ? dearer_before : dearer_after;
  const int denominator = 2 * (method == Subpixel::kParabola ? dearer_before + dearer_after : larger);
  if (denominator == 0) return 0.0F;
  return static_cast<float>(dearer_before - dearer_after) / static_cast<float>(denominator);
}

// 0 (a rival costs as little) .. 255; best <= rival are sums of path costs.
PARALLAX_HOST_DEVICE inline std::uint8_t Confidence(std::uint32_t best, std::uint32_t rival) {
  return rival == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(255U * (rival - best) / rival);
}

PARALLAX_HOST_DEVICE inline bool IsUnique(std::uint32_t best, std::uint32_t rival, int uniqueness_percent) {
  return rival * static_cast<std::uint32_t>(100 - uniqueness_percent) >= best * 100U;
}

}  // namespace parallax
