// selection, and consistency where the caller wants no result between the two: one block a row, one warp a
// run of neighbouring pixels, taken one after the other from left to right. The warp adds up the path costs
// of a pixel (two disparities a word). Of the sums come
//   - the left winner and its rival (two reductions over the warp); lane i keeps what pixel i needs for the
//     sub-pixel step, which 32 lanes then do at once;
//   - the right winners: slot d holds the best key (sum, d) so far of the right pixel that sees this pixel
//   with
//     disparity d. From one pixel to the next all keys move up by one slot, so a right pixel's key meets each
//     of its disparities once and leaves at the last slot. Runs of keys are joined in shared memory by an
//     atomic minimum, which gives the same value in any order.
//
// The horizontal paths need not be read: where HorizontalPaths has left only every kCheckpoint-th pixel's
// path costs, the warp makes those between again, kCheckpoint pixels at a time: first to the left into shared
// memory, then to the right while it selects. That is cheaper than writing and reading two more volumes.
#include "cuda/check.h"
#include "cuda/consistency.cuh"
#include "cuda/row_paths.cuh"
#include "cuda/stages.h"
#include "cuda/warp_costs.cuh"
#include "pipeline/disparity_map.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda {
namespace {

constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;
constexpr int kWarps = 12;
// Layouts for which the horizontal paths can be made here, and is quicker than reading them: measured, on an
// H200.
template <int K, typename T, int kPaths>
constexpr bool kMakesRows = sizeof(T) == 1 && (K == 4 || (K == 2 && kPaths == 8));

struct Arguments {
  const std::uint8_t* path_costs;
  std::size_t path_bytes;
  int width, num_disparities, min_disparity;
  SelectionParameters parameters;
  std::uint16_t *winner_left, *winner_right;  // null where consistency is checked here
  float* disparity;
  std::uint8_t *validity, *confidence;
  int max_difference;         // of the consistency check; -1: not here
  const std::uint8_t* costs;  // where the horizontal paths are made here
  std::uint32_t p1, p2;
};

// Sums of 8-bit path costs stay below this, which stands where there is no disparity; of 16-bit ones below
// 65535.
template <typename T>
constexpr std::uint32_t kNoSum = sizeof(T) == 1 ? 0x2000U : 0xFFFFU;

// What lane i remembers of pixel i.
struct Winner {
  std::uint32_t key;            // lowest sum << 16 | its index d
  std::uint32_t rival;          // lowest sum not beside it, kNoSum or more where there is none
  std::uint32_t before, after;  // words that hold the sums at d - 1 and d + 1
};

template <int K, typename T, int kPaths>
__device__ __forceinline__ void AddPaths(const PackedLane<K, T> (&packed)[kPaths], std::uint32_t (&sum)[K]) {
#pragma unroll
  for (int j = 0; j < K; ++j) sum[j] = 0;
#pragma unroll
  for (int r = 0; r < kPaths; ++r) {
    std::uint32_t words[K];
    Unpack<K>(packed[r], words);
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] += words[j];  // stays below 65536 except in padding
  }
}

// Lowest sum that is not beside d, of those that the lane holds. places: the lane's disparities.
template <int K, typename T>
__device__ __forceinline__ std::uint32_t LaneRival(const std::uint32_t (&sum)[K],
                                                   const std::uint32_t (&places)[K], std::uint32_t d) {
  std::uint32_t least = kNoKey;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    if constexpr (sizeof(T) == 1) {
      // Both halves at once: n = min(d' - d + 1, 3) is 3 for those not beside d; the others rise by 0x4000 or
      // more.
      const std::uint32_t n = __viaddmin_u16x2(places[j], Twice((1U - d) & 0xFFFFU), 0x00030003U);
      least = __vminu2(least, sum[j] + 0xC000C000U - n * 0x4000U);
    } else {
      const bool low_near = (places[j] & 0xFFFFU) - d + 1U <= 2U,
                 high_near = (places[j] >> 16) - d + 1U <= 2U;
      least = __vminu2(least, sum[j] | (low_near ? 0xFFFFU : 0U) | (high_near ? 0xFFFF0000U : 0U));
    }
  }
  return min(least & 0xFFFFU, least >> 16);
}

// Index d's half of the word that holds it.
template <int K>
__device__ __forceinline__ std::uint32_t HalfOf(std::uint32_t word, std::uint32_t d) {
  return d >= 32U * K ? word >> 16 : word & 0xFFFFU;
}

template <int K, typename T>
__device__ __forceinline__ void StoreWinner(const Arguments& a, int pixel, const Winner& w) {
  const std::uint32_t best = w.key >> 16, d = w.key & 0xFFFFU;
  const bool has_rival = w.rival < kNoSum<T>;
  const bool unique = !has_rival || IsUnique(best, w.rival, a.parameters.uniqueness_percent);
  float disparity = static_cast<float>(a.min_disparity + static_cast<int>(d));
  if (d != 0 && static_cast<int>(d) + 1 != a.num_disparities) {
    disparity += SubpixelOffset(static_cast<int>(best), static_cast<int>(HalfOf<K>(w.before, d - 1U) - best),
                                static_cast<int>(HalfOf<K>(w.after, d + 1U) - best), a.parameters.subpixel);
  }
  a.validity[pixel] = unique ? kValid : kNotUnique;
  a.confidence[pixel] = has_rival ? Confidence(best, w.rival) : std::uint8_t{255};
  a.disparity[pixel] = unique ? disparity : __int_as_float(0x7FC00000);
}

// The keys of the right pixels that the warp is passing: slot d of the pixel that meets the current one with
// d.
template <int K, typename T>
struct RightKeys {
  std::uint32_t low[K], high[K];

  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < K; ++j) low[j] = high[j] = kNoKey;
  }
  // All keys move up one slot and meet a pixel's sums. Returns the lowest of the lane's keys of that pixel.
  __device__ __forceinline__ std::uint32_t Meet(const std::uint32_t (&sum)[K],
                                                const std::uint32_t (&places)[K], int lane) {
    const std::uint32_t low_last = __shfl_sync(kFullWarp, low[K - 1], (lane + 31) & 31);
    const std::uint32_t high_last = __shfl_sync(kFullWarp, high[K - 1], (lane + 31) & 31);
    const std::uint32_t low_carry = lane == 0 ? kNoKey : low_last,
                        high_carry = lane == 0 ? low_last : high_last;
    std::uint32_t least = kNoKey;
#pragma unroll
    for (int j = K - 1; j >= 0; --j) {
      const std::uint32_t low_key = __byte_perm(sum[j], places[j], 0x1054),
                          high_key = __byte_perm(sum[j], places[j], 0x3276);
      least = min(least, min(low_key, high_key));
      low[j] = min(low_key, j > 0 ? low[j - 1] : low_carry);
      high[j] = min(high_key, j > 0 ? high[j - 1] : high_carry);
    }
    return least;
  }
};

template <int K, typename T, int kPaths, bool kPadded, bool kRows>
__global__ void __launch_bounds__(kWarps* kWarpSize, K <= 2   ? 3
                                                     : K == 4 ? 2
                                                              : 1)
    SelectDisparitiesKernel(const Arguments a) {
  extern __shared__ uint4 shared[];
  __shared__ std::uint32_t sum_rows[kWarps][32 * K];
  using Rows = RowPaths<K, T, kPadded>;
  auto* const row_shared = reinterpret_cast<typename Rows::Shared*>(shared);
  // Of the row's right pixels; behind them what consistency needs.
  auto* const right_keys = reinterpret_cast<std::uint32_t*>(row_shared + (kRows ? kWarps : 0));
  constexpr int kVolumes = kRows ? kPaths - 2 : kPaths, kFirstVolume = kPaths - kVolumes;
  constexpr int kAhead = K <= 2 && !kRows ? 2 : 1;
  constexpr std::uint32_t kPixelBytes = 64 * K * sizeof(T);
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int thread = warp * kWarpSize + lane;
  const int row = static_cast<int>(blockIdx.x) * a.width;
  const bool check_here = a.max_difference >= 0;
  auto* const row_winners = reinterpret_cast<std::uint16_t*>(right_keys + a.width);
  for (int i = thread; i < a.width; i += kWarps * kWarpSize) right_keys[i] = kNoKey;
  __syncthreads();

  std::uint32_t places[K], padding[K];
#pragma unroll
  for (int j = 0; j < K; ++j) {
    places[j] = static_cast<std::uint32_t>(LowDisparity<K>(lane, j) | HighDisparity<K>(lane, j) << 16);
  }
  if constexpr (kPadded) FillPadding<K>(lane, a.num_disparities, kNoSum<T>, padding);
  const std::uint8_t* rows[kPaths];  // of all volumes; the horizontal ones come first
#pragma unroll
  for (int r = 0; r < kPaths; ++r) {
    rows[r] = a.path_costs + static_cast<std::size_t>(r) * a.path_bytes +
              static_cast<std::size_t>(row) * kPixelBytes;
  }
  const int run = ((a.width + kWarps - 1) / kWarps + kCheckpoint - 1) / kCheckpoint * kCheckpoint;
  const int x_begin = min(warp * run, a.width), x_end = min(x_begin + run, a.width);
  std::uint32_t* const sums = sum_rows[warp];
  const auto join = [&](int x_right, std::uint32_t key) {
    if (static_cast<unsigned>(x_right) < static_cast<unsigned>(a.width)) atomicMin(&right_keys[x_right], key);
  };
  RightKeys<K, T> keys;
  keys.Reset();
  PackedLane<K, T> packed[kAhead][kVolumes];
  const auto load = [&](int x, PackedLane<K, T>(&to)[kVolumes]) {
    const std::uint32_t offset = static_cast<std::uint32_t>(x) * kPixelBytes;
#pragma unroll
    for (int r = 0; r < kVolumes; ++r) to[r].LoadNow(rows[kFirstVolume + r] + offset, lane);
  };
  if (x_begin < x_end) {
#pragma unroll
    for (int u = 0; u < kAhead; ++u) load(min(x_begin + u, x_end - 1), packed[u]);
  }
  std::uint32_t row_padding[K];
  FillPadding<K>(lane, a.num_disparities, kPaddingCost, row_padding);
  Rows row_paths{kRows ? a.costs + static_cast<std::size_t>(row) * Rows::kCostBytes : nullptr,
                 rows[0],
                 rows[1],
                 row_shared + warp,
                 row_padding,
                 LaneEnds(lane),
                 lane,
                 a.width,
                 Twice(a.p1),
                 Twice(a.p2 - a.p1)};
  if (kRows && x_begin < x_end) row_paths.Begin(x_begin);
  for (int x_group = x_begin; x_group < x_end; x_group += kWarpSize) {
    const int count = min(kWarpSize, x_end - x_group);
    Winner mine{};
    for (int turn_group = 0; turn_group < count; turn_group += kAhead) {
#pragma unroll
      for (int u = 0; u < kAhead; ++u) {
        const int turn = turn_group + u, x = x_group + turn;
        if (kAhead > 1 && turn >= count) break;
        std::uint32_t sum[K];
        AddPaths<K, T, kVolumes>(packed[u], sum);
        load(min(x + kAhead, x_end - 1), packed[u]);
        if constexpr (kRows) {
          if (turn % kCheckpoint == 0) row_paths.BeginGroup(x, min(kCheckpoint, x_end - x));
          row_paths.Add(turn % kCheckpoint, sum);
        }
        if constexpr (kPadded) {
#pragma unroll
          for (int j = 0; j < K; ++j) sum[j] |= padding[j];
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j < K; ++j) sums[lane * K + j] = sum[j];
        const std::uint32_t key = __reduce_min_sync(kFullWarp, keys.Meet(sum, places, lane));
        // The right pixel that has met its last disparity.
        if (lane == kWarpSize - 1) join(x - a.min_disparity - (64 * K - 1), keys.high[K - 1]);
        const std::uint32_t d = key & 0xFFFFU;
        const std::uint32_t rival = __reduce_min_sync(kFullWarp, LaneRival<K, T>(sum, places, d));
        __syncwarp();
        const std::uint32_t before = sums[(d - 1U) & (32U * K - 1U)], after = sums[(d + 1U) & (32U * K - 1U)];
        mine = lane == turn ? Winner{key, rival, before, after} : mine;
      }
    }
    if (lane < count) {
      StoreWinner<K, T>(a, row + x_group + lane, mine);
      if (check_here) {
        row_winners[x_group + lane] = static_cast<std::uint16_t>(mine.key);
      } else {
        a.winner_left[row + x_group + lane] = static_cast<std::uint16_t>(mine.key);
      }
    }
  }
  // Right pixels that meet more disparities in the next run.
  if (x_begin < x_end) {
    const int x_last = x_end - 1 - a.min_disparity;
#pragma unroll
    for (int j = 0; j < K; ++j) {
      join(x_last - LowDisparity<K>(lane, j), keys.low[j]);
      join(x_last - HighDisparity<K>(lane, j), keys.high[j]);
    }
  }
  __syncthreads();
  const auto winner_right = [&](int x) -> int {
    return right_keys[x] < kNoSum<T> << 16 ? static_cast<int>(right_keys[x] & 0xFFFFU) : kNoWinner;
  };
  if (check_here) {
    CheckRow(
        {a.width, a.min_disparity, a.num_disparities, a.max_difference, a.disparity + row, a.validity + row,
         reinterpret_cast<std::uint8_t*>(row_winners + a.width)},
        thread, kWarps * kWarpSize, [&](int x) -> int { return row_winners[x]; }, winner_right);
  } else {
    for (int x = thread; x < a.width; x += kWarps * kWarpSize) {
      a.winner_right[row + x] = static_cast<std::uint16_t>(winner_right(x));
    }
  }
}

template <int K, typename T, int kPaths, bool kPadded, bool kRows>
void Launch(const Arguments& a, int height, cudaStream_t stream) {
  const std::size_t shared_bytes = static_cast<std::size_t>(a.width) * (a.max_difference >= 0 ? 7 : 4) +
                                   (kRows ? kWarps * sizeof(typename RowPaths<K, T, kPadded>::Shared) : 0);
  const auto kernel = SelectDisparitiesKernel<K, T, kPaths, kPadded, kRows>;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  kernel<<<static_cast<unsigned>(height), dim3(kWarpSize, kWarps), shared_bytes, stream>>>(a);
  CheckLaunch("SelectDisparitiesKernel");
}

template <int K, typename T, int kPaths>
void Launch(const Arguments& a, int height, cudaStream_t stream) {
  const bool padded = 64 * K != a.num_disparities;
  if constexpr (kMakesRows<K, T, kPaths>) {
    if (a.costs != nullptr) {
      return padded ? Launch<K, T, kPaths, true, true>(a, height, stream)
                    : Launch<K, T, kPaths, false, true>(a, height, stream);
    }
  }
  padded ? Launch<K, T, kPaths, true, false>(a, height, stream)
         : Launch<K, T, kPaths, false, false>(a, height, stream);
}

Arguments MakeArguments(const std::uint8_t* path_costs, const VolumeLayout& layout,
                        const SelectionParameters& parameters, const DeviceDisparityMap& map) {
  Arguments a{};
  a.path_costs = path_costs;
  a.path_bytes = layout.path_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.min_disparity = layout.min_disparity;
  a.parameters = parameters;
  a.disparity = map.disparity.data;
  a.validity = map.validity.data;
  a.confidence = map.confidence.data;
  a.max_difference = -1;
  return a;
}

void Launch(const Arguments& a, int num_paths, const VolumeLayout& layout, cudaStream_t stream) {
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    num_paths == 4 ? Launch<k(), T, 4>(a, layout.height, stream)
                   : Launch<k(), T, 8>(a, layout.height, stream);
  });
}

}  // namespace

void SelectDisparities(const std::uint8_t* path_costs, int num_paths, const VolumeLayout& layout,
                       const SelectionParameters& parameters, DeviceImageView<std::uint16_t> winner_left,
                       DeviceImageView<std::uint16_t> winner_right, const DeviceDisparityMap& selected,
                       cudaStream_t stream) {
  Arguments a = MakeArguments(path_costs, layout, parameters, selected);
  a.winner_left = winner_left.data;
  a.winner_right = winner_right.data;
  Launch(a, num_paths, layout, stream);
}

bool FitsSelectAndCheck(const VolumeLayout& layout) { return layout.width <= 16000; }

bool MakesRows(const VolumeLayout& layout, const MatchingTables& tables) {
  return layout.bytes_per_path_cost == 1 && !IsAdaptive(tables) &&
         (layout.words == 4 || (layout.words == 2 && tables.num_paths == 8));
}

void SelectAndCheck(const std::uint8_t* path_costs, const std::uint8_t* costs, const MatchingTables& tables,
                    const VolumeLayout& layout, const SelectionParameters& selection,
                    const ConsistencyParameters& consistency, const DeviceDisparityMap& map,
                    cudaStream_t stream) {
  Arguments a = MakeArguments(path_costs, layout, selection, map);
  a.max_difference = consistency.max_difference;
  a.costs = costs;
  a.p1 = tables.p1;
  a.p2 = tables.p2[0];
  Launch(a, tables.num_paths, layout, stream);
}

}  // namespace parallax::cuda
