// Small images written out in a test.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "parallax/image.h"

namespace parallax {

inline constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

template <typename T>
HostImage<T> ImageOf(int width, const std::vector<T>& pixels) {
  HostImage<T> image(width, static_cast<int>(pixels.size()) / width);
  for (int y = 0; y < image.height(); ++y) std::copy_n(pixels.data() + y * width, width, image.Row(y));
  return image;
}
inline HostImage<float> Map(int width, const std::vector<float>& pixels) {
  return ImageOf<float>(width, pixels);
}
inline HostImage<std::uint8_t> Mask(int width, const std::vector<std::uint8_t>& pixels) {
  return ImageOf<std::uint8_t>(width, pixels);
}
template <typename T>
std::vector<T> PixelsOf(const HostImage<T>& image) {
  std::vector<T> pixels;
  for (int y = 0; y < image.height(); ++y)
    pixels.insert(pixels.end(), image.Row(y), image.Row(y) + image.width());
  return pixels;
}

}  // namespace parallax
