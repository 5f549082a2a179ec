// Converts the packed pixels of cameras and messages to images. Rows lie `stride` bytes apart; the caller has checked
// that all of them are there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "parallax/image.h"

namespace parallax {

template <typename T>
HostImage<T> GrayFrom(std::span<const std::uint8_t> bytes, int width, int height, std::size_t stride) {
  HostImage<T> image(width, height);
  for (int y = 0; y < height; ++y) {
    std::memcpy(image.Row(y), bytes.data() + static_cast<std::size_t>(y) * stride,
                static_cast<std::size_t>(width) * sizeof(T));
  }
  return image;
}

// Pixels of pixel_bytes bytes that begin with R, G, B or B, G, R; further bytes are ignored.
inline HostImage<Rgb8> RgbFrom(std::span<const std::uint8_t> bytes, int width, int height, std::size_t stride,
                               std::size_t pixel_bytes, bool is_bgr) {
  HostImage<Rgb8> image(width, height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = bytes.data() + static_cast<std::size_t>(y) * stride;
    Rgb8* to = image.Row(y);
    for (int x = 0; x < width; ++x, from += pixel_bytes)
      to[x] = {from[is_bgr ? 2 : 0], from[1], from[is_bgr ? 0 : 2]};
  }
  return image;
}

// Two pixels in four bytes: Y U Y V, or U Y V Y (BT.601, Y from 16 to 235; computed with 8 fractional bits). A row of
// odd width has the bytes of one more pixel.
inline HostImage<Rgb8> RgbFromYuv(std::span<const std::uint8_t> bytes, int width, int height,
                                  std::size_t stride, bool begins_with_y) {
  const auto level = [](int value) { return static_cast<std::uint8_t>(std::clamp(value >> 8, 0, 255)); };
  HostImage<Rgb8> image(width, height);
  for (int row = 0; row < height; ++row) {
    const std::uint8_t* from = bytes.data() + static_cast<std::size_t>(row) * stride;
    Rgb8* to = image.Row(row);
    for (int x = 0; x < width; ++x) {
      const std::uint8_t* two = from + 4 * (x / 2);
      const int y = 298 * (two[2 * (x % 2) + (begins_with_y ? 0 : 1)] - 16) + 128;
      const int u = two[begins_with_y ? 1 : 0] - 128, v = two[begins_with_y ? 3 : 2] - 128;
      to[x] = {level(y + 409 * v), level(y - 100 * u - 208 * v), level(y + 516 * u)};
    }
  }
  return image;
}

}  // namespace parallax
