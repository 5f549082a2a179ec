// aggregation, horizontal paths: one warp a row and direction. These are the longest paths and there are few
// of them, so what counts is how soon a step can follow the last: the costs are copied ahead into shared
// memory, kGroup pixels at a time, and the operations are ordered so that few wait for the last step's
// minimum.
#include "cuda/check.h"
#include "cuda/copy_async.cuh"
#include "cuda/path_state.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

constexpr int kGroup = kCheckpoint;  // pixels copied at once
constexpr int kRing = 4;             // groups in shared memory, of which kRing - 1 may be on their way

struct Arguments {
  const std::uint8_t* costs;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* path_costs;
  std::size_t path_bytes;  // of one direction
  int width, num_disparities;
  std::uint32_t p1, p2;
};

template <int K, typename T, bool kAdaptive, bool kPadded, bool kSparse, int kDx>
struct RowPath {
  static constexpr int kCostBytes = 64 * K, kPathBytes = kCostBytes * static_cast<int>(sizeof(T));

  const Arguments& a;
  const std::uint8_t *row_costs, *row_guide;
  const std::uint32_t* p2_minus_p1;  // table, where it is adaptive
  std::uint8_t* ring;                // kRing groups of costs
  std::uint8_t* guides;              // kGroup values
  std::uint8_t* row_paths;
  int lane;
  LaneEnds ends;
  std::uint32_t p1, jump;
  std::uint32_t guide_before = 0;
  std::uint32_t padding[K];
  PathState<K> state;

  // Group g holds the pixels g kGroup ..; the last one is copied whole even where the row ends within it.
  __device__ __forceinline__ void Copy(int g, int slot) const {
    constexpr int kLaneBytes = kGroup * kCostBytes / kWarpSize;  // 16 K
    const std::uint8_t* const from =
        row_costs + static_cast<std::ptrdiff_t>(g) * (kGroup * kCostBytes) + lane * kLaneBytes;
    std::uint8_t* const to = ring + slot * kGroup * kCostBytes + lane * kLaneBytes;
#pragma unroll
    for (int i = 0; i < kLaneBytes; i += 16) CopyAsync<16>(to + i, from + i);
  }

  // Pixel x, the i-th of its group, whose costs begin at `costs`.
  __device__ __forceinline__ void Visit(const std::uint8_t* costs, int i, std::uint8_t* out) {
    PackedLane<K, std::uint8_t> packed_cost;
    packed_cost.Load(costs + i * kCostBytes, lane);
    std::uint32_t cost[K];
    Unpack<K>(packed_cost, cost);
    if constexpr (kPadded) {
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
    }
    if constexpr (kAdaptive) {
      const std::uint32_t here = guides[i];
      jump = p2_minus_p1[__usad(here, guide_before, 0U)];
      guide_before = here;
    }
    state.template Step<true>(cost, p1, jump, ends);
    if (kSparse && i != (kDx > 0 ? kGroup - 1 : 0)) return;
    PackedLane<K, T> packed;
    Pack<K>(state.path, packed);
    packed.Store(out + i * kPathBytes, lane);
  }

  __device__ __forceinline__ void FollowRow() {
    const int num_groups = (a.width + kGroup - 1) / kGroup;
    const auto group = [&](int n) { return kDx > 0 ? n : num_groups - 1 - n; };  // the n-th on the way
    const auto guide_of = [&](int n) -> std::uint8_t {
      const int x = group(n) * kGroup + lane;
      return kAdaptive && n < num_groups && lane < kGroup && x < a.width ? row_guide[x] : std::uint8_t{0};
    };
    state.Reset();
    for (int n = 0; n < kRing - 1; ++n) {
      if (n < num_groups) Copy(group(n), n);
      CommitCopies();
    }
    std::uint8_t next_guide = guide_of(0);
    for (int n = 0; n < num_groups; ++n) {
      if constexpr (kAdaptive) {
        __syncwarp();
        if (lane < kGroup) guides[lane] = next_guide;
        next_guide = guide_of(n + 1);
      }
      WaitForCopies<kRing - 2>();  // also: all lanes have read the slot that is copied to next
      if (n + kRing - 1 < num_groups) Copy(group(n + kRing - 1), (n + kRing - 1) % kRing);
      CommitCopies();
      const std::uint8_t* const costs = ring + n % kRing * (kGroup * kCostBytes);
      std::uint8_t* const out = row_paths + static_cast<std::ptrdiff_t>(group(n)) * (kGroup * kPathBytes);
      const int count = min(kGroup, a.width - group(n) * kGroup);
      if (K <= 4 && count == kGroup) {
#pragma unroll
        for (int i = 0; i < kGroup; ++i) Visit(costs, kDx > 0 ? i : kGroup - 1 - i, out);
      } else {
#pragma unroll 1
        for (int i = 0; i < count; ++i) Visit(costs, kDx > 0 ? i : count - 1 - i, out);
      }
    }
  }
};

template <int K, typename T, bool kAdaptive, bool kPadded, bool kSparse>
__global__ void __launch_bounds__(kWarpSize) HorizontalPathsKernel(const Arguments a) {
  __shared__ std::uint32_t p2_minus_p1[kAdaptive ? 256 : 1];
  __shared__ std::uint8_t guides[kGroup];
  __shared__ __align__(16) std::uint8_t ring[kRing * kGroup * 64 * K];
  const int lane = static_cast<int>(threadIdx.x), direction = static_cast<int>(blockIdx.y);
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  if constexpr (kAdaptive) {
    for (int i = lane; i < 256; i += kWarpSize) p2_minus_p1[i] = Twice(a.p2_table[i] - a.p1);
  }
  const auto follow = [&](auto path) {
    if constexpr (kPadded) FillPadding<K>(lane, a.num_disparities, kPaddingCost, path.padding);
    path.FollowRow();
  };
  const std::uint8_t* const costs = a.costs + row * (64 * K);
  std::uint8_t* const paths =
      a.path_costs + static_cast<std::size_t>(direction) * a.path_bytes + row * (64 * K * sizeof(T));
  const LaneEnds ends(lane);
  const std::uint32_t p1 = Twice(a.p1), jump = Twice(a.p2 - a.p1);
  if (direction == 0) {
    follow(RowPath<K, T, kAdaptive, kPadded, kSparse, 1>{a, costs, a.guide + row, p2_minus_p1, ring, guides,
                                                         paths, lane, ends, p1, jump});
  } else {
    follow(RowPath<K, T, kAdaptive, kPadded, kSparse, -1>{a, costs, a.guide + row, p2_minus_p1, ring, guides,
                                                          paths, lane, ends, p1, jump});
  }
}

}  // namespace

void HorizontalPaths(const std::uint8_t* costs, DeviceImageView<const std::uint8_t> guide,
                     const MatchingTables& tables, const std::uint16_t* p2_table, const VolumeLayout& layout,
                     bool sparse, std::uint8_t* path_costs, cudaStream_t stream) {
  Arguments a{};
  a.costs = costs;
  a.guide = guide.data;
  a.p2_table = p2_table;
  a.path_costs = path_costs;
  a.path_bytes = layout.path_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.p1 = tables.p1;
  a.p2 = tables.p2[0];
  const bool adaptive = IsAdaptive(tables), padded = layout.padded() != layout.num_disparities;
  const dim3 grid(static_cast<unsigned>(layout.height), 2);
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    if constexpr (sizeof(T) == 1 && (k() == 2 || k() == 4)) {  // what MakesRows is true for
      if (sparse) {
        return padded ? HorizontalPathsKernel<k(), T, false, true, true><<<grid, kWarpSize, 0, stream>>>(a)
                      : HorizontalPathsKernel<k(), T, false, false, true><<<grid, kWarpSize, 0, stream>>>(a);
      }
    }
    if (adaptive) {
      HorizontalPathsKernel<k(), T, true, true, false><<<grid, kWarpSize, 0, stream>>>(a);
    } else if (padded) {
      HorizontalPathsKernel<k(), T, false, true, false><<<grid, kWarpSize, 0, stream>>>(a);
    } else {
      HorizontalPathsKernel<k(), T, false, false, false><<<grid, kWarpSize, 0, stream>>>(a);
    }
  });
  CheckLaunch("HorizontalPathsKernel");
}

}  // namespace parallax::cuda
