// The formulas of a rectified pixel, which every back end shares.
#pragma once

#include <cmath>
#include <cstdint>

#include "parallax/image.h"

namespace parallax {

inline constexpr int kRemapBits = 7;  // positions and weights are in 1/128 px

// Interpolates four values a b / c d, with wx, wy in 1/128 of the way to the right and down; see Remap
// (remap.h).
template <typename T>
PARALLAX_HOST_DEVICE inline T MixPixels(T a, T b, T c, T d, int wx, int wy) {
  constexpr int kOne = 1 << kRemapBits;
  const int above = (kOne - wx) * a + wx * b, below = (kOne - wx) * c + wx * d;
  return static_cast<T>((above * (kOne - wy) + below * wy + (1 << (2 * kRemapBits - 1))) >> (2 * kRemapBits));
}
PARALLAX_HOST_DEVICE inline Rgb8 MixPixels(Rgb8 a, Rgb8 b, Rgb8 c, Rgb8 d, int wx, int wy) {
  return {MixPixels(a.r, b.r, c.r, d.r, wx, wy), MixPixels(a.g, b.g, c.g, d.g, wx, wy),
          MixPixels(a.b, b.b, c.b, d.b, wx, wy)};
}

// The pixel of an image `from` (as ImageView) at the position (px, py); 0 where px < 0.
template <typename Image>
PARALLAX_HOST_DEVICE inline auto RemappedPixel(const Image& from, std::int32_t px, std::int32_t py) {
  using Pixel = decltype(MixPixels(from(0, 0), from(0, 0), from(0, 0), from(0, 0), 0, 0));
  if (px < 0) return Pixel{};
  constexpr int kFraction = (1 << kRemapBits) - 1;
  const int u = px >> kRemapBits, v = py >> kRemapBits;
  return MixPixels(from(u, v), from(u + 1, v), from(u, v + 1), from(u + 1, v + 1), px & kFraction,
                   py & kFraction);
}

// The match's column in the right image, which is `width` px wide; -1 if outside, or if disparity is NaN.
PARALLAX_HOST_DEVICE inline int MatchColumn(int x, float disparity, int width) {
  const double match = std::floor(x - static_cast<double>(disparity) + 0.5);
  return match >= 0 && match < width ? static_cast<int>(match) : -1;
}

}  // namespace parallax
