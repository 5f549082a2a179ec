#include "cuda/ad_census/refinement.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "cuda/ad_census/color.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/ad_census_tables.h"
#include "pipeline/disparity_map.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr unsigned kThreads = 256;
constexpr int kBlocksOfLists = 132 * 8;  // that share a list of holes

// Whoever was not elected asks again only where a pixel of its region has a value since: for every tile of
// the image, the last round of voting that gave one is kept.
constexpr int kTile = 16;
constexpr int NumTiles(int size) { return (size + kTile - 1) / kTile; }

unsigned BlocksFor(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

// Appends to a list of pixels where is_hole. All lanes come here.
__device__ __forceinline__ void Append(bool is_hole, std::uint32_t pixel, std::uint32_t* holes,
                                       std::uint32_t* count) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const unsigned all = __ballot_sync(kFullWarp, is_hole);
  std::uint32_t first = 0;
  if (lane == 0 && all != 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(all)));
  first = __shfl_sync(kFullWarp, first, 0);
  if (is_hole) holes[first + static_cast<std::uint32_t>(__popc(all & ((1U << lane) - 1)))] = pixel;
}

__global__ void __launch_bounds__(kThreads)
    ReadMapKernel(const float* disparity, std::uint32_t num_pixels, int min_disparity, std::int16_t* index,
                  std::uint32_t* holes, std::uint32_t* count) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  bool is_hole = false;
  if (pixel < num_pixels) {
    const float value = disparity[pixel];
    is_hole = isnan(value);
    index[pixel] = is_hole ? kNoIndex : static_cast<std::int16_t>(static_cast<int>(value) - min_disparity);
  }
  Append(is_hole, pixel, holes, count);
}

__global__ void __launch_bounds__(kThreads)
    AssignKernel(const std::uint32_t* holes, const std::uint32_t* num_holes, const std::int16_t* found,
                 std::int16_t* index, std::uint8_t* validity, std::uint32_t* holes_left,
                 std::uint32_t* num_left, std::uint8_t* last_rounds, int width, int round) {
  const std::uint32_t count = *num_holes, step = gridDim.x * kThreads;
  // Whole warps, as they append together.
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i / kWarpSize * kWarpSize < count; i += step) {
    bool is_hole = false;
    std::uint32_t pixel = 0;
    if (i < count) {
      pixel = holes[i];
      is_hole = found[i] == kNoIndex;
      if (!is_hole) {
        index[pixel] = found[i];
        validity[pixel] = static_cast<std::uint8_t>(validity[pixel] | kFilled);
        const auto x = pixel % static_cast<std::uint32_t>(width),
                   y = pixel / static_cast<std::uint32_t>(width);
        last_rounds[static_cast<std::size_t>(y / kTile) * NumTiles(width) + x / kTile] =
            static_cast<std::uint8_t>(round);
      }
    }
    Append(is_hole, pixel, holes_left, num_left);
  }
}

// --- region voting: a warp has a hole, and a counter a disparity in shared memory ----------------------
struct VotingArguments {
  const std::uint32_t *holes, *num_holes;
  const std::uint16_t *row_arms, *column_arms;
  const std::int16_t* index;
  const std::uint8_t* last_rounds;
  std::int16_t* found;
  int width, num_disparities, min_votes, min_percent;
  int round;  // 1, 2, ...
};

constexpr int kRowsOfLane = (kMaxArmSpan_px + kWarpSize - 1) / kWarpSize;  // of a region
constexpr int kRowsAtOnce = 4;                                             // that are loaded together

__device__ __forceinline__ int WarpSum(int value) {
  for (int i = kWarpSize / 2; i > 0; i /= 2) value += __shfl_xor_sync(kFullWarp, value, i);
  return value;
}

// Counts the votes of a region's rows, kLanes lanes a row, kTimes pixels a lane. across: arms of row
// 32 i + lane. Returns this lane's votes.
template <int kLanes, int kTimes>
__device__ __forceinline__ int CountVotes(const VotingArguments& a,
                                          const std::uint32_t (&across)[kRowsOfLane], std::int64_t top,
                                          int num_rows, std::uint32_t* votes) {
  constexpr int kRows = kWarpSize / kLanes;  // side by side
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize, row_of_lane = lane / kLanes;
  int num_votes = 0;
#pragma unroll
  for (int i = 0; i < kRowsOfLane; ++i) {
    const int rows_left = min(num_rows - i * kWarpSize, kWarpSize);
    for (int v = 0; v < rows_left; v += kRows * kRowsAtOnce) {
      int index[kRowsAtOnce][kTimes];
#pragma unroll
      for (int r = 0; r < kRowsAtOnce; ++r) {
        const int row = v + r * kRows + row_of_lane;
        const std::uint32_t arms = __shfl_sync(kFullWarp, across[i], row % kWarpSize);
        const int back = static_cast<int>(arms & 0xFFU), span = 1 + back + static_cast<int>(arms >> 8);
        const std::int16_t* const from =
            a.index + top + static_cast<std::int64_t>(i * kWarpSize + row) * a.width - back;
#pragma unroll
        for (int k = 0; k < kTimes; ++k) {
          const int u = k * kLanes + lane % kLanes;
          index[r][k] = row < rows_left && u < span ? from[u] : kNoIndex;
        }
      }
#pragma unroll
      for (int r = 0; r < kRowsAtOnce; ++r) {
#pragma unroll
        for (int k = 0; k < kTimes; ++k) {
          if (index[r][k] == kNoIndex) continue;
          atomicAdd(&votes[index[r][k]], 1U);
          ++num_votes;
        }
      }
    }
  }
  return num_votes;
}

__global__ void __launch_bounds__(kThreads) VotingKernel(const VotingArguments a) {
  extern __shared__ std::uint32_t counters[];
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize,
            warp = static_cast<int>(threadIdx.x) / kWarpSize;
  constexpr int kWarps = static_cast<int>(kThreads) / kWarpSize;
  std::uint32_t* const votes = counters + warp * a.num_disparities;
  const std::uint32_t count = *a.num_holes;
  for (std::uint32_t hole = blockIdx.x * kWarps + warp; hole < count; hole += gridDim.x * kWarps) {
    const std::uint32_t pixel = a.holes[hole];
    const std::uint32_t arms = a.column_arms[pixel];
    const int up = static_cast<int>(arms & 0xFFU), num_rows = up + 1 + static_cast<int>(arms >> 8);
    const std::int64_t top = static_cast<std::int64_t>(pixel) - static_cast<std::int64_t>(up) * a.width;
    std::uint32_t across[kRowsOfLane];
    int size = 0;
    std::uint32_t back = 0, ahead = 0;  // the longest arms
#pragma unroll
    for (int i = 0; i < kRowsOfLane; ++i) {
      const int v = i * kWarpSize + lane;
      across[i] = 0;
      if (v >= num_rows) continue;
      across[i] = a.row_arms[top + static_cast<std::int64_t>(v) * a.width];
      size += 1 + static_cast<int>(across[i] & 0xFFU) + static_cast<int>(across[i] >> 8);
      back = max(back, across[i] & 0xFFU);
      ahead = max(ahead, across[i] >> 8);
    }
    size = WarpSum(size);
    back = WarpMax(back);
    ahead = WarpMax(ahead);
    bool may_be_elected = size > a.min_votes;  // there are no more votes than pixels
    if (may_be_elected && a.round > 1) {
      const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(a.width)),
                y = static_cast<int>(pixel / static_cast<std::uint32_t>(a.width)) - up;
      const int first_x = (x - static_cast<int>(back)) / kTile,
                num_x = (x + static_cast<int>(ahead)) / kTile + 1 - first_x;
      const int first_y = y / kTile, num_y = (y + num_rows - 1) / kTile + 1 - first_y;
      bool has_changed = false;
      for (int i = lane; i < num_x * num_y; i += kWarpSize) {
        const std::ptrdiff_t tile =
            static_cast<std::ptrdiff_t>(first_y + i / num_x) * NumTiles(a.width) + first_x + i % num_x;
        has_changed |= a.last_rounds[tile] == a.round - 1;
      }
      may_be_elected = __any_sync(kFullWarp, has_changed);
    }
    if (!may_be_elected) {
      if (lane == 0) a.found[hole] = kNoIndex;
      continue;
    }
    for (int d = lane; d < a.num_disparities; d += kWarpSize) votes[d] = 0;
    __syncwarp();
    const std::uint32_t longest = back + 1 + ahead;
    int num_votes = longest <= 8    ? CountVotes<8, 1>(a, across, top, num_rows, votes)
                    : longest <= 16 ? CountVotes<16, 1>(a, across, top, num_rows, votes)
                    : longest <= 32 ? CountVotes<32, 1>(a, across, top, num_rows, votes)
                                    : CountVotes<32, 3>(a, across, top, num_rows, votes);
    __syncwarp();
    num_votes = WarpSum(num_votes);
    // The most votes, of equal ones the lowest disparity: at most 4489 votes, at most 1024 disparities.
    std::uint32_t best = 0;
    for (int d = lane; d < a.num_disparities; d += kWarpSize)
      best = max(best, votes[d] << 10 | static_cast<std::uint32_t>(1023 - d));
    best = WarpMax(best);
    __syncwarp();
    if (lane != 0) continue;
    const int most = static_cast<int>(best >> 10);
    const bool is_elected = num_votes > a.min_votes && most * 100 > num_votes * a.min_percent;
    a.found[hole] = is_elected ? static_cast<std::int16_t>(1023 - static_cast<int>(best & 1023U)) : kNoIndex;
  }
}

// --- interpolation: sixteen lanes have a hole, a direction each -----------
__constant__ const std::int8_t kHalfSteps[16][2] = {{2, 0},  {2, 1},  {2, 2},  {1, 2},   {0, 2},   {-1, 2},
                                                    {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2},
                                                    {0, -2}, {1, -2}, {2, -2}, {2, -1}};

// The last k of a direction whose pixel k d / 2, towards zero, is within `room`.
__device__ __forceinline__ int LastStep(int d, int room) {
  return d == 0 ? INT_MAX : abs(d) == 2 ? room : 2 * room + 1;
}

__global__ void __launch_bounds__(kThreads)
    InterpolationKernel(const std::uint32_t* holes, const std::uint32_t* num_holes,
                        const std::uint32_t* color, const std::int16_t* index, const std::uint8_t* validity,
                        int width, int height, std::int16_t* found) {
  constexpr std::uint32_t kHoles = kThreads / 16;
  constexpr int kAtOnce = 8;  // pixels that a lane looks at together
  const std::uint32_t count = *num_holes;
  const int direction = static_cast<int>(threadIdx.x) % 16;
  const int dx = kHalfSteps[direction][0], dy = kHalfSteps[direction][1];
  // Pixel k lies k / 2 strides away, and for odd k a half more.
  const std::ptrdiff_t stride = dx + static_cast<std::ptrdiff_t>(dy) * width,
                       half = dx / 2 + static_cast<std::ptrdiff_t>(dy / 2) * width;
  for (std::uint32_t begin = blockIdx.x * kHoles; begin < count; begin += gridDim.x * kHoles) {
    const std::uint32_t hole = begin + threadIdx.x / 16;
    std::uint32_t key = 0xFFFFFFFFU;  // what is best is lowest
    int value = kNoIndex;
    bool is_hidden = false;
    if (hole < count) {
      const std::uint32_t pixel = holes[hole];
      const int x = static_cast<int>(pixel % static_cast<std::uint32_t>(width)),
                y = static_cast<int>(pixel / static_cast<std::uint32_t>(width));
      is_hidden = (validity[pixel] & kOccluded) != 0;
      const int last =
          min(LastStep(dx, dx > 0 ? width - 1 - x : x), LastStep(dy, dy > 0 ? height - 1 - y : y));
      std::ptrdiff_t at = pixel;  // of the even pixel before those that are looked at
      std::ptrdiff_t where = 0;
      for (int k = 1; k <= last && value == kNoIndex; k += kAtOnce, at += kAtOnce / 2 * stride) {
        int values[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          values[i] = k + i <= last ? index[at + (i + 1) / 2 * stride + (i % 2 == 0 ? half : 0)] : kNoIndex;
#pragma unroll
        for (int i = kAtOnce - 1; i >= 0; --i) {
          if (values[i] == kNoIndex) continue;
          value = values[i];
          where = at + (i + 1) / 2 * stride + (i % 2 == 0 ? half : 0);
        }
      }
      if (value != kNoIndex) {
        key = is_hidden
                  ? static_cast<std::uint32_t>(value)
                  : static_cast<std::uint32_t>(ColorDistance(color[where], color[pixel]) << 4 | direction);
      }
    }
    std::uint32_t lowest = key;
    for (int i = 8; i > 0; i /= 2) lowest = min(lowest, __shfl_xor_sync(kFullWarp, lowest, i));
    if (hole < count) {
      if (lowest == 0xFFFFFFFFU) {
        if (direction == 0) found[hole] = kNoIndex;
      } else if (is_hidden) {
        if (direction == 0) found[hole] = static_cast<std::int16_t>(lowest);
      } else if (key == lowest) {
        found[hole] = static_cast<std::int16_t>(value);
      }
    }
  }
}

// --- discontinuities, sub-pixel ---------------------------------------------
__device__ __forceinline__ int SumAt(const PathSums& sums, std::size_t at) {
  return sums.rows[at] + (sums.columns != nullptr ? sums.columns[at] : 0);
}

__global__ void __launch_bounds__(kThreads)
    DiscontinuityKernel(const PathSums sums, const CostShape shape, const std::int16_t* before,
                        std::int16_t* after) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= shape.width) return;
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.y) * static_cast<std::size_t>(shape.width) + x;
  const int d = before[pixel];
  const int beside[2] = {x > 0 ? before[pixel - 1] : kNoIndex,
                         x + 1 < shape.width ? before[pixel + 1] : kNoIndex};
  const auto is_edge = [&](int other) { return other != kNoIndex && abs(other - d) > 1; };
  int chosen = d;
  if (d != kNoIndex && (is_edge(beside[0]) || is_edge(beside[1]))) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded);
    int cost = SumAt(sums, cell + static_cast<std::size_t>(d));
    for (const int other : beside) {
      if (other == kNoIndex) continue;
      const int cost_there = SumAt(sums, cell + static_cast<std::size_t>(other));
      if (cost_there < cost) chosen = other, cost = cost_there;
    }
  }
  after[pixel] = static_cast<std::int16_t>(chosen);
}

// kRefined: with the sub-pixel offset.
template <bool kRefined>
__global__ void __launch_bounds__(kThreads)
    WriteKernel(const PathSums sums, const CostShape shape, const std::int16_t* index, Subpixel method,
                float* disparity) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= shape.num_pixels()) return;
  const int d = index[pixel];
  if (d == kNoIndex) {
    disparity[pixel] = __int_as_float(0x7FC00000);
    return;
  }
  float value = static_cast<float>(shape.min_disparity + d);
  if (kRefined && d > 0 && d + 1 < shape.num_disparities) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded) + static_cast<std::size_t>(d);
    const int lowest = SumAt(sums, cell), before = SumAt(sums, cell - 1) - lowest,
              after = SumAt(sums, cell + 1) - lowest;
    if (before >= 0 && after >= 0) value = __fadd_rn(value, SubpixelOffset(lowest, before, after, method));
  }
  disparity[pixel] = value;
}

}  // namespace

RefinementMemory RefinementMemory::Take(Arena& arena, int width, int height) {
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  RefinementMemory memory;
  memory.index = arena.Take<std::int16_t>(num_pixels);
  memory.adjusted = arena.Take<std::int16_t>(num_pixels);
  for (std::uint32_t*& holes : memory.holes) holes = arena.Take<std::uint32_t>(num_pixels);
  memory.found = arena.Take<std::int16_t>(num_pixels);
  memory.counts = arena.Take<std::uint32_t>(2);
  memory.last_rounds = arena.Take<std::uint8_t>(static_cast<std::size_t>(NumTiles(width)) *
                                                static_cast<std::size_t>(NumTiles(height)));
  return memory;
}

void Refinement::ReadMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  Check(cudaMemsetAsync(memory_.counts, 0, 2 * sizeof(std::uint32_t), stream), "cudaMemsetAsync");
  const std::size_t num_tiles =
      static_cast<std::size_t>(NumTiles(shape_.width)) * static_cast<std::size_t>(NumTiles(shape_.height));
  Check(cudaMemsetAsync(memory_.last_rounds, 0, num_tiles, stream), "cudaMemsetAsync");
  ReadMapKernel<<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      map.disparity.data, static_cast<std::uint32_t>(shape_.num_pixels()), shape_.min_disparity,
      memory_.index, memory_.holes[list_], memory_.counts + list_);
  CheckLaunch("ReadMapKernel");
}

void Refinement::Assign(const DeviceDisparityMap& map, int round, cudaStream_t stream) {
  const int next = 1 - list_;
  Check(cudaMemsetAsync(memory_.counts + next, 0, sizeof(std::uint32_t), stream), "cudaMemsetAsync");
  AssignKernel<<<kBlocksOfLists, kThreads, 0, stream>>>(
      memory_.holes[list_], memory_.counts + list_, memory_.found, memory_.index, map.validity.data,
      memory_.holes[next], memory_.counts + next, memory_.last_rounds, shape_.width, round);
  CheckLaunch("AssignKernel");
  list_ = next;
}

void Refinement::VoteInRegions(const DeviceDisparityMap& map, cudaStream_t stream) {
  const AdCensusParameters& p = parameters_.ad_census;
  const std::size_t shared_bytes =
      kThreads / kWarpSize * static_cast<std::size_t>(shape_.num_disparities) * sizeof(std::uint32_t);
  for (int round = 1; round <= p.voting_iterations; ++round) {
    const VotingArguments a{memory_.holes[list_], memory_.counts + list_, left_.row_arms,
                            left_.column_arms,    memory_.index,          memory_.last_rounds,
                            memory_.found,        shape_.width,           shape_.num_disparities,
                            p.voting_min_votes,   p.voting_min_percent,   round};
    VotingKernel<<<kBlocksOfLists, kThreads, shared_bytes, stream>>>(a);
    CheckLaunch("VotingKernel");
    Assign(map, round, stream);
  }
}

void Refinement::Interpolate(const DeviceDisparityMap& map, cudaStream_t stream) {
  InterpolationKernel<<<kBlocksOfLists, kThreads, 0, stream>>>(memory_.holes[list_], memory_.counts + list_,
                                                               left_.color, memory_.index, map.validity.data,
                                                               shape_.width, shape_.height, memory_.found);
  CheckLaunch("InterpolationKernel");
  Assign(map, 0, stream);
}

void Refinement::AdjustDiscontinuities(cudaStream_t stream) {
  const dim3 grid(BlocksFor(static_cast<std::size_t>(shape_.width)), static_cast<unsigned>(shape_.height));
  DiscontinuityKernel<<<grid, kThreads, 0, stream>>>(sums_, shape_, memory_.index, memory_.adjusted);
  CheckLaunch("DiscontinuityKernel");
  std::swap(memory_.index, memory_.adjusted);
}

void Refinement::RefineSubpixel(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<true><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, parameters_.selection.subpixel, map.disparity.data);
  CheckLaunch("WriteKernel");
}

void Refinement::WriteMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<false><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, Subpixel::kNone, map.disparity.data);
  CheckLaunch("WriteKernel");
}

}  // namespace parallax::cuda::ad_census
