// Copies matching costs, and checkpoints, ahead of a warp that walks along a row.
#pragma once

#include "cuda/device/copy_async.cuh"
#include "cuda/sgm/aggregation_arguments.cuh"

namespace parallax::cuda {

// Copies into shared memory, group by group in the direction's order: matching costs, across the other
// direction's half the checkpoint before the group, and with an adaptive P2 the jumps to the group's pixels
// and to the next one. Groups are whole: beyond the row's end are the next row's costs.
template <typename Shape, typename T, bool kAdaptive, int kDx>
class RowCopies {
  static constexpr int K = Shape::K;
  static constexpr int kCostBytes = RowGroup(K) * Shape::kPadded,
                       kEntryBytes = kWarpSize * K * static_cast<int>(sizeof(T)),  // of all lanes
      kJumpBytes = kAdaptive ? (4 * (RowGroup(K) + 1) + 15) / 16 * 16 : 0;
  static_assert(kCostBytes % (16 * kWarpSize) == 0 || kCostBytes < 16 * kWarpSize);
  static constexpr int kGroups = 4;  // all but one may be in flight

 public:
  static constexpr int kSlotBytes = kCostBytes + kEntryBytes + kJumpBytes;
  static constexpr int Bytes() { return kGroups * kSlotBytes; }  // of shared memory

  // costs, jumps: of the first group; entry: of the first group, or null.
  __device__ __forceinline__ RowCopies(std::uint32_t shared, int lane, const std::uint8_t* costs,
                                       const std::uint8_t* entry, const std::uint32_t* jumps, int count)
      : shared_(shared + lane * 16),
        lane_(lane),
        has_entry_(entry != nullptr && lane * 16 < kEntryBytes),
        costs_(costs + lane * 16),
        entry_(entry + lane * 16),
        jumps_(jumps + lane),
        to_copy_(count),
        free_(shared_),
        next_(shared_) {
#pragma unroll
    for (int i = 0; i + 1 < kGroups; ++i) {
      CopyNext();
      free_ += kSlotBytes;
    }
  }
  // The next group's costs, at the lane's place of the first pixel; the entry follows them. Valid until the
  // next call.
  __device__ __forceinline__ std::uint32_t Next() {
    WaitForCopies<kGroups - 2>();  // also: all lanes have read the place of the next copy
    CopyNext();
    const std::uint32_t group = next_;
    free_ = group;
    next_ = group == shared_ + (kGroups - 1) * kSlotBytes ? shared_ : group + kSlotBytes;
    return group + lane_ * (K - 16);
  }
  static constexpr int kEntry = kCostBytes, kJumps = kCostBytes + kEntryBytes;

 private:
  __device__ __forceinline__ void CopyNext() {
    const bool copies = to_copy_ > 0;
#pragma unroll
    for (int i = 0; i < kCostBytes; i += 16 * kWarpSize) CopyAsyncIf(copies, free_ + i, costs_ + i, 16);
    const int count_of_entry = to_copy_ > 1 ? 16 : 0;  // the last group has none: the other direction begins
                                                       // there
#pragma unroll
    for (int i = 0; i < kEntryBytes; i += 16 * kWarpSize) {
      CopyAsyncIf(copies && has_entry_, free_ + kEntry + i, entry_ + i, count_of_entry);
    }
    if constexpr (kAdaptive) {
      CopyWordAsyncIf(copies && lane_ <= RowGroup(K), free_ + kJumps - lane_ * 12, jumps_);
      jumps_ += kDx * RowGroup(K);
    }
    CommitCopies();
    costs_ += kDx * kCostBytes;
    entry_ += kDx * kEntryBytes;
    --to_copy_;
  }

  std::uint32_t shared_;
  int lane_;
  bool has_entry_;
  const std::uint8_t *costs_, *entry_;
  const std::uint32_t* jumps_;
  int to_copy_;
  std::uint32_t free_, next_;
};

}  // namespace parallax::cuda
