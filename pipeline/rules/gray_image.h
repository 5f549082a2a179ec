// Camera images as 8-bit gray.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "parallax/image.h"
#include "pipeline/rules/pixel_math.h"
#include "pipeline/types/frame.h"

namespace parallax {

inline std::uint8_t GrayOf(std::uint8_t v) { return v; }
inline std::uint8_t GrayOf(std::uint16_t v) { return static_cast<std::uint8_t>(v >> 8); }

// Converts rows [begin, end) of the image to 8-bit gray: colour as pixel_math.h states, 16 bits shifted right
// by 8. gray: of the same size.
inline void GrayRows(const CameraImageView& image, int begin, int end, HostImageView<std::uint8_t> gray) {
  std::visit(
      [&](const auto& pixels) {
        for (int y = begin; y < end; ++y) {
          std::transform(pixels.Row(y), pixels.Row(y) + pixels.width, gray.Row(y),
                         [](auto v) { return GrayOf(v); });
        }
      },
      image);
}

}  // namespace parallax
