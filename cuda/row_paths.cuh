// The horizontal paths made again between checkpoints, by the warp that selects.
#pragma once

#include "cuda/copy_async.cuh"
#include "cuda/path_state.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {

// The horizontal paths of a warp's run of pixels, from checkpoints.
template <int K, typename T, bool kPadded>
struct RowPaths {
  static constexpr int kCostBytes = 64 * K, kPathBytes = kCostBytes * static_cast<int>(sizeof(T));
  struct Shared {
    std::uint8_t costs[2][kCheckpoint * kCostBytes];  // of this group of pixels and the next
    std::uint8_t to_left[kCheckpoint * kPathBytes];
  };
  const std::uint8_t *costs, *to_right_volume, *to_left_volume;  // of the row
  Shared* shared;
  const std::uint32_t (&padding)[K];
  LaneEnds ends;
  int lane, width;
  std::uint32_t p1, jump;
  PathState<K> to_right;
  PackedLane<K, T> next_checkpoint;  // of the path to the left, for the next group
  int buffer;

  __device__ __forceinline__ void Restore(const PackedLane<K, T>& packed, PathState<K>& state) const {
    Unpack<K>(packed, state.path);
    if constexpr (kPadded) {
#pragma unroll
      for (int j = 0; j < K; ++j) state.path[j] |= padding[j];
    }
    state.FindLowest();
  }
  __device__ __forceinline__ void Prefetch(int x) {
    if (x < width) {
      constexpr int kLaneBytes = kCheckpoint * kCostBytes / kWarpSize;
      constexpr int kPiece = kLaneBytes < 16 ? kLaneBytes : 16;
      const std::uint8_t* const from =
          costs + static_cast<std::ptrdiff_t>(x) * kCostBytes + lane * kLaneBytes;
#pragma unroll
      for (int i = 0; i < kLaneBytes; i += kPiece) {
        CopyAsync<kPiece>(shared->costs[buffer ^ 1] + lane * kLaneBytes + i, from + i);
      }
      if (x + kCheckpoint < width) {
        next_checkpoint.LoadNow(to_left_volume + static_cast<std::ptrdiff_t>(x + kCheckpoint) * kPathBytes,
                                lane);
      }
    }
    CommitCopies();
  }
  __device__ __forceinline__ void Begin(int x) {
    buffer = 1;
    Prefetch(x);
    to_right.Reset();
    if (x > 0) {
      PackedLane<K, T> packed;
      packed.LoadNow(to_right_volume + static_cast<std::ptrdiff_t>(x - 1) * kPathBytes, lane);
      Restore(packed, to_right);
    }
  }
  __device__ __forceinline__ void LoadCost(int i, std::uint32_t (&cost)[K]) const {
    PackedLane<K, std::uint8_t> packed;
    packed.Load(shared->costs[buffer] + i * kCostBytes, lane);
    Unpack<K>(packed, cost);
    if constexpr (kPadded) {
#pragma unroll
      for (int j = 0; j < K; ++j) cost[j] |= padding[j];
    }
  }
  // The path to the left over the group of count pixels from x on.
  __device__ __forceinline__ void BeginGroup(int x, int count) {
    WaitForCopies<0>();
    buffer ^= 1;
    PathState<K> to_left;
    to_left.Reset();
    if (x + kCheckpoint < width) Restore(next_checkpoint, to_left);
    Prefetch(x + kCheckpoint);
#pragma unroll 2
    for (int i = count - 1; i >= 0; --i) {
      std::uint32_t cost[K];
      LoadCost(i, cost);
      to_left.template Step<false>(cost, p1, jump, ends);
      PackedLane<K, T> packed;
      Pack<K>(to_left.path, packed);
      packed.Store(shared->to_left + i * kPathBytes, lane);
    }
  }
  // Adds both paths of the group's pixel i to sum. Pixels in order.
  __device__ __forceinline__ void Add(int i, std::uint32_t (&sum)[K]) {
    std::uint32_t cost[K], words[K];
    LoadCost(i, cost);
    to_right.template Step<false>(cost, p1, jump, ends);
    PackedLane<K, T> packed;
    packed.Load(shared->to_left + i * kPathBytes, lane);  // each lane reads what it has written
    Unpack<K>(packed, words);
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] += to_right.path[j] + words[j];
  }
};

}  // namespace parallax::cuda
