// aggregation (Hirschmueller 2008, eq. 13): one warp follows one path through the image and keeps its costs
// in registers, two disparities a word. All directions run in one launch. A path cost volume of its own is
// written for each direction; selection adds them up.
//
// Horizontal paths are rows. Vertical ones are columns. Diagonal ones are columns too, that wrap at the
// image's side: there the path starts anew, so all paths of a direction are equally long.
#include <utility>

#include "cuda/check.h"
#include "cuda/stages.h"
#include "cuda/warp_costs.cuh"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kPrefetch = 4;                    // pixels whose costs are on their way
constexpr std::uint32_t kPaddingCost = 0x2000;  // above census_bits + P2, so that padding never wins

struct Direction {
  int dx, dy;
  int volume;  // place in path_costs, the order of the reference
};
// Horizontals first: they are the longest. Then those that go down, then those that go up, so that the paths
// in flight read the same rows.
__constant__ constexpr Direction kDirections[] = {{1, 0, 0},  {-1, 0, 1}, {0, 1, 2},   {1, 1, 4},
                                                  {-1, 1, 7}, {0, -1, 3}, {-1, -1, 5}, {1, -1, 6}};
__constant__ constexpr Direction kFourDirections[] = {{1, 0, 0}, {-1, 0, 1}, {0, 1, 2}, {0, -1, 3}};

struct Arguments {
  const std::uint8_t* costs;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* path_costs;
  std::size_t path_bytes;  // of one direction
  int width, height, num_disparities, num_paths;
  std::uint32_t p1, p2;  // p2: where it is constant
};

// A walk over the pixels of one path.
struct Walk {
  int x;
  int pixel;  // y * width + x
  int dx, step, width;

  // Moves on; true where the path starts anew (its predecessor is outside the image).
  __device__ __forceinline__ bool Advance() {
    x += dx;
    pixel += step;
    if (x == width) {
      x = 0;
      pixel -= width;
      return true;
    }
    if (x < 0) {
      x = width - 1;
      pixel += width;
      return true;
    }
    return false;
  }
};

// The costs of one path at one pixel, and how the next pixel's follow from them.
template <int K>
struct PathState {
  std::uint32_t path[K];
  std::uint32_t lowest;  // in both halves

  __device__ __forceinline__ void Reset() {
#pragma unroll
    for (int j = 0; j < K; ++j) path[j] = 0;
    lowest = 0;
  }

  // p1, p2_minus_p1: in both halves.
  __device__ __forceinline__ void Step(const std::uint32_t (&cost)[K], std::uint32_t p1,
                                       std::uint32_t p2_minus_p1, int lane, std::uint32_t first_selector,
                                       std::uint32_t last_selector) {
    // The words before the first and after the last; what does not exist is 0xFFFF.
    const std::uint32_t before =
        __byte_perm(__shfl_sync(kFullWarp, path[K - 1], (lane + 31) & 31), 0xFFFFFFFFU, first_selector);
    const std::uint32_t after =
        __byte_perm(__shfl_sync(kFullWarp, path[0], (lane + 1) & 31), 0xFFFFFFFFU, last_selector);
    const std::uint32_t jump = lowest + p2_minus_p1;
    std::uint32_t next[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t minus = j == 0 ? before : path[j - 1];
      const std::uint32_t plus = j == K - 1 ? after : path[j + 1];
      const std::uint32_t beside = __vimin3_u16x2(minus, plus, jump);
      const std::uint32_t best = __viaddmin_u16x2(beside, p1, path[j]);
      next[j] = best + cost[j] - lowest;  // no carry between the halves: best >= lowest in both
    }
    std::uint32_t least = next[0];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      path[j] = next[j];
      least = __vminu2(least, next[j]);
    }
    lowest = __reduce_min_sync(kFullWarp, __vminu2(least, __byte_perm(least, 0, 0x1032)));
  }
};

template <int K, typename T, bool kAdaptive>
__global__ void __launch_bounds__(kWarps* kWarpSize) AggregatePathsKernel(Arguments a) {
  __shared__ std::uint32_t p2_minus_p1[kAdaptive ? 256 : 1];
  const int lane = static_cast<int>(threadIdx.x);
  if constexpr (kAdaptive) {
    for (int i = static_cast<int>(threadIdx.y) * kWarpSize + lane; i < 256; i += kWarps * kWarpSize) {
      p2_minus_p1[i] = Twice(a.p2_table[i] - a.p1);
    }
    __syncthreads();
  }

  // Which path: blocks of kWarps paths, direction after direction.
  int block = static_cast<int>(blockIdx.x);
  const int row_blocks = (a.height + kWarps - 1) / kWarps, column_blocks = (a.width + kWarps - 1) / kWarps;
  int index = 0;
  while (block >= (index < 2 ? row_blocks : column_blocks)) block -= index++ < 2 ? row_blocks : column_blocks;
  Direction direction = a.num_paths == 4 ? kFourDirections[index] : kDirections[index];
  const int number = block * kWarps + static_cast<int>(threadIdx.y);
  const bool horizontal = direction.dy == 0;
  if (number >= (horizontal ? a.height : a.width)) return;
  const int length = horizontal ? a.width : a.height;
  Walk walk;
  walk.width = a.width;
  walk.dx = direction.dx;
  walk.step = direction.dy * a.width + direction.dx;
  walk.x = horizontal ? (direction.dx > 0 ? 0 : a.width - 1) : number;
  const int y = horizontal ? number : (direction.dy > 0 ? 0 : a.height - 1);
  walk.pixel = y * a.width + walk.x;

  constexpr int kCostBytes = 64 * K;
  constexpr int kPathBytes = kCostBytes * static_cast<int>(sizeof(T));
  std::uint8_t* const path_costs = a.path_costs + static_cast<std::size_t>(direction.volume) * a.path_bytes;
  const std::uint32_t p1 = Twice(a.p1), constant_jump = Twice(a.p2 - a.p1);
  const std::uint32_t first_selector = lane == 0 ? 0x1044U : 0x3210U;
  const std::uint32_t last_selector = lane == kWarpSize - 1 ? 0x4432U : 0x3210U;
  std::uint32_t padding[K];
  FillPadding<K>(lane, a.num_disparities, kPaddingCost, padding);

  Walk ahead = walk;
  PackedLane<K, std::uint8_t> costs[kPrefetch];
  std::uint32_t guides[kPrefetch];
#pragma unroll
  for (int i = 0; i < kPrefetch; ++i) {
    if (i >= length) break;
    costs[i].Load(a.costs + static_cast<std::size_t>(ahead.pixel) * kCostBytes, lane);
    if constexpr (kAdaptive) guides[i] = a.guide[ahead.pixel];
    ahead.Advance();
  }

  PathState<K> state;
  state.Reset();
  std::uint32_t guide_before = 0;
  for (int i = 0; i < length; i += kPrefetch) {
#pragma unroll
    for (int u = 0; u < kPrefetch; ++u) {
      if (i + u >= length) break;
      std::uint32_t cost[K];
      Unpack<K>(costs[u], cost);
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
      std::uint32_t jump = constant_jump;
      if constexpr (kAdaptive) {
        jump = p2_minus_p1[__sad(static_cast<int>(guides[u]), static_cast<int>(guide_before), 0U)];
        guide_before = guides[u];
      }
      if (i + u + kPrefetch < length) {
        costs[u].Load(a.costs + static_cast<std::size_t>(ahead.pixel) * kCostBytes, lane);
        if constexpr (kAdaptive) guides[u] = a.guide[ahead.pixel];
        ahead.Advance();
      }
      state.Step(cost, p1, jump, lane, first_selector, last_selector);
      PackedLane<K, T> packed;
      Pack<K>(state.path, packed);
      packed.Store(path_costs + static_cast<std::size_t>(walk.pixel) * kPathBytes, lane);
      if (walk.Advance()) state.Reset();
    }
  }
}

template <int K, typename T>
__global__ void SumPathsKernel(const std::uint8_t* path_costs, std::size_t path_bytes, int num_paths,
                               int num_pixels, int num_disparities, std::uint16_t* sums) {
  const int pixel = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  const int lane = static_cast<int>(threadIdx.x);
  if (pixel >= num_pixels) return;
  std::uint32_t sum[K] = {};
  for (int r = 0; r < num_paths; ++r) {
    PackedLane<K, T> packed;
    packed.Load(path_costs + static_cast<std::size_t>(r) * path_bytes +
                    static_cast<std::size_t>(pixel) * (64 * K * sizeof(T)),
                lane);
    std::uint32_t words[K];
    Unpack<K>(packed, words);
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] = __vadd2(sum[j], words[j]);
  }
  std::uint16_t* out = sums + static_cast<std::size_t>(pixel) * static_cast<std::size_t>(num_disparities);
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int low = LowDisparity<K>(lane, j), high = HighDisparity<K>(lane, j);
    if (low < num_disparities) out[low] = static_cast<std::uint16_t>(sum[j]);
    if (high < num_disparities) out[high] = static_cast<std::uint16_t>(sum[j] >> 16);
  }
}

// Calls function with the number of words and a value of the path costs' type.
template <typename Function>
void WithLayout(const VolumeLayout& layout, Function&& function) {
  WithWords(layout.words, [&](auto k) {
    if (layout.bytes_per_path_cost == 1) {
      function(k, std::uint8_t{});
    } else {
      function(k, std::uint16_t{});
    }
  });
}

}  // namespace

void AggregatePaths(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                    const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                    std::uint8_t* path_costs, cudaStream_t stream) {
  Arguments a{};
  a.costs = costs;
  a.guide = guide.data;
  a.p2_table = p2_table;
  a.path_costs = path_costs;
  a.path_bytes = layout.path_bytes();
  a.width = layout.width;
  a.height = layout.height;
  a.num_disparities = layout.num_disparities;
  a.num_paths = tables.num_paths;
  a.p1 = tables.p1;
  a.p2 = tables.p2[0];
  bool adaptive = false;
  for (const std::uint16_t p2 : tables.p2) adaptive = adaptive || p2 != tables.p2[0];
  const int row_blocks = (a.height + kWarps - 1) / kWarps, column_blocks = (a.width + kWarps - 1) / kWarps;
  const auto blocks = static_cast<unsigned>(2 * row_blocks + (a.num_paths - 2) * column_blocks);
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    if (adaptive) {
      AggregatePathsKernel<k(), T, true><<<blocks, dim3(kWarpSize, kWarps), 0, stream>>>(a);
    } else {
      AggregatePathsKernel<k(), T, false><<<blocks, dim3(kWarpSize, kWarps), 0, stream>>>(a);
    }
  });
  CheckLaunch("AggregatePathsKernel");
}

void SumPaths(const std::uint8_t* path_costs, int num_paths, const VolumeLayout& layout, std::uint16_t* sums,
              cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((layout.num_pixels() + kWarps - 1) / kWarps);
  WithLayout(layout, [&](auto k, auto value) {
    SumPathsKernel<k(), decltype(value)><<<blocks, dim3(kWarpSize, kWarps), 0, stream>>>(
        path_costs, layout.path_bytes(), num_paths, static_cast<int>(layout.num_pixels()),
        layout.num_disparities, sums);
  });
  CheckLaunch("SumPathsKernel");
}

}  // namespace parallax::cuda
