// The layout of one frame's costs in device memory: [y][x][d] in the order of d, 16 bits per cell, D padded
// so that the lanes of a warp have equal numbers of words of two disparities each.
#pragma once

#include <cstddef>
#include <initializer_list>

namespace parallax::cuda::ad_census {

// Disparities of a warp whose lanes have one word each: a group.
inline constexpr int kGroup = 64;

struct CostShape {
  int width = 0, height = 0;  // px
  int num_disparities = 0;    // D
  int min_disparity = 0;
  // D rounded up to 1, 2, 3, 4, 6, 8, 12 or 16 groups. Cells beyond D have no meaning but must stay within
  // the range of costs: in the scanlines' packed sums larger numbers would carry into the disparities.
  int padded = 0;

  constexpr int num_groups() const { return padded / kGroup; }
  constexpr std::size_t num_pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  constexpr std::size_t num_cells() const { return num_pixels() * static_cast<std::size_t>(padded); }
};

constexpr int PaddedDisparities(int num_disparities) {
  for (const int groups : {1, 2, 3, 4, 6, 8, 12}) {
    if (num_disparities <= groups * kGroup) return groups * kGroup;
  }
  return 16 * kGroup;
}

}  // namespace parallax::cuda::ad_census
