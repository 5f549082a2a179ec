// aggregation, vertical and diagonal paths: one warp follows one path and keeps its costs in registers, two
// disparities a word. All directions run in one launch; each writes a path cost volume of its own, which
// selection adds up.
//
// Vertical paths are columns. Diagonal ones are columns too, that wrap at the image's side: there the path
// starts anew, so all paths of a launch are equally long. The directions that go down come first, then those
// that go up, so that the paths in flight read the same rows of costs while these are in the second-level
// cache.
#include "cuda/check.h"
#include "cuda/path_state.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 8;

struct Direction {
  int dx, dy;
  int volume;  // place in path_costs, the order of the reference
};
__constant__ constexpr Direction kEightPaths[] = {{0, 1, 2},  {1, 1, 4},   {-1, 1, 7},
                                                  {0, -1, 3}, {-1, -1, 5}, {1, -1, 6}};
__constant__ constexpr Direction kFourPaths[] = {{0, 1, 2}, {0, -1, 3}};
// Rows as columns of length W: for images too wide for HorizontalPaths.
__constant__ constexpr Direction kRows[] = {{1, 0, 0}, {-1, 0, 1}};

struct Arguments {
  const std::uint8_t* costs;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* path_costs;
  std::size_t path_bytes;  // of one direction
  int width, height, num_disparities, num_paths;
  bool rows;
  std::uint32_t p1, p2;  // p2: where it is constant
};

// Pixels whose costs are on their way while one is worked on.
template <int K>
constexpr int kPrefetch = K <= 2   ? 4
                          : K <= 8 ? 2
                                   : 1;
// Warps a multiprocessor: all paths of a small image should be in flight at once.
template <int K, bool kAdaptive>
constexpr int kBlocks = (K <= 2   ? 8
                         : K == 4 ? 6
                         : K == 8 ? 4
                                  : 2) -
                        (kAdaptive && K <= 4 ? 2 : 0);

// One path: what stays the same along it, and its state.
template <int K, typename T, bool kAdaptive, bool kPadded>
struct Path {
  static constexpr int kCostBytes = 64 * K;
  static constexpr int kPathBytes = kCostBytes * static_cast<int>(sizeof(T));
  static constexpr int kAhead = kPrefetch<K>;

  const Arguments& a;
  const std::uint32_t* p2_minus_p1;  // table, where it is adaptive
  std::uint8_t* volume;
  int lane;
  LaneEnds ends;
  std::uint32_t p1, jump;
  std::uint32_t guide_before = 0;
  std::uint32_t padding[K];
  PathState<K> state;

  __device__ __forceinline__ void Visit(const PackedLane<K, std::uint8_t>& packed_cost, std::uint32_t guide,
                                        int pixel) {
    std::uint32_t cost[K];
    Unpack<K>(packed_cost, cost);
    if constexpr (kPadded) {
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
    }
    if constexpr (kAdaptive) {
      jump = p2_minus_p1[__usad(guide, guide_before, 0U)];
      guide_before = guide;
    }
    state.template Step<false>(cost, p1, jump, ends);
    PackedLane<K, T> packed;
    Pack<K>(state.path, packed);
    packed.Store(volume + static_cast<std::ptrdiff_t>(pixel) * kPathBytes, lane);
  }

  // count pixels from `pixel` on, `step` apart, none of which starts the path anew but the first.
  __device__ __forceinline__ void Follow(int pixel, int step, int count) {
    PackedLane<K, std::uint8_t> costs[kAhead];
    std::uint32_t guides[kAhead];
    const auto load = [&](int u, int at) {
      costs[u].LoadNow(a.costs + static_cast<std::ptrdiff_t>(at) * kCostBytes, lane);
      if constexpr (kAdaptive) guides[u] = a.guide[at];
    };
    int ahead = pixel;
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      if (u < count) load(u, ahead);
      ahead += step;
    }
    int i = 0;
    for (; i + 2 * kAhead <= count; i += kAhead) {
#pragma unroll
      for (int u = 0; u < kAhead; ++u) {
        const PackedLane<K, std::uint8_t> cost = costs[u];
        const std::uint32_t guide = kAdaptive ? guides[u] : 0;
        load(u, ahead);
        Visit(cost, guide, pixel);
        ahead += step;
        pixel += step;
      }
    }
    for (; i < count; i += kAhead) {
#pragma unroll
      for (int u = 0; u < kAhead; ++u) {
        if (i + u >= count) return;
        const PackedLane<K, std::uint8_t> cost = costs[u];
        const std::uint32_t guide = kAdaptive ? guides[u] : 0;
        if (i + u + kAhead < count) load(u, ahead);
        Visit(cost, guide, pixel);
        ahead += step;
        pixel += step;
      }
    }
  }
};

template <int K, typename T, bool kAdaptive, bool kPadded>
__global__ void __launch_bounds__(kWarps* kWarpSize, kBlocks<K, kAdaptive>)
    AggregatePathsKernel(const Arguments a) {
  __shared__ std::uint32_t p2_minus_p1[kAdaptive ? 256 : 1];
  const int lane = static_cast<int>(threadIdx.x);
  if constexpr (kAdaptive) {
    for (int i = static_cast<int>(threadIdx.y) * kWarpSize + lane; i < 256; i += kWarps * kWarpSize) {
      p2_minus_p1[i] = Twice(a.p2_table[i] - a.p1);
    }
    __syncthreads();
  }
  const int index = static_cast<int>(blockIdx.y);
  const Direction direction = a.rows             ? kRows[index]
                              : a.num_paths == 4 ? kFourPaths[index]
                                                 : kEightPaths[index];
  const int number = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.y);
  if (number >= (a.rows ? a.height : a.width)) return;

  Path<K, T, kAdaptive, kPadded> path{
      a,
      p2_minus_p1,
      a.path_costs + static_cast<std::size_t>(direction.volume) * a.path_bytes,
      lane,
      LaneEnds(lane),
      Twice(a.p1),
      Twice(a.p2 - a.p1)};
  if constexpr (kPadded) FillPadding<K>(lane, a.num_disparities, kPaddingCost, path.padding);
  const int step = direction.dy * a.width + direction.dx;
  if (a.rows) {
    path.state.Reset();
    path.Follow(number * a.width + (direction.dx > 0 ? 0 : a.width - 1), step, a.width);
    return;
  }
  int x = number;
  int pixel = (direction.dy > 0 ? 0 : a.height - 1) * a.width + x;
  for (int left = a.height; left > 0;) {
    // Up to the image's side, where a diagonal path leaves it.
    const int to_side = direction.dx > 0 ? a.width - x : direction.dx < 0 ? x + 1 : left;
    const int count = min(left, to_side);
    path.state.Reset();
    path.Follow(pixel, step, count);
    left -= count;
    // The next row's pixel at the other side.
    pixel += count * step - direction.dx * a.width;
    x = direction.dx > 0 ? 0 : a.width - 1;
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

}  // namespace

void AggregatePaths(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                    const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                    PathSet set, std::uint8_t* path_costs, cudaStream_t stream) {
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
  a.rows = set == PathSet::kRows;
  a.p1 = tables.p1;
  a.p2 = tables.p2[0];
  const bool adaptive = IsAdaptive(tables), padded = layout.padded() != layout.num_disparities;
  const int paths = a.rows ? a.height : a.width;
  const dim3 grid(static_cast<unsigned>((paths + kWarps - 1) / kWarps),
                  a.rows ? 2U : static_cast<unsigned>(a.num_paths - 2));
  const dim3 block(kWarpSize, kWarps);
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    if (adaptive) {
      AggregatePathsKernel<k(), T, true, true><<<grid, block, 0, stream>>>(a);
    } else if (padded) {
      AggregatePathsKernel<k(), T, false, true><<<grid, block, 0, stream>>>(a);
    } else {
      AggregatePathsKernel<k(), T, false, false><<<grid, block, 0, stream>>>(a);
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
