// Small colour images for tests of AD-Census, written down as gray values.
#pragma once

#include <cstdint>
#include <vector>

#include "parallax/image.h"

namespace parallax::reference::ad_census {

inline HostImage<Rgb8> Gray(int width, const std::vector<int>& values) {
  HostImage<Rgb8> image(width, static_cast<int>(values.size()) / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t v = static_cast<std::uint8_t>(values[i]);
    image(static_cast<int>(i) % width, static_cast<int>(i) / width) = {v, v, v};
  }
  return image;
}

}  // namespace parallax::reference::ad_census
