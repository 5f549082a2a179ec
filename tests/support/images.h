// Small images for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "parallax/image.h"
#include "pipeline/types/cost_volume.h"

namespace parallax::test {

inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// ImageOf<int>({{1, 2}, {3, 4}}): rows from top to bottom.
template <typename T>
HostImage<T> ImageOf(std::initializer_list<std::initializer_list<T>> rows) {
  HostImage<T> image(static_cast<int>(rows.begin()->size()), static_cast<int>(rows.size()));
  int y = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), image.Row(y++));
  return image;
}

// pixel(x, y) for every pixel.
template <typename T, typename Function>
HostImage<T> ImageFrom(int width, int height, Function pixel) {
  HostImage<T> image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) image(x, y) = static_cast<T>(pixel(x, y));
  }
  return image;
}

// A well-mixed value of 0 .. 255 for every integer pixel, seeded: texture that a shift leaves unchanged.
inline std::uint8_t NoiseAt(int x, int y, std::uint32_t seed = 1) {
  std::uint32_t h =
      static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U ^ seed;
  h = (h ^ h >> 15) * 0x2C1B3C6DU;
  h = (h ^ h >> 12) * 0x297A2D39U;
  return static_cast<std::uint8_t>((h ^ h >> 15) & 0xFFU);
}

// Equal, NaN equal to NaN.
inline bool SameValue(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <typename T>
bool SamePixels(HostImageView<const T> a, HostImageView<const T> b) {
  if (!SameSize(a, b)) return false;
  for (int y = 0; y < a.height; ++y) {
    for (int x = 0; x < a.width; ++x) {
      if constexpr (std::is_floating_point_v<T>) {
        if (!SameValue(a(x, y), b(x, y))) return false;
      } else if (!(a(x, y) == b(x, y))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace parallax::test
