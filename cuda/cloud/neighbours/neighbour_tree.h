// The tree for neighbour searches: points in the order of a Hilbert curve, 8 for each leaf, 32 children for
// each node, implicit (the parent of node i is i / 32), one box for each node.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace parallax::cuda {

inline constexpr int kLeafPoints = 8;      // 128 bytes: one line of the cache
inline constexpr int kNodeChildren = 32;   // one for each lane
inline constexpr int kMostTreeLevels = 8;  // 2^31 points have 7
inline constexpr int kTreeBlockPoints = kLeafPoints * kNodeChildren;
inline constexpr std::uint32_t kNoPoint = 0xFFFFFFFFu;

// index is between the coordinates, so a squared distance and the index are in neighbouring registers.
struct alignas(16) TreePoint {
  float x, y;
  std::uint32_t index;
  float z;
};

// A box is two float4: low corner and the bits of the smallest point index inside; high corner. Empty: +inf,
// -inf and kNoPoint, also for a leaf of points that are not finite.
struct NeighbourTree {
  // Points in curve order, padded to whole blocks. index: in the caller's order. Points that are not finite
  // may be anywhere; the padding is at the end, with coordinates +inf and index kNoPoint.
  const TreePoint* points = nullptr;
  const float4* boxes = nullptr;
  std::int64_t first_node[kMostTreeLevels] = {};  // of each level; 0: leaves
  int top = 0;                                    // the level with a single node
  int num_points = 0;                             // without padding

#ifdef __CUDACC__
  __device__ const float4* ChildBoxes(int level, int node) const {
    return boxes + 2 * (first_node[level - 1] + static_cast<std::int64_t>(node) * kNodeChildren);
  }
#endif
};

inline constexpr int kCurveBits = 13;  // 2^13 cells of the curve along an axis
inline constexpr int kCurveSamples = 1024;

// The device's facts about a cloud. Starts as zero.
struct CloudExtent {
  float low[3], high[3];     // extent of nearly all points of a sample
  std::uint32_t num_finite;  // points
  // 0: the cells of the curve are equal cubes. Otherwise: ascending coordinates of the sample and their
  // places in the grid, 0 .. 1, for each axis.
  std::uint32_t num_steps;
  std::uint32_t blocks_done;  // 0 before and after the kernel that writes all this
  float samples[3][kCurveSamples], places[3][kCurveSamples];
};

#ifdef __CUDACC__
// Floats as integers with the same order.
__device__ inline std::uint32_t OrderedBits(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  return bits ^ (bits >> 31 != 0 ? 0xFFFFFFFFu : 0x80000000u);
}
__device__ inline float FromOrderedBits(std::uint32_t bits) {
  return __uint_as_float(bits ^ (bits >> 31 != 0 ? 0x80000000u : 0xFFFFFFFFu));
}
#endif

}  // namespace parallax::cuda
