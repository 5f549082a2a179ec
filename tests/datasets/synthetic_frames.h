// Synthetic frames for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include "datasets/synthetic/synthetic_source.h"

namespace parallax::test {

inline StereoFrame RenderFrame(const std::string& spec, int index = 0) {
  SourceOptions options;
  options.with_truth = true;
  const auto source = OpenSyntheticSource(spec, options);
  for (int i = 0; i < index; ++i) source->Skip();
  return source->Read();
}

inline const HostImage<std::uint8_t>& Gray(const CameraImage& image) {
  return std::get<HostImage<std::uint8_t>>(image);
}

template <typename T>
bool SamePixels(const HostImage<T>& a, const HostImage<T>& b) {
  if (!SameSize(a.View(), b.View())) return false;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const bool same = a(x, y) == b(x, y) || (a(x, y) != a(x, y) && b(x, y) != b(x, y));
      if (!same) return false;
    }
  }
  return true;
}

// Images and truth, to the bit (all NaNs are equal).
inline bool SameFrame(const StereoFrame& a, const StereoFrame& b) {
  if (a.left.index() != b.left.index()) return false;
  const auto same = [](const CameraImage& p, const CameraImage& q) {
    return std::visit([&](const auto& i) { return SamePixels(i, std::get<std::decay_t<decltype(i)>>(q)); },
                      p);
  };
  return same(a.left, b.left) && same(a.right, b.right) &&
         SamePixels(a.truth->disparity, b.truth->disparity) &&
         SamePixels(a.truth->nonoccluded, b.truth->nonoccluded) &&
         SamePixels(a.truth->objects, b.truth->objects);
}

// The right image at x_right, between two pixels in proportion.
inline double Interpolated(const HostImage<std::uint8_t>& image, double x, int y) {
  const int left = std::max(0, std::min(static_cast<int>(std::floor(x)), image.width() - 2));
  if (image.width() == 1) return image(0, y);
  const double t = x - left;
  return (1 - t) * image(left, y) + t * image(left + 1, y);
}

}  // namespace parallax::test
