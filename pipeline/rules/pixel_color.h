// 8-bit colour of any pixel: gray has three equal channels, 16 bits are shifted right by 8.
#pragma once

#include <cstdint>
#include <variant>

#include "parallax/image.h"

namespace parallax {

PARALLAX_HOST_DEVICE inline Rgb8 RgbOf(Rgb8 color) { return color; }
PARALLAX_HOST_DEVICE inline Rgb8 RgbOf(std::uint8_t gray) { return {gray, gray, gray}; }
PARALLAX_HOST_DEVICE inline Rgb8 RgbOf(std::uint16_t gray) {
  return RgbOf(static_cast<std::uint8_t>(gray >> 8));
}

inline HostImage<Rgb8> RgbImage(const CameraImageView& image) {
  return std::visit(
      [](const auto& view) {
        HostImage<Rgb8> color(view.width, view.height);
        for (int y = 0; y < view.height; ++y) {
          for (int x = 0; x < view.width; ++x) color(x, y) = RgbOf(view(x, y));
        }
        return color;
      },
      image);
}

}  // namespace parallax
