// What the filters' tests draw at random: maps of surfaces such as no matcher gives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/cpu/filters/framed_map.h"
#include "tests/support/sweep_case.h"

namespace parallax::cpu {

// Surface 0: noise; 1: a slope; 2: a slope beside a step; 3: a plane that faces the camera. The value lies
// within num_disparities from lowest on.
struct RandomSurface {
  int surface = 0, width = 0, lowest = 0, num_disparities = 0;

  float At(int x, int y, float noise, test::SweepRandom& random) const {
    const float column = static_cast<float>(x), row = static_cast<float>(y);
    const float above = surface == 0   ? static_cast<float>(random.Between(0, num_disparities - 1))
                        : surface == 1 ? 0.25F * column + 0.3F * row + noise
                        : surface == 2 ? (x > width / 2 ? 5.0F : 60.0F - 0.2F * row) + noise
                                       : 7.5F;
    return static_cast<float>(lowest) + std::clamp(above, 0.0F, static_cast<float>(num_disparities - 1));
  }
};

// Of a FramedMap, in whole cache lines, so that what lies behind it is aligned as it is.
inline std::size_t FramedBytes(int width, int height) {
  return (FramedMap::SizeBytes(width, height) + 63) / 64 * 64;
}
inline void CopyInto(const HostImage<float>& from, const FramedMap& to) {
  for (int y = 0; y < from.height(); ++y) std::copy_n(from.Row(y), from.width(), to.Row(y));
}
inline void CopyInto(const FramedMap& from, HostImage<float>& to) {
  for (int y = 0; y < to.height(); ++y) std::copy_n(from.Row(y), to.width(), to.Row(y));
}

}  // namespace parallax::cpu
