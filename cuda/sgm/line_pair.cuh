// Two paths side by side, stepped by one warp (Hirschmueller 2008, eq. 13): word j of lane l holds the path
// costs of disparity l K + j of the first path (low half) and of the second (high half). The neighbours d - 1
// and d + 1 are the adjacent words, and one instruction works on both paths.
#pragma once

#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {

__device__ __forceinline__ std::uint32_t Permute(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  std::uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
  return result;
}

// What all steps of a lane share.
struct StepConstants {
  std::uint32_t p1;     // in both halves: P1, or that of the cheaper of the two steps
  std::uint32_t extra;  // in both halves: by how much the other step is dearer
  std::uint32_t first,
      last;            // 0x8000 in both halves if d - 1, d + 1 of the lane's ends does not exist, else 0
  std::uint32_t idle;  // all ones in lanes without values, else 0
  std::uint32_t one;   // 1, which must stay unknown to the compiler
  // extra_given: in both halves.
  __device__ __forceinline__ StepConstants(int lane, int num_lanes, std::uint32_t p1_given,
                                           std::uint32_t extra_given, std::uint32_t one_given)
      : p1(InBothHalves(p1_given)),
        extra(extra_given),
        first(lane == 0 ? 0x80008000U : 0U),
        last(lane == num_lanes - 1 ? 0x80008000U : 0U),
        idle(lane >= num_lanes ? 0xFFFFFFFFU : 0U),
        one(one_given) {}
  __device__ __forceinline__ std::uint32_t Add(std::uint32_t a, std::uint32_t b) const {
    return MultiplyAdd(a, one, b);
  }
};

enum class Neighbour { kNone, kBefore, kAfter };

// Stored path costs of one pixel of both lines. 8 bits (all costs at most 255): a word holds two neighbouring
// disparities of the first line and, in the high half, of the second. 16 bits: as in LinePair.
template <int K, typename T>
struct PairCosts {
  static constexpr int kWords = sizeof(T) == 1 ? K / 2 : K;
  static constexpr int kBytes = 4 * kWords;  // of a lane
  std::uint32_t words[kWords];
  std::uint32_t offset;  // these exceed the true costs by this much
};

// kLanes: the number of lanes that hold values.
template <int K, int kLanes>
struct LinePair {
  // Path costs, larger than the true ones by `offset`: a step leaves out the subtraction of the last pixel's
  // lowest cost, which only Normalize and AddUp make up for. They stay below 0x8000 for far more steps than
  // lie between two calls of Normalize.
  std::uint32_t path[K];
  std::uint32_t without_cost[K];  // the same minus the pixel's matching costs
  std::uint32_t lowest;           // of path, in each half
  std::uint32_t offset;           // in each half

  // Paths begin: their first costs are the matching costs.
  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] = 0;
    lowest = offset = 0;
  }
  // Only the paths whose half of `mask` has ones continue; the others begin with the next pixel.
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
  // A step has three parts, so a caller can interleave those of two pairs: a warp waits at a shuffle or a
  // reduction, which the compiler does not move. kDearer: the neighbour whose step costs c.extra more.
  struct Neighbours {
    std::uint32_t before, after;
  };
  // The last lane with values gets its own.
  static __device__ __forceinline__ std::uint32_t OfNextLane(std::uint32_t value) {
    if constexpr (kLanes == kWarpSize) return __shfl_down_sync(kFullWarp, value, 1);
    std::uint32_t next;
    asm volatile("shfl.sync.down.b32 %0, %1, 1, %2, 0xFFFFFFFF;" : "=r"(next) : "r"(value), "n"(kLanes - 1));
    return next;
  }
  template <Neighbour kDearer>
  __device__ __forceinline__ Neighbours Look(const StepConstants& c) const {
    return {c.Add(__shfl_up_sync(kFullWarp, path[K - 1], 1),
                  kDearer == Neighbour::kBefore ? c.first + c.extra : c.first),
            c.Add(OfNextLane(path[0]), kDearer == Neighbour::kAfter ? c.last + c.extra : c.last)};
  }
  // jump: P2 - c.p1 in each half. Returns the input of FindLowest.
  template <Neighbour kDearer>
  __device__ __forceinline__ std::uint32_t Advance(const Neighbours& neighbours,
                                                   const std::uint32_t (&cost)[K], std::uint32_t jump,
                                                   const StepConstants& c) {
    const std::uint32_t from_any = c.Add(lowest, jump);
    offset = lowest;
    std::uint32_t minus = neighbours.before;
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t here = path[j];
      std::uint32_t plus = j + 1 < K ? path[j + 1] : neighbours.after;
      if (kDearer == Neighbour::kAfter && j + 1 < K) plus += c.extra;
      without_cost[j] = __viaddmin_u16x2(__vimin3_u16x2(minus, plus, from_any), c.p1, here);
      path[j] = c.Add(without_cost[j], cost[j]);
      minus = kDearer == Neighbour::kBefore && j + 1 < K ? here + c.extra : here;
    }
    return LeastWord(path);
  }
  static __device__ __forceinline__ std::uint32_t LeastWord(const std::uint32_t (&costs)[K]) {
    std::uint32_t least = costs[0];
#pragma unroll
    for (int j = 1; j + 1 < K; j += 2) least = __vimin3_u16x2(least, costs[j], costs[j + 1]);
    return __vminu2(least, costs[K - 1]);
  }
  __device__ __forceinline__ void FindLowest(std::uint32_t least, const StepConstants& c) {
    if constexpr (kLanes < kWarpSize) least |= c.idle;
    // The lowest word has the lowest high half; for the low halves, they are swapped into the high ones.
    const std::uint32_t high = WarpMin(least);
    const std::uint32_t low = WarpMin(least << 16);
    lowest = Permute(low, high, 0x7632);
  }
  template <Neighbour kDearer>
  __device__ __forceinline__ void Step(const std::uint32_t (&cost)[K], std::uint32_t jump,
                                       const StepConstants& c) {
    FindLowest(Advance<kDearer>(Look<kDearer>(c), cost, jump, c), c);
  }

  // Saves the path costs as the volume's type holds them: with or without the pixel's matching costs.
  template <typename T>
  __device__ __forceinline__ void Save(PairCosts<K, T>& to) const {
    constexpr bool kLater = K <= 4;  // AddUp takes the offset off; with more values registers are short
    Pack(std::is_same_v<T, NoCostByte> ? without_cost : path, kLater ? 0U : offset, to);
    to.offset = kLater ? offset : 0U;
  }
  // The costs minus the lowest of each path, so RestoreNormalized need not find it.
  template <typename T>
  __device__ __forceinline__ void SaveNormalized(PairCosts<K, T>& to) const {
    Pack(path, lowest, to);
  }
  template <typename T>
  static __device__ __forceinline__ void Pack(const std::uint32_t (&costs)[K], std::uint32_t above,
                                              PairCosts<K, T>& to) {
#pragma unroll
    for (int i = 0; i < PairCosts<K, T>::kWords; ++i) {
      to.words[i] = sizeof(T) == 1 ? costs[2 * i + 1] * 256U + costs[2 * i] - above * 257U : costs[i] - above;
    }
  }
  template <typename T>
  __device__ __forceinline__ void RestoreNormalized(const PairCosts<K, T>& from) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if constexpr (sizeof(T) == 1) {
        path[j] = j % 2 == 0 ? from.words[j / 2] & 0x00FF00FFU : Permute(from.words[j / 2], 0, 0x4341);
      } else {
        path[j] = from.words[j];
      }
    }
    lowest = offset = 0;
  }
};

// The true costs of both paths through a pixel, added up, in the layout of memory.
template <int K, typename T>
__device__ __forceinline__ void AddUp(const PairCosts<K, T>& a, const PairCosts<K, T>& b,
                                      LaneValues<K, T>& first, LaneValues<K, T>& second) {
  std::uint32_t sums[PairCosts<K, T>::kWords];
  const std::uint32_t less = (a.offset + b.offset) * (sizeof(T) == 1 ? 0U - 257U : 0U - 1U);
#pragma unroll
  for (int i = 0; i < PairCosts<K, T>::kWords; ++i) sums[i] = a.words[i] + b.words[i] + less;
  if constexpr (sizeof(T) == 1 && K == 2) {
    first.words[0] = sums[0] & 0xFFFFU;
    second.words[0] = sums[0] >> 16;
  } else {
#pragma unroll
    for (int i = 0; i < PairCosts<K, T>::kWords / 2; ++i) {
      first.words[i] = Permute(sums[2 * i], sums[2 * i + 1], 0x5410);
      second.words[i] = Permute(sums[2 * i], sums[2 * i + 1], 0x7632);
    }
  }
}

// Matching costs (below 128) of both pixels as words. The selector takes byte j of both operands and fills
// the byte above it with its top bit.
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
