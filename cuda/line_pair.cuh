// Two paths side by side, stepped by one warp (Hirschmueller 2008, eq. 13): word j of lane l holds the path
// costs of disparity l K + j of the first path (low half) and of the second (high half). The neighbours d - 1
// and d + 1 are the words beside it, and one instruction works on both paths.
#pragma once

#include "cuda/lane_costs.cuh"

namespace parallax::cuda {

__device__ __forceinline__ std::uint32_t Permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  std::uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

// What all steps of a lane share.
struct StepConstants {
  std::uint32_t p1;  // in both halves
  std::uint32_t first,
      last;           // 0x8000 in both halves where d - 1, d + 1 of the lane's ends does not exist, else 0
  std::uint32_t one;  // 1, which the compiler must not know
  __device__ __forceinline__ StepConstants(int lane, std::uint32_t p1_of_both, std::uint32_t one_given)
      : p1(p1_of_both),
        first(lane == 0 ? 0x80008000U : 0U),
        last(lane == kWarpSize - 1 ? 0x80008000U : 0U),
        one(one_given) {}
  // a + b, done by the units that multiply: those that find minima have enough to do.
  __device__ __forceinline__ std::uint32_t Add(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t sum;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
    return sum;
  }
};

template <int K>
struct LinePair {
  // Path costs, above the true ones by `offset`: a step leaves out the subtraction of the lowest cost of the
  // last pixel, which only Pack and Normalize make good. They stay below 0x8000 for far more steps than lie
  // between two calls of Normalize.
  std::uint32_t path[K];
  std::uint32_t lowest;  // of path, in each half
  std::uint32_t offset;  // in each half

  // Paths begin: their first costs are the matching costs.
  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] = 0;
    lowest = offset = 0;
  }
  // Only the paths in whose half mask has ones go on; the others begin with the next pixel.
  __device__ __forceinline__ void Keep(std::uint32_t mask) {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] &= mask;
    lowest &= mask;
    offset &= mask;
  }
  __device__ __forceinline__ void Normalize() {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] -= offset;
    lowest -= offset;
    offset = 0;
  }
  __device__ __forceinline__ void FindLowest() {
    std::uint32_t least = path[0];
#pragma unroll
    for (int j = 1; j + 1 < K; j += 2) least = __vimin3_u16x2(least, path[j], path[j + 1]);
    if constexpr (K % 2 == 0) least = __vminu2(least, path[K - 1]);
    // The lowest word has the lowest high half; the low halves take their turn as high ones.
    const std::uint32_t high = __reduce_min_sync(kFullWarp, least);
    const std::uint32_t low = __reduce_min_sync(kFullWarp, least << 16);
    lowest = Permute(low, high, 0x7632);
  }
  // p2_minus_p1: in each half.
  __device__ __forceinline__ void Step(const std::uint32_t (&cost)[K], std::uint32_t p2_minus_p1,
                                       const StepConstants& c) {
    const std::uint32_t before = Before(c), after = After(c);
    Advance(before, after, cost, p2_minus_p1, c);
    FindLowest();
  }
  __device__ __forceinline__ std::uint32_t Before(const StepConstants& c) const {
    return c.Add(__shfl_up_sync(kFullWarp, path[K - 1], 1), c.first);
  }
  __device__ __forceinline__ std::uint32_t After(const StepConstants& c) const {
    return c.Add(__shfl_down_sync(kFullWarp, path[0], 1), c.last);
  }
  __device__ __forceinline__ void Advance(std::uint32_t before, std::uint32_t after,
                                          const std::uint32_t (&cost)[K], std::uint32_t p2_minus_p1,
                                          const StepConstants& c) {
    const std::uint32_t jump = c.Add(lowest, p2_minus_p1);
    std::uint32_t minus = before;
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t here = path[j], plus = j + 1 < K ? path[j + 1] : after;
      const std::uint32_t best = __viaddmin_u16x2(__vimin3_u16x2(minus, plus, jump), c.p1, here);
      path[j] = c.Add(best, cost[j]);
      minus = here;
    }
    offset = lowest;
  }

  // The true costs as they lie in memory; 8 bits: all at most 255.
  template <typename T>
  __device__ __forceinline__ void Pack(LaneValues<K, T>& first, LaneValues<K, T>& second) const {
    if constexpr (sizeof(T) == 1) {
      std::uint32_t pairs[K / 2];  // bytes: two of the first path, two of the second
#pragma unroll
      for (int j = 0; j < K; j += 2) pairs[j / 2] = path[j + 1] * 256U + path[j] - offset * 257U;
      if constexpr (K == 2) {
        first.words[0] = pairs[0] & 0xFFFFU;
        second.words[0] = pairs[0] >> 16;
      } else {
#pragma unroll
        for (int i = 0; i < K / 4; ++i) {
          first.words[i] = Permute(pairs[2 * i], pairs[2 * i + 1], 0x5410);
          second.words[i] = Permute(pairs[2 * i], pairs[2 * i + 1], 0x7632);
        }
      }
    } else {
#pragma unroll
      for (int j = 0; j < K; j += 2) {
        const std::uint32_t even = path[j] - offset, odd = path[j + 1] - offset;
        first.words[j / 2] = Permute(even, odd, 0x5410);
        second.words[j / 2] = Permute(even, odd, 0x7632);
      }
    }
  }
  template <typename T>
  __device__ __forceinline__ void Unpack(const LaneValues<K, T>& first, const LaneValues<K, T>& second) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if constexpr (sizeof(T) == 1) {
        const std::uint32_t shift = 8U * (static_cast<std::uint32_t>(j) % 4U);
        path[j] = (first.words[j / 4] >> shift & 0xFFU) | (second.words[j / 4] >> shift & 0xFFU) << 16;
      } else {
        path[j] = Permute(first.words[j / 2], second.words[j / 2], j % 2 == 0 ? 0x5410 : 0x7632);
      }
    }
    offset = 0;
    FindLowest();
  }
};

// The same step of two pairs of paths. Written side by side, since a warp waits at a shuffle or a reduction
// that the compiler will not move: those of the second pair fill the first one's wait.
template <int K>
__device__ __forceinline__ void StepBoth(LinePair<K>& a, const std::uint32_t (&cost_a)[K],
                                         std::uint32_t jump_a, LinePair<K>& b,
                                         const std::uint32_t (&cost_b)[K], std::uint32_t jump_b,
                                         const StepConstants& c) {
  const std::uint32_t before_a = a.Before(c), after_a = a.After(c), before_b = b.Before(c),
                      after_b = b.After(c);
  a.Advance(before_a, after_a, cost_a, jump_a, c);
  b.Advance(before_b, after_b, cost_b, jump_b, c);
  a.FindLowest();
  b.FindLowest();
}

// Matching costs (below 128) of both pixels as words. The selector takes byte j of both operands, above each
// its top bit eight times over.
template <int K>
__device__ __forceinline__ void CostWords(const LaneValues<K, std::uint8_t>& first,
                                          const LaneValues<K, std::uint8_t>& second,
                                          std::uint32_t (&cost)[K]) {
#pragma unroll
  for (int j = 0; j < K; ++j)
    cost[j] = Permute(first.words[j / 4], second.words[j / 4],
                      0xC480U + 0x1111U * (static_cast<std::uint32_t>(j) % 4U));
}

}  // namespace parallax::cuda
