// Copies of borrowed images, with dense rows.
#pragma once

#include <algorithm>
#include <variant>

#include "parallax/image.h"
#include "pipeline/types/frame.h"

namespace parallax {

template <typename T>
HostImage<T> CloneImage(const HostImageView<const T>& from) {
  HostImage<T> to(from.width, from.height);
  for (int y = 0; y < from.height; ++y) std::copy_n(from.Row(y), from.width, to.Row(y));
  return to;
}

inline CameraImage CloneImage(const CameraImageView& image) {
  return std::visit([](const auto& from) -> CameraImage { return CloneImage(from); }, image);
}

}  // namespace parallax
