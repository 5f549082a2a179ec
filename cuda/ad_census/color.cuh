// Colours of the device's images, four bytes each.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax::cuda::ad_census {

__device__ __forceinline__ std::uint32_t PackColor(std::uint8_t gray) { return gray * 0x010101U; }
__device__ __forceinline__ std::uint32_t PackColor(std::uint16_t gray) { return (gray >> 8) * 0x010101U; }
__device__ __forceinline__ std::uint32_t PackColor(Rgb8 c) {
  return c.r | static_cast<std::uint32_t>(c.g) << 8 | static_cast<std::uint32_t>(c.b) << 16;
}

// Largest difference over the channels.
__device__ __forceinline__ int ColorDistance(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t d = __vabsdiffu4(a, b);
  return static_cast<int>(max(max(d & 0xFFU, (d >> 8) & 0xFFU), d >> 16));
}

}  // namespace parallax::cuda::ad_census
