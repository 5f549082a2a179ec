// The arguments of the aggregation kernels, and the memory layout of their checkpoints
// (cuda/sgm/line_walk.cuh).
#pragma once

#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/aggregation.h"
#include "cuda/sgm/lane_costs.cuh"
#include "cuda/sgm/penalty_jumps.h"

namespace parallax::cuda {

struct AggregationArguments {
  const std::uint8_t* costs;
  const std::uint32_t* jumps;  // word of the first pixel in volume 0 (cuda/sgm/penalty_jumps.h), or null
  std::size_t jump_words;      // of one volume
  std::uint8_t* checkpoints;
  std::uint8_t* sums;     // the volumes
  std::size_t sum_bytes;  // of one volume
  std::uint32_t* bands_done;
  int width, height, num_disparities;
  std::uint32_t p1, p2;          // p2: if it is constant
  std::uint32_t p1_ground;       // of columns
  std::uint32_t p1_extra;        // p1 - p1_ground, in both halves
  std::uint32_t one;             // 1
  std::size_t checkpoint_bytes;  // of a block of AggregateColumns
  bool is_first;                 // of the two kernels, rows and columns
};

inline constexpr std::uint32_t kPaddingCost = 0x2000;  // above census_bits + P2, so that padding never wins

// Pixels from one checkpoint to the next.
constexpr int SegmentLength(int values_per_lane) {
  return values_per_lane <= 4 ? 8 : values_per_lane == 8 ? 4 : values_per_lane == 16 ? 2 : 1;
}

// The checkpoint bytes of a pair of lines of at most this many pixels.
constexpr std::size_t CheckpointBytesOfPair(int length, int values_per_lane, int bytes_per_sum) {
  return static_cast<std::size_t>(length / SegmentLength(values_per_lane) + 1) *
         static_cast<std::size_t>(2 * 32 * values_per_lane * bytes_per_sum);
}
// Pixels of a single row from one checkpoint to the next.
constexpr int RowGroup(int values_per_lane) {
  return values_per_lane <= 8 ? 8 : values_per_lane == 16 ? 4 : 2;
}
// The checkpoint bytes of a single row.
constexpr std::size_t CheckpointBytesOfRow(int width, int values_per_lane, int bytes_per_sum) {
  const int group = RowGroup(values_per_lane);
  return static_cast<std::size_t>((width + group - 1) / group) *
         static_cast<std::size_t>(32 * values_per_lane * bytes_per_sum);
}
// The bytes of the rows' checkpoints, which come before those of the columns.
inline std::size_t RowCheckpointBytes(const VolumeLayout& layout) {
  if (!layout.pairs_rows) {
    return static_cast<std::size_t>(layout.height) *
           CheckpointBytesOfRow(layout.width, layout.values_per_lane, layout.bytes_per_sum);
  }
  return static_cast<std::size_t>(NumPairs(layout.height)) *
         CheckpointBytesOfPair(layout.width, layout.values_per_lane, layout.bytes_per_sum);
}
inline AggregationArguments MakeAggregationArguments(const AggregationInput& input,
                                                     const SgmVolumes& volumes) {
  const VolumeLayout& layout = volumes.layout;
  AggregationArguments a{};
  a.costs = volumes.Costs().data;
  if (input.jumps != nullptr) a.jumps = input.jumps + 1;
  a.jump_words = NumJumpWords(layout);
  a.checkpoints = volumes.checkpoints;
  a.sums = volumes.sums_memory;
  a.bands_done = volumes.bands_done;
  a.sum_bytes = layout.sum_bytes();
  a.width = layout.width;
  a.height = layout.height;
  a.num_disparities = layout.num_disparities;
  a.p1 = input.tables.p1;
  a.p2 = input.tables.p2[0];
  a.p1_ground = input.tables.p1_ground;
  a.p1_extra = InBothHalves(a.p1 - a.p1_ground);
  a.one = 1;
  return a;
}

// The two aggregation kernels run at the same time. The first one begins when all costs are there, never
// early: its blocks would crowd on the first free multiprocessors. It lets the other one begin at once, and
// the other lets selection begin when all its blocks are halfway.
template <typename Kernel>
void LaunchAggregation(const KernelName& name, Kernel kernel, unsigned grid, dim3 block, cudaStream_t stream,
                       const AggregationArguments& a) {
  ShareMultiprocessors(kernel);
  if (a.is_first) {
    kernel<<<grid, block, 0, stream>>>(a);
    CheckLaunch(name.text, name.place);
  } else {
    LaunchDependent(name, kernel, grid, block, 0, stream, a);
  }
}
// Called at a block's end, so that both kernels have ended when the second one has.
__device__ __forceinline__ void EndAggregation(const AggregationArguments& a) {
  if (!a.is_first) EndAfterKernelBefore();
}

// AggregateRows if layout.pairs_rows.
void AggregateRowPairs(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream);

// Calls launch(adaptive) with a constant, for a kernel with sums of this type.
template <typename T, typename Launch>
void WithP2(const MatchingTables& tables, const Launch& launch) {
  if (!std::is_same_v<T, std::uint8_t> || IsAdaptive(tables)) {
    launch(std::true_type{});
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    launch(std::false_type{});
  }
}

}  // namespace parallax::cuda
