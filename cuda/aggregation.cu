// aggregation, vertical and diagonal paths: one warp follows two neighbouring paths and keeps their costs in
// registers, two disparities a word. All directions run in one launch; each writes a path cost volume of its
// own, which selection adds up. The matching costs of the rows ahead are copied into a ring in shared memory,
// asynchronously.
//
// Vertical paths are columns. Diagonal ones are columns too, that wrap at the image's side: there the path
// starts anew, so all paths of a launch are equally long. In the one row where one of the two has wrapped and
// the other has not, each is stepped on its own. The directions that go down come first, then those that go
// up, so that the paths in flight read the same rows of costs while these are in the second-level cache.
#include "cuda/check.h"
#include "cuda/copy_async.cuh"
#include "cuda/path_state.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 8;  // of a block of SumPathsKernel; a block of AggregatePathsKernel is one warp

struct Direction {
  int dx, dy;
  int volume;  // place in path_costs, the order of the reference
};
__constant__ constexpr Direction kEightPaths[] = {{0, 1, 2},  {1, 1, 4},   {-1, 1, 7},
                                                  {0, -1, 3}, {-1, -1, 5}, {1, -1, 6}};
__constant__ constexpr Direction kFourPaths[] = {{0, 1, 2}, {0, -1, 3}};

struct Arguments {
  const std::uint8_t* costs;
  const std::uint8_t* guide;
  const std::uint16_t* p2_table;
  std::uint8_t* path_costs;
  std::size_t path_bytes;  // of one direction
  int width, height, num_disparities, num_paths;
  int first_direction;
  std::uint32_t p1, p2;  // p2: where it is constant
};

// So few that all paths of a small image are in flight at once, beside the horizontal ones.
template <int K>
constexpr int kRegisters = K == 1   ? 48
                           : K <= 4 ? 56
                           : K == 8 ? 96
                                    : 168;
constexpr int kRing = 8;  // rows of costs in shared memory, of which kRing - 1 may be on their way

// What stays the same along a warp's two paths, and their states.
template <int K, typename T, bool kAdaptive, bool kPadded>
struct Paths {
  static constexpr int kCostBytes = 64 * K;
  static constexpr int kPathBytes = kCostBytes * static_cast<int>(sizeof(T));

  const Arguments& a;
  const std::uint32_t* p2_minus_p1;  // table, where it is adaptive
  std::uint8_t* ring;                // kRing times two pixels
  std::uint8_t* volume;
  int lane;
  LaneEnds ends;
  std::uint32_t p1, jump;
  std::uint32_t guides[2];  // of the last pixels
  std::uint32_t padding[K];
  PathState<K> states[2];

  __device__ __forceinline__ std::uint32_t GuideAt(int pixel) const { return kAdaptive ? a.guide[pixel] : 0; }

  __device__ __forceinline__ void UnpackCost(const PackedLane<K, std::uint8_t>& packed,
                                             std::uint32_t (&cost)[K]) const {
    Unpack<K>(packed, cost);
    if constexpr (kPadded) {
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
    }
  }
  // P2 - P1 of path i at a pixel with this guide value.
  __device__ __forceinline__ std::uint32_t JumpOf(int i, std::uint32_t guide) {
    if constexpr (!kAdaptive) return jump;
    const std::uint32_t before = guides[i];
    guides[i] = guide;
    return p2_minus_p1[__usad(guide, before, 0U)];
  }
  __device__ __forceinline__ void Store(int i, int pixel) const {
    PackedLane<K, T> packed;
    Pack<K>(states[i].path, packed);
    packed.StoreOnce(volume + static_cast<std::ptrdiff_t>(pixel) * kPathBytes, lane);
  }

  // One pixel of path i alone.
  __device__ __forceinline__ void VisitAlone(int i, int pixel) {
    PackedLane<K, std::uint8_t> packed;
    packed.Load(a.costs + static_cast<std::ptrdiff_t>(pixel) * kCostBytes, lane);
    std::uint32_t cost[K];
    UnpackCost(packed, cost);
    states[i].template Step<false>(cost, p1, JumpOf(i, GuideAt(pixel)), ends);
    Store(i, pixel);
  }

  // Both paths side by side: count pixels from `pixel` (and pixel + 1) on, `step` apart.
  __device__ __forceinline__ void Follow(int pixel, int step, int count) {
    constexpr int kLaneBytes = 4 * K;  // of both pixels' 128 K bytes
    const auto copy = [&](int stage, int at) {
      std::uint8_t* const to = ring + stage * 2 * kCostBytes + lane * kLaneBytes;
      const std::uint8_t* const from =
          a.costs + static_cast<std::ptrdiff_t>(at) * kCostBytes + lane * kLaneBytes;
      constexpr int kPiece = kLaneBytes < 16 ? kLaneBytes : 16;
#pragma unroll
      for (int i = 0; i < kLaneBytes; i += kPiece) CopyAsync<kPiece>(to + i, from + i);
    };
    int ahead = pixel;
#pragma unroll
    for (int u = 0; u < kRing - 1; ++u) {
      if (u < count) copy(u, ahead);
      CommitCopies();
      ahead += step;
    }
    std::uint32_t next_guides[2] = {GuideAt(pixel), GuideAt(pixel + 1)};
    // Row i of both paths. All lanes have read the slot that is copied to in the row before, since the wait
    // joins them.
    const auto visit = [&](int i, bool copy_more, bool last) {
      WaitForCopies<kRing - 2>();
      PackedLane<K, std::uint8_t> costs[2];
      costs[0].Load(ring + i % kRing * 2 * kCostBytes, lane);
      costs[1].Load(ring + (i % kRing * 2 + 1) * kCostBytes, lane);
      if (copy_more) copy((i + kRing - 1) % kRing, ahead);
      CommitCopies();
      const std::uint32_t guide[2] = {next_guides[0], next_guides[1]};
      if (kAdaptive && !last) {
        next_guides[0] = GuideAt(pixel + step);
        next_guides[1] = GuideAt(pixel + step + 1);
      }
      std::uint32_t cost[2][K];
      UnpackCost(costs[0], cost[0]);
      UnpackCost(costs[1], cost[1]);
      const std::uint32_t jumps[2] = {JumpOf(0, guide[0]), JumpOf(1, guide[1])};
      StepTwo<K>(states, cost, p1, jumps, ends);
      Store(0, pixel);
      Store(1, pixel + 1);
      pixel += step;
      ahead += step;
    };
    constexpr int kUnroll = K <= 2 ? kRing : K <= 4 ? 2 : 1;  // a divisor of kRing
    int i = 0;
    for (; i + kRing - 1 + kUnroll <= count; i += kUnroll) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) visit(i + u, true, false);
    }
    for (; i < count; ++i) visit(i, i + kRing - 1 < count, i + 1 == count);
    __syncwarp();
  }
};

template <int K, typename T, bool kAdaptive, bool kPadded>
__global__ void __maxnreg__(kRegisters<K>) AggregatePathsKernel(const Arguments a) {
  __shared__ std::uint32_t p2_minus_p1[kAdaptive ? 256 : 1];
  __shared__ __align__(16) std::uint8_t ring[kRing * 128 * K];
  const int lane = static_cast<int>(threadIdx.x);
  if constexpr (kAdaptive) {
    for (int i = lane; i < 256; i += kWarpSize) p2_minus_p1[i] = Twice(a.p2_table[i] - a.p1);
    __syncwarp();
  }
  const int index = a.first_direction + static_cast<int>(blockIdx.y),
            number = 2 * static_cast<int>(blockIdx.x);
  const Direction direction = a.num_paths == 4 ? kFourPaths[index] : kEightPaths[index];
  Paths<K, T, kAdaptive, kPadded> paths{
      a,           p2_minus_p1,
      ring,        a.path_costs + static_cast<std::size_t>(direction.volume) * a.path_bytes,
      lane,        LaneEnds(lane),
      Twice(a.p1), Twice(a.p2 - a.p1),
      {0, 0}};
  if constexpr (kPadded) FillPadding<K>(lane, a.num_disparities, kPaddingCost, paths.padding);
  paths.states[0].Reset();
  paths.states[1].Reset();
  const int width = a.width, step = direction.dy * width + direction.dx;

  int y = direction.dy > 0 ? 0 : a.height - 1, left = a.height;
  if (width == 1) {
    for (; left > 0; --left, y += direction.dy) {
      if (direction.dx != 0) paths.states[0].Reset();
      paths.VisitAlone(0, y);
    }
    return;
  }
  if (direction.dx == 0) {
    // An odd column at the end is done twice, with the same result.
    paths.Follow(y * width + min(number, width - 2), step, left);
    return;
  }
  int x = number;  // of path 0; path 1 is at (x + 1) % width
  while (left > 0) {
    if (x == width - 1) {
      // Path 0 in the last column, path 1 in the first.
      if (direction.dx > 0) paths.states[1].Reset();
      if (direction.dx < 0) paths.states[0].Reset();
      paths.VisitAlone(0, y * width + x);
      paths.VisitAlone(1, y * width);
      // In the next row the other one wraps.
      if (direction.dx > 0) paths.states[0].Reset();
      if (direction.dx < 0) paths.states[1].Reset();
      x = direction.dx > 0 ? 0 : width - 2;
      y += direction.dy;
      --left;
    } else {
      const int count = min(left, direction.dx > 0 ? width - 1 - x : x + 1);
      paths.Follow(y * width + x, step, count);
      x = direction.dx > 0 ? x + count : x - count;
      x = x < 0 ? width - 1 : x;
      y += count * direction.dy;
      left -= count;
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
  const bool adaptive = IsAdaptive(tables), padded = layout.padded() != layout.num_disparities;
  // A launch for the directions that go down and one for those that go up: the paths in flight then stay
  // close enough to each other to read the same rows of costs from the second-level cache.
  const int directions = a.num_paths - 2, at_once = directions / 2;
  for (a.first_direction = 0; a.first_direction < directions; a.first_direction += at_once) {
    const dim3 grid(static_cast<unsigned>((a.width + 1) / 2), static_cast<unsigned>(at_once));
    WithLayout(layout, [&](auto k, auto value) {
      using T = decltype(value);
      if (adaptive) {
        AggregatePathsKernel<k(), T, true, true><<<grid, kWarpSize, 0, stream>>>(a);
      } else if (padded) {
        AggregatePathsKernel<k(), T, false, true><<<grid, kWarpSize, 0, stream>>>(a);
      } else {
        AggregatePathsKernel<k(), T, false, false><<<grid, kWarpSize, 0, stream>>>(a);
      }
    });
  }
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
