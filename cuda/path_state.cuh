// One step along a path (Hirschmueller 2008, eq. 13), the path's costs in the registers of a warp.
#pragma once

#include "cuda/warp_costs.cuh"

namespace parallax::cuda {

inline constexpr std::uint32_t kPaddingCost = 0x2000;  // above census_bits + P2, so that padding never wins

// What a lane needs to find the neighbours of its first and last word: selectors for __byte_perm that put
// 0xFFFF where d - 1 or d + 1 does not exist.
struct LaneEnds {
  std::uint32_t first, last;
  int lane_before, lane_after;
  __device__ __forceinline__ explicit LaneEnds(int lane)
      : first(lane == 0 ? 0x1044U : 0x3210U),
        last(lane == kWarpSize - 1 ? 0x4432U : 0x3210U),
        lane_before((lane + 31) & 31),
        lane_after((lane + 1) & 31) {}
};

template <int K>
struct PathState {
  std::uint32_t path[K];
  std::uint32_t lowest;  // in both halves

  // A path begins: its first costs are the matching costs.
  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] = 0;
    lowest = 0;
  }

  // p1, p2_minus_p1: in both halves. kShort orders the operations so that as few as possible wait for
  // `lowest`, the last value of the step before to be known, at the price of one more operation a word.
  // meanwhile(): independent work, placed where the step waits for its neighbours.
  struct Nothing {
    __device__ __forceinline__ void operator()() const {}
  };
  template <bool kShort, typename Meanwhile = Nothing>
  __device__ __forceinline__ void Step(const std::uint32_t (&cost)[K], std::uint32_t p1,
                                       std::uint32_t p2_minus_p1, const LaneEnds& ends,
                                       Meanwhile meanwhile = {}) {
    const std::uint32_t before =
        __byte_perm(__shfl_sync(kFullWarp, path[K - 1], ends.lane_before), 0xFFFFFFFFU, ends.first);
    const std::uint32_t after =
        __byte_perm(__shfl_sync(kFullWarp, path[0], ends.lane_after), 0xFFFFFFFFU, ends.last);
    meanwhile();
    std::uint32_t next[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t minus = j == 0 ? before : path[j - 1];
      const std::uint32_t plus = j == K - 1 ? after : path[j + 1];
      std::uint32_t best;
      if constexpr (kShort) {
        // 0xFFFF + p1 would wrap where neither neighbour exists; 0x8000 is above every path cost.
        const std::uint32_t beside = __vimin3_u16x2(minus, plus, 0x80008000U);
        best = __vminu2(__viaddmin_u16x2(beside, p1, path[j]), lowest + p2_minus_p1 + p1);
      } else {
        best = __viaddmin_u16x2(__vimin3_u16x2(minus, plus, lowest + p2_minus_p1), p1, path[j]);
      }
      next[j] = best + cost[j] - lowest;  // no carry between the halves: best >= lowest in both
    }
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] = next[j];
    FindLowest();
  }

  __device__ __forceinline__ void FindLowest() {
    std::uint32_t least = path[0];
#pragma unroll
    for (int j = 1; j < K; ++j) least = __vminu2(least, path[j]);
    lowest = __reduce_min_sync(kFullWarp, __vminu2(least, __byte_perm(least, 0, 0x1032)));
  }
};

// The same step of two paths. Written side by side, since a warp waits at a shuffle or a reduction that the
// compiler will not move: the second path's then fill the first one's wait.
template <int K>
__device__ __forceinline__ void StepTwo(PathState<K> (&states)[2], const std::uint32_t (&cost)[2][K],
                                        std::uint32_t p1, const std::uint32_t (&p2_minus_p1)[2],
                                        const LaneEnds& ends) {
  std::uint32_t before[2], after[2], least[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    before[i] = __shfl_sync(kFullWarp, states[i].path[K - 1], ends.lane_before);
    after[i] = __shfl_sync(kFullWarp, states[i].path[0], ends.lane_after);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    before[i] = __byte_perm(before[i], 0xFFFFFFFFU, ends.first);
    after[i] = __byte_perm(after[i], 0xFFFFFFFFU, ends.last);
    const std::uint32_t jump = states[i].lowest + p2_minus_p1[i];
    std::uint32_t next[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t minus = j == 0 ? before[i] : states[i].path[j - 1];
      const std::uint32_t plus = j == K - 1 ? after[i] : states[i].path[j + 1];
      const std::uint32_t best = __viaddmin_u16x2(__vimin3_u16x2(minus, plus, jump), p1, states[i].path[j]);
      next[j] = best + cost[i][j] - states[i].lowest;
      least[i] = j == 0 ? next[0] : __vminu2(least[i], next[j]);
    }
#pragma unroll
    for (int j = 0; j < K; ++j) states[i].path[j] = next[j];
    least[i] = __vminu2(least[i], __byte_perm(least[i], 0, 0x1032));
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) states[i].lowest = __reduce_min_sync(kFullWarp, least[i]);
}

}  // namespace parallax::cuda
