// Computations of a whole warp: minima, and a sorted list of the best (up to 64), spread over its lanes.
#pragma once

#include "cuda/cloud/neighbours/neighbour_tree.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda {

// A candidate: a distance or its square, and an index, as one integer ordered first by the distance, then by
// the index.
using NeighbourKey = unsigned long long;
__device__ inline NeighbourKey MakeKey(float squared, std::uint32_t index) {
  return static_cast<NeighbourKey>(__float_as_uint(squared)) << 32 | index;
}
// The same of any float.
__device__ inline NeighbourKey MakeOrderedKey(float value, std::uint32_t index) {
  return static_cast<NeighbourKey>(OrderedBits(value)) << 32 | index;
}
__device__ inline float SquaredOf(NeighbourKey key) {
  return __uint_as_float(static_cast<std::uint32_t>(key >> 32));
}
__device__ inline float SquaredOf(float key) { return key; }

__device__ inline float WarpMin(float value) { return FromOrderedBits(WarpMin(OrderedBits(value))); }
__device__ inline float WarpMax(float value) { return FromOrderedBits(WarpMax(OrderedBits(value))); }

// The best candidates of one query, spread over the lanes of a warp: lane i % 32 holds entry i.
template <int kRows>
struct WarpList {
  NeighbourKey best[kRows];
  NeighbourKey worst;  // of k
  int lane, k;

  __device__ WarpList(int lane_, int k_) : lane(lane_), k(k_) {
    for (int i = 0; i < kRows; ++i) best[i] = MakeKey(__int_as_float(0x7F800000), kNoPoint);
    worst = best[0];
  }

  __device__ void Insert(NeighbourKey key) {
    NeighbourKey carried = 0;  // the entry that moves into lane 0 of the next row
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      NeighbourKey before = __shfl_up_sync(kFullWarp, best[i], 1);
      if (lane == 0) before = carried;
      carried = __shfl_sync(kFullWarp, best[i], 31);
      if (best[i] > key) best[i] = before > key ? before : key;
    }
    const int last = k - 1;
    NeighbourKey row = best[0];
#pragma unroll
    for (int i = 1; i < kRows; ++i) row = last / 32 == i ? best[i] : row;
    worst = __shfl_sync(kFullWarp, row, last % 32);
  }

  // Each lane gives one candidate, or a key that is not below worst.
  __device__ void Offer(NeighbourKey key) {
    unsigned wanted = __ballot_sync(kFullWarp, key < worst);
    while (wanted != 0) {
      const NeighbourKey one = __shfl_sync(kFullWarp, key, __ffs(static_cast<int>(wanted)) - 1);
      wanted &= wanted - 1;
      if (one < worst) Insert(one);
    }
  }
};

}  // namespace parallax::cuda
