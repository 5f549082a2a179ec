// aggregation of rows: one warp a row and direction. These are the longest lines and there are few of them,
// so what counts is how soon a step can follow the last: a word holds two disparities of one path, costs are
// copied ahead into shared memory a group of pixels at a time, and but the last two operations of a step wait
// for the last step's minimum.
//
// The two directions of a row start at its ends. In its first half each stores its path costs; in the other's
// half it adds its own to those it finds.
#include "cuda/aggregation_arguments.cuh"
#include "cuda/check.h"
#include "cuda/copy_async.cuh"
#include "cuda/dependent_launch.cuh"
#include "cuda/line_pair.cuh"
#include "cuda/progress.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

// Lane l holds the disparities l K .. l K + K - 1, of each four d .. d + 3 one word for d and d + 2 and the
// next one for d + 1 and d + 3; with K = 2 one word for both.
template <int K>
struct RowPath {
  static constexpr int kWords = K / 2;
  std::uint32_t path[kWords];    // above the true costs by `offset`, as in LinePair
  std::uint32_t lowest, offset;  // in each half

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
  // p2: in both halves.
  __device__ __forceinline__ void Step(const std::uint32_t (&cost)[kWords], std::uint32_t p2,
                                       const StepConstants& c) {
    const std::uint32_t before = c.Add(__shfl_up_sync(kFullWarp, path[kWords - 1], 1), c.first);
    const std::uint32_t after = c.Add(__shfl_down_sync(kFullWarp, path[0], 1), c.last);
    std::uint32_t next[kWords];
#pragma unroll
    for (int j = 0; j < kWords; ++j) {
      const std::uint32_t word_before = j == 0 ? before : path[j - 1],
                          word_after = j + 1 < kWords ? path[j + 1] : after;
      std::uint32_t minus, plus;
      if constexpr (kWords == 1) {
        minus = __byte_perm(word_before, path[0], 0x5432);
        plus = __byte_perm(path[0], word_after, 0x5432);
      } else {
        minus = j % 2 == 0 ? __byte_perm(word_before, word_after, 0x5432) : word_before;
        plus = j % 2 == 0 ? word_after : __byte_perm(word_before, word_after, 0x5432);
      }
      const std::uint32_t near = __viaddmin_u16x2(__vminu2(minus, plus), c.p1, path[j]);
      next[j] = c.Add(__viaddmin_u16x2(lowest, p2, near), cost[j]);
    }
    std::uint32_t least = next[0];
#pragma unroll
    for (int j = 0; j < kWords; ++j) {
      path[j] = next[j];
      least = __vminu2(least, next[j]);
    }
    offset = lowest;
    lowest = __reduce_min_sync(kFullWarp, __vminu2(least, __byte_perm(least, 0, 0x1032)));
  }
  // The true costs as they lie in memory.
  template <typename T>
  __device__ __forceinline__ LaneValues<K, T> Packed() const {
    LaneValues<K, T> packed;
    if constexpr (sizeof(T) == 1 && K == 2) {
      packed.words[0] = __byte_perm(path[0] - offset, 0, 0x4420);
    } else if constexpr (sizeof(T) == 1) {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) packed.words[j / 2] = path[j + 1] * 256U + path[j] - offset * 257U;
    } else if constexpr (K == 2) {
      packed.words[0] = path[0] - offset;
    } else {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) {
        const std::uint32_t even = path[j] - offset, odd = path[j + 1] - offset;
        packed.words[j] = __byte_perm(even, odd, 0x5410);
        packed.words[j + 1] = __byte_perm(even, odd, 0x7632);
      }
    }
    return packed;
  }
};

template <int K, typename T, bool kAdaptive, int kDx>
struct RowWalk {
  static constexpr int kGroup = K <= 8 ? 8 : K == 16 ? 4 : 2;  // pixels copied at once
  static constexpr int kRing =
      sizeof(T) == 1 ? 4 : 3;  // groups in shared memory, all but one may be on their way
  static constexpr int kPixelBytes = 32 * K, kSumBytes = kPixelBytes * static_cast<int>(sizeof(T));
  static constexpr int kWords = K / 2;
  using CostValues = LaneValues<K, std::uint8_t>;
  using SumValues = LaneValues<K, T>;
  struct Shared {
    std::uint8_t costs[kRing][kGroup * kPixelBytes], others[kRing][kGroup * kSumBytes];
  };

  const AggregationArguments& a;
  Shared& shared;
  const std::uint8_t *costs, *guide;  // of the row
  const std::uint16_t* p2;            // table, where it is adaptive
  std::uint8_t* sums;                 // of the row
  int lane;
  StepConstants constants;
  std::uint32_t constant_p2;
  std::uint32_t padding[kWords];
  RowPath<K> state;

  // Calls visit(i) for the group's pixels, in order.
  template <int kOrder, typename Visit>
  __device__ __forceinline__ void ForGroup(int g, const Visit& visit) const {
    if ((g + 1) * kGroup <= a.width) {
#pragma unroll
      for (int turn = 0; turn < kGroup; ++turn) visit(kOrder > 0 ? turn : kGroup - 1 - turn);
    } else {
#pragma unroll
      for (int turn = 0; turn < kGroup; ++turn) {
        const int i = kOrder > 0 ? turn : kGroup - 1 - turn;
        if (g * kGroup + i < a.width) visit(i);
      }
    }
  }
  // Of the row's pixels of group g, kBytes each.
  template <int kBytes>
  __device__ __forceinline__ void Copy(std::uint8_t* to, const std::uint8_t* of_row, int g) const {
    constexpr int kGroupBytes = kGroup * kBytes;
    const std::uint8_t* const from = of_row + static_cast<std::ptrdiff_t>(g) * kGroupBytes;
    const int end = min(a.width - g * kGroup, kGroup) * kBytes;
#pragma unroll
    for (int i = 0; i < kGroupBytes; i += 16 * kWarpSize) {
      const int place = i + lane * 16;
      if (place < end) CopyAsync(to + place, from + place);
    }
  }
  // Lane i: P2 of the step to pixel i of the group.
  __device__ __forceinline__ std::uint32_t JumpsOf(int g) const {
    if constexpr (!kAdaptive) return 0;
    const int x = min(g * kGroup + lane, a.width - 1), before = min(max(x - kDx, 0), a.width - 1);
    return Twice(
        p2[__usad(static_cast<std::uint32_t>(guide[x]), static_cast<std::uint32_t>(guide[before]), 0U)]);
  }
  __device__ __forceinline__ void StepTo(const CostValues& values, std::uint32_t jump) {
    std::uint32_t cost[kWords];
    if constexpr (K == 2) {
      cost[0] = __byte_perm(values.words[0], 0, 0x4140);
    } else {
#pragma unroll
      for (int j = 0; j < kWords; j += 2) {
        cost[j] = values.words[j / 2] & 0x00FF00FFU;
        cost[j + 1] = __byte_perm(values.words[j / 2], 0, 0x4341);
      }
    }
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int j = 0; j < kWords; ++j) cost[j] |= padding[j];
    }
    state.Step(cost, jump, constants);
  }

  // Groups begin .. end - 1 in the direction's order. kAdd: to the other direction's path costs.
  template <bool kAdd>
  __device__ __forceinline__ void Follow(int begin, int end) {
    const auto group = [&](int n) { return kDx > 0 ? begin + n : end - 1 - n; };
    const int count = end - begin;
    const auto copy = [&](int n) {
      if (n < count) {
        Copy<kPixelBytes>(shared.costs[n % kRing], costs, group(n));
        if constexpr (kAdd) Copy<kSumBytes>(shared.others[n % kRing], sums, group(n));
      }
      CommitCopies();
    };
    for (int n = 0; n < kRing - 1; ++n) copy(n);
    std::uint32_t next_jumps = count > 0 ? JumpsOf(group(0)) : 0;
#pragma unroll 1
    for (int n = 0; n < count; ++n) {
      const int g = group(n);
      WaitForCopies<kRing - 2>();  // also: all lanes have read the place that is copied to next
      copy(n + kRing - 1);
      const std::uint32_t jumps = next_jumps;
      if (kAdaptive && n + 1 < count) next_jumps = JumpsOf(group(n + 1));
      const std::uint8_t *const from = shared.costs[n % kRing], *const others = shared.others[n % kRing];
      std::uint8_t* const to = sums + static_cast<std::ptrdiff_t>(g) * (kGroup * kSumBytes);
      ForGroup<kDx>(g, [&](int i) {
        CostValues cost;
        cost.Load(from + i * kPixelBytes, lane);
        StepTo(cost, kAdaptive ? __shfl_sync(kFullWarp, jumps, i) : constant_p2);
        SumValues packed = state.template Packed<T>();
        if constexpr (kAdd) {
          SumValues other;
          other.Load(others + i * kSumBytes, lane);
#pragma unroll
          for (int j = 0; j < SumValues::kWords; ++j) packed.words[j] += other.words[j];
          packed.StoreOnce(to + i * kSumBytes, lane);
        } else {
          packed.StoreOnce(to + i * kSumBytes, lane);
        }
      });
      state.Normalize();
    }
    __syncwarp();
  }
};

template <int K, typename T, bool kAdaptive>
__global__ void __launch_bounds__(2 * kWarpSize, K <= 4 ? 16 : 1)
    AggregateRowsKernel(const AggregationArguments a) {
  __shared__ __align__(16) typename RowWalk<K, T, kAdaptive, 1>::Shared shared[2];
  __shared__ std::uint16_t p2[kAdaptive ? 256 : 1];
  const int lane = static_cast<int>(threadIdx.x), thread = static_cast<int>(threadIdx.y) * kWarpSize + lane;
  if constexpr (kAdaptive) {
    for (int i = thread; i < 256; i += 2 * kWarpSize) p2[i] = a.p2_table[i];
    __syncthreads();
  }
  LetNextKernelBegin();  // columns need no more than rows do
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  const auto follow = [&](auto dx) {
    using Walk = RowWalk<K, T, kAdaptive, dx()>;
    Walk walk{a,
              reinterpret_cast<typename Walk::Shared&>(shared[dx() > 0 ? 0 : 1]),
              a.costs + row * Walk::kPixelBytes,
              a.guide + row,
              p2,
              a.sums + row * Walk::kSumBytes,
              lane,
              StepConstants(lane, Twice(a.p1), a.one),
              Twice(a.p2)};
    if constexpr (sizeof(T) == 2) {
      const auto padding = [&](int i) { return lane * K + i >= a.num_disparities ? kPaddingCost : 0U; };
#pragma unroll
      for (int j = 0; j < Walk::kWords; ++j) {
        const int low = K == 2 ? 0 : j / 2 * 4 + j % 2;
        walk.padding[j] = padding(low) | padding(K == 2 ? 1 : low + 2) << 16;
      }
    }
    walk.state.Reset();
    const int groups = (a.width + Walk::kGroup - 1) / Walk::kGroup, half = groups / 2;
    dx() > 0 ? walk.template Follow<false>(0, half) : walk.template Follow<false>(half, groups);
    asm volatile("bar.sync 1, 64;" ::: "memory");  // both have stored their half
    dx() > 0 ? walk.template Follow<true>(half, groups) : walk.template Follow<true>(0, half);
  };
  if (threadIdx.y == 0) {
    follow(std::integral_constant<int, 1>{});
  } else {
    follow(std::integral_constant<int, -1>{});
  }
  if (a.bands_done != nullptr) {
    const int band = static_cast<int>(blockIdx.x) / kBandRows;
    RaiseBands(a.bands_done, band, band + 1, lane);
  }
}

}  // namespace

void AggregateRows(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                   const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                   std::uint8_t* checkpoints, std::uint8_t* sums, std::uint32_t* bands_done,
                   cudaStream_t stream) {
  if (layout.pairs_rows) {
    AggregateRowPairs(costs, guide, tables, p2_table, layout, checkpoints, sums, bands_done, stream);
    return;
  }
  const AggregationArguments a =
      MakeAggregationArguments(costs, guide, tables, p2_table, layout, checkpoints, sums, bands_done);
  const auto grid = static_cast<unsigned>(layout.height);
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    WithP2<T>(tables, [&](auto adaptive) {
      // Never early: rows would crowd on the multiprocessors that are free first.
      const auto kernel = AggregateRowsKernel<k(), T, adaptive()>;
      ShareMultiprocessors(kernel);
      kernel<<<grid, dim3(kWarpSize, 2), 0, stream>>>(a);
    });
  });
  CheckLaunch("AggregateRowsKernel");
}

}  // namespace parallax::cuda
