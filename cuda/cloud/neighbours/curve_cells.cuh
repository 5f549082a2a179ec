// Finds the cells of the curve from coordinates. Cells are cubes, so points that are near in space are near
// on the curve in every direction. The middle three quarters of the grid are the cube of the extent; points
// outside, up to infinity, share the rest.
#pragma once

#include <cstdint>

#include "cuda/cloud/neighbours/neighbour_tree.h"

namespace parallax::cuda {

inline constexpr float kFirstPart = 0.125f, kMiddleParts = 0.75f;  // of the grid

// beyond >= 0: the distance from the extent, in edges of its cube.
__device__ inline float PartBelow(float beyond) { return kFirstPart / (1.0f + beyond); }
__device__ inline float PartAbove(float beyond) { return 1.0f - kFirstPart / (1.0f + beyond); }

__device__ inline std::uint32_t CellOf(float part) {
  return min(__float2uint_rd(part * static_cast<float>(1 << kCurveBits)),
             (1u << kCurveBits) - 1);  // NaN goes to 0
}

// Cells of equal size.
struct EvenCells {
  float low[3], scale;

  __device__ EvenCells(const float (&low_)[3], const float (&high)[3]) : low{low_[0], low_[1], low_[2]} {
    const float size = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    scale = size > 0 ? 1.0f / size : 1.0f;
  }
  __device__ float Part(int axis, float value) const {
    const float at = (value - low[axis]) * scale;
    return at < 0 ? PartBelow(-at) : at > 1 ? 1.0f - kFirstPart / at : kFirstPart + kMiddleParts * at;
  }
};

// Cells from the sample, smaller where the cloud is denser (curve_extent.cu).
__device__ inline float PartBySteps(const CloudExtent& extent, float scale, int axis, float value) {
  const float* const samples = extent.samples[axis];
  const float* const places = extent.places[axis];
  int low = -1, high = static_cast<int>(extent.num_steps);  // samples[low] <= value < samples[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (samples[middle] <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  if (low < 0) return PartBelow((samples[0] - value) * scale);
  if (high == static_cast<int>(extent.num_steps)) return PartAbove((value - samples[low]) * scale);
  const float part = fminf((value - samples[low]) / (samples[high] - samples[low]), 1.0f);
  return places[low] + part * (places[high] - places[low]);
}

}  // namespace parallax::cuda
