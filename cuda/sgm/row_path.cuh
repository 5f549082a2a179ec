// One path of a row, stepped by one warp (Hirschmueller 2008, eq. 13). A row is a long chain of steps and
// there are few rows, so a warp has only one path, and a word holds two of its disparities.
#pragma once

#include "cuda/sgm/aggregation_arguments.cuh"
#include "cuda/sgm/line_pair.cuh"

namespace parallax::cuda {

// What all steps of a lane share.
struct RowConstants {
  std::uint32_t p1, jump;  // P1, and P2 - P1 if it is constant; in both halves
  // Selectors that combine the words of d - 1 at a lane's beginning and of d + 1 at its end: the high half of
  // one word and the low half of the next. If there is no such disparity they take the neighbour on the other
  // side twice, which changes no minimum.
  static constexpr std::uint32_t kJoin = 0x5432;
  std::uint32_t before, after;
  std::uint32_t idle;  // all ones in lanes without values, else 0
  std::uint32_t one;   // 1, which must stay unknown to the compiler
  __device__ __forceinline__ RowConstants(int lane, int num_lanes, int values_per_lane,
                                          const AggregationArguments& a)
      : p1(InBothHalves(a.p1)),
        jump(InBothHalves(a.p2 - a.p1)),
        before(lane > 0 ? kJoin : (values_per_lane == 2 ? 0x5476U : 0x5454U)),
        after(lane + 1 < num_lanes ? kJoin : (values_per_lane == 2 ? 0x1032U : 0x3232U)),
        idle(lane >= num_lanes ? 0xFFFFFFFFU : 0U),
        one(a.one) {}
  __device__ __forceinline__ std::uint32_t Add(std::uint32_t a, std::uint32_t b) const {
    return MultiplyAdd(a, one, b);
  }
};

// Lane l holds the disparities l K .. l K + K - 1, of each four d .. d + 3 one word for d and d + 2 and the
// next one for d + 1 and d + 3; with K = 2 one word for both.
// kLanes: that hold values.
template <int K, int kLanes>
struct RowPath {
  static constexpr int kWords = K / 2;
  std::uint32_t path[kWords];          // larger than the true costs by `offset`, as in LinePair
  std::uint32_t without_cost[kWords];  // the same minus the pixel's matching costs
  std::uint32_t lowest, offset;        // in each half

  // The path begins: its first costs are the matching costs.
  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < kWords; ++j) path[j] = 0;
    lowest = offset = 0;
  }
  __device__ __forceinline__ void Normalize() {
#pragma unroll
    for (int j = 0; j < kWords; ++j) path[j] -= offset;
    lowest -= offset;
    offset = 0;
  }
  // The three parts of a step, as in LinePair.
  struct Neighbours {
    std::uint32_t before, after;
  };
  __device__ __forceinline__ Neighbours Look() const {
    return {__shfl_up_sync(kFullWarp, path[kWords - 1], 1), __shfl_down_sync(kFullWarp, path[0], 1)};
  }
  // jump: P2 - P1 in both halves.
  __device__ __forceinline__ std::uint32_t Advance(const Neighbours& neighbours,
                                                   const std::uint32_t (&cost)[kWords], std::uint32_t jump,
                                                   const RowConstants& c) {
    std::uint32_t next[kWords];
    const std::uint32_t from_any = c.Add(lowest, jump);
#pragma unroll
    for (int j = 0; j < kWords; ++j) {
      const std::uint32_t word_before = j == 0 ? neighbours.before : path[j - 1],
                          word_after = j + 1 < kWords ? path[j + 1] : neighbours.after;
      std::uint32_t minus, plus;
      if constexpr (kWords == 1) {
        minus = Permute(word_before, path[0], c.before);
        plus = Permute(path[0], word_after, c.after);
      } else {
        const std::uint32_t between = Permute(word_before, word_after,
                                              j == 0            ? c.before
                                              : j + 1 == kWords ? c.after
                                                                : c.kJoin);
        minus = j % 2 == 0 ? between : word_before;
        plus = j % 2 == 0 ? word_after : between;
      }
      without_cost[j] = __viaddmin_u16x2(__vimin3_u16x2(minus, plus, from_any), c.p1, path[j]);
      next[j] = c.Add(without_cost[j], cost[j]);
    }
    std::uint32_t least = next[0];
#pragma unroll
    for (int j = 0; j < kWords; ++j) {
      path[j] = next[j];
      least = __vminu2(least, next[j]);
    }
    offset = lowest;
    return least;
  }
  __device__ __forceinline__ void FindLowest(std::uint32_t least, const RowConstants& c) {
    if constexpr (kLanes < kWarpSize) least |= c.idle;
    lowest = WarpMin(__vminu2(least, __byte_perm(least, 0, 0x1032)));
  }

  // The path costs as the volume's type holds them, with or without matching costs, in the layout of memory.
  template <typename T>
  __device__ __forceinline__ LaneValues<K, T> Packed() const {
    return Pack<T>(std::is_same_v<T, NoCostByte> ? without_cost : path, offset);
  }
  // The costs minus the lowest.
  template <typename T>
  __device__ __forceinline__ LaneValues<K, T> Normalized() const {
    return Pack<T>(path, lowest);
  }
  template <typename T>
  static __device__ __forceinline__ LaneValues<K, T> Pack(const std::uint32_t (&costs)[kWords],
                                                          std::uint32_t above) {
    LaneValues<K, T> packed;
    if constexpr (sizeof(T) == 1 && K == 2) {
      packed.words[0] = __byte_perm(costs[0] - above, 0, 0x4420);
    } else if constexpr (sizeof(T) == 1) {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) packed.words[j / 2] = costs[j + 1] * 256U + costs[j] - above * 257U;
    } else if constexpr (K == 2) {
      packed.words[0] = costs[0] - above;
    } else {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) {
        const std::uint32_t even = costs[j] - above, odd = costs[j + 1] - above;
        packed.words[j] = __byte_perm(even, odd, 0x5410);
        packed.words[j + 1] = __byte_perm(even, odd, 0x7632);
      }
    }
    return packed;
  }
  // Costs in memory as words.
  template <typename T>
  static __device__ __forceinline__ void Unpack(const LaneValues<K, T>& packed,
                                                std::uint32_t (&words)[kWords]) {
    if constexpr (sizeof(T) == 1 && K == 2) {
      words[0] = __byte_perm(packed.words[0], 0, 0x4140);
    } else if constexpr (sizeof(T) == 1) {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) {
        words[j] = packed.words[j / 2] & 0x00FF00FFU;
        words[j + 1] = __byte_perm(packed.words[j / 2], 0, 0x4341);
      }
    } else if constexpr (K == 2) {
      words[0] = packed.words[0];
    } else {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) {
        words[j] = __byte_perm(packed.words[j], packed.words[j + 1], 0x5410);
        words[j + 1] = __byte_perm(packed.words[j], packed.words[j + 1], 0x7632);
      }
    }
  }
  // Takes values back from Normalized().
  template <typename T>
  __device__ __forceinline__ void Restore(const LaneValues<K, T>& packed) {
    Unpack(packed, path);
    lowest = offset = 0;
  }
};

}  // namespace parallax::cuda
