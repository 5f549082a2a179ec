// Boxes of 32 points, 32 boxes to a group, and which of them a warp must search.
#pragma once

#include <cstdint>

#include "cuda/cloud/emd/emd_kernel.h"
#include "cuda/cloud/emd/emd_units.cuh"

namespace parallax::cuda {

inline constexpr int kBatch = 8;   // boxes whose loads are in flight together
inline constexpr int kGroups = 4;  // groups of 32 boxes that are examined together

// Several warps of a block may search for the same person or object, each in its share of the boxes. A power
// of two.
struct Team {
  int size = 1, part = 0;

  // The boxes of a group that belong to this warp, and whether a parent does.
  __device__ unsigned Boxes(bool flat) const {
    const int ways = flat ? size : min(size, 4);
    unsigned bits = 1u << (part % ways);
    for (int step = ways; step < 32; step *= 2) bits |= bits << step;
    return bits;
  }
  __device__ bool HasParent(int number) const { return size <= 4 || number % (size / 4) == part / 4; }
};

// Which boxes of up to kGroups groups to search, 32 bits for each group. Uniform over the warp.
struct BoxMask {
  unsigned long long low = 0, high = 0;  // groups 0, 1 and 2, 3

  __device__ void Set(int group, unsigned bits) {
    const unsigned long long shifted = static_cast<unsigned long long>(bits) << (group % 2 * 32);
    (group < 2 ? low : high) |= shifted;
  }
  __device__ void Keep(int group, unsigned bits) {
    const unsigned long long shifted = static_cast<unsigned long long>(~bits) << (group % 2 * 32);
    (group < 2 ? low : high) &= ~shifted;
  }
  __device__ bool IsEmpty() const { return (low | high) == 0; }
  // Takes a box: group * 32 + number in the group; -1 if none is left.
  __device__ int Take() {
    const bool from_low = low != 0;
    const int bit = __ffsll(static_cast<long long>(from_low ? low : high)) - 1;
    if (from_low) {
      low &= low - 1;
    } else {
      high &= high - 1;
    }
    return bit < 0 ? -1 : bit + (from_low ? 0 : 64);
  }
};

// Element number of values, which all lanes agree on.
__device__ inline int Select(const int (&values)[kGroups], int number) {
  return number < 2 ? (number == 0 ? values[0] : values[1]) : (number == 2 ? values[2] : values[3]);
}

// Calls look_over(group, parent_bound) for the groups of boxes that matter, kGroups at a time: for all groups
// if kFlat, else for those whose parents pass. Lanes 0, 1, ... get the number of the first, second, ...
// group (-1 = none) and the bound of its parent from parent_bounds (0 if kFlat).
template <bool kFlat, typename Passes, typename LookOver>
__device__ void ForGroups(const EmdPairOnDevice& pair, Team team, const int* parent_bounds, Passes passes,
                          LookOver look_over) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  if constexpr (kFlat) {
    for (int first = 0; first < pair.num_parents; first += kGroups) {
      look_over(first + lane < pair.num_parents ? first + lane : -1, 0);
    }
  } else {
    for (int first = 0; first < pair.num_parents; first += 32) {
      const int parent = first + lane;
      int bound = 0;
      bool enters = parent < pair.num_parents && team.HasParent(parent);
      if (enters) {
        bound = LoadShared(parent_bounds + parent);
        enters = passes(parent, bound);
      }
      unsigned parents = __ballot_sync(kFullWarp, enters);
      while (parents != 0) {
        int source = -1;
#pragma unroll
        for (int k = 0; k < kGroups; ++k) {
          if (lane == k) source = __ffs(parents) - 1;
          parents &= parents - 1;
        }
        const int of_group = __shfl_sync(kFullWarp, bound, max(source, 0));
        look_over(source < 0 || lane >= kGroups ? -1 : first + source, of_group);
      }
    }
  }
}

// For this lane's box of each of kGroups groups: its word of shared_bounds (or `none`) and its least cost.
__device__ inline void LookOverBoxes(const float4& p, int group, const float4* boxes, int num_boxes,
                                     const int* shared_bounds, int none, int (&bounds)[kGroups],
                                     int (&costs)[kGroups]) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int k = 0; k < kGroups; ++k) {
    const int of = __shfl_sync(kFullWarp, group, k), box = of * kEmdBox + lane;
    bounds[k] = none;
    costs[k] = kFarValue + 1;
    if (of >= 0 && box < num_boxes) {
      bounds[k] = LoadShared(shared_bounds + box);
      costs[k] = LeastCost(p, boxes + 2 * box);
    }
  }
}

// A box taken from a mask of the groups, and its bound as computed by the lane that examined it; -1 if none
// is left.
struct TakenBox {
  int box, bound;

  __device__ TakenBox(BoxMask& mask, int group, const int (&bounds)[kGroups]) {
    const int taken = mask.Take();
    const int of = __shfl_sync(kFullWarp, group, taken < 0 ? 0 : taken / kEmdBox);
    box = taken < 0 ? -1 : of * kEmdBox + taken % kEmdBox;
    bound = __shfl_sync(kFullWarp, Select(bounds, max(taken, 0) / kEmdBox), max(taken, 0) % kEmdBox);
  }
};

}  // namespace parallax::cuda
