// The blocks that work on one pair of clouds: barriers between them, sums and maxima.
#pragma once

#include "cuda/cloud/emd/emd_kernel.h"
#include "cuda/cloud/emd/emd_units.cuh"

namespace parallax::cuda {

inline constexpr unsigned long long kLate = 1ull << 63;

class Group {
 public:
  __device__ Group(EmdGroupControl* control, int rank, int blocks)
      : control_(control), rank_(rank), blocks_(blocks) {}

  // Waits for all threads of the group and their writes. Returns the sum of the counts that thread 0 of each
  // block gives. If thread 0 of any block is late, returns kLate.
  __device__ unsigned long long Sync(unsigned count = 0, bool late = false) {
    __shared__ unsigned long long total;
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned long long* word = control_->arrivals[slot_];
      const int next = slot_ == 2 ? 0 : slot_ + 1;
      if (rank_ == 0) {
        StoreShared(control_->arrivals[next], 0ull);
        StoreShared(control_->largest_raise[next], 0ull);
      }
      // Releases the writes of the whole block. Reads after it bypass the local cache (see LoadShared) and
      // depend on the end of the loop, so no acquire is needed, which would empty the cache.
      asm volatile("red.release.gpu.global.add.u64 [%0], %1;"
                   :
                   : "l"(word), "l"(static_cast<unsigned long long>(count) << 32 | (late ? kLate : 0) | 1u)
                   : "memory");
      unsigned long long seen;
      do {
        seen = LoadShared(word);
      } while (static_cast<unsigned>(seen) != static_cast<unsigned>(blocks_));
      total = seen;
    }
    __syncthreads();
    slot_ = slot_ == 2 ? 0 : slot_ + 1;
    return (total & kLate) | ((total & ~kLate) >> 32);
  }
  // The same; *largest becomes the largest raise (>= 0) of all threads.
  __device__ unsigned long long SyncLargest(unsigned count, int raise, int* largest) {
    raise = WarpMax(raise);
    unsigned long long* word = control_->largest_raise[slot_];
    if (threadIdx.x % 32 == 0 && raise > 0) atomicMax(word, static_cast<unsigned long long>(raise));
    const unsigned long long sum = Sync(count);
    *largest = static_cast<int>(LoadShared(word));
    return sum;
  }

  // A counter that is zero; the previous one is no longer used.
  __device__ std::uint32_t* NextFreeCount() {
    free_slot_ ^= 1;
    if (IsFirstThread()) StoreShared(reinterpret_cast<int*>(control_->num_free[free_slot_ ^ 1]), 0);
    return control_->num_free[free_slot_];
  }

  __device__ bool IsFirstThread() const { return rank_ == 0 && threadIdx.x == 0; }
  __device__ int rank() const { return rank_; }
  __device__ int blocks() const { return blocks_; }
  __device__ int warp() const { return static_cast<int>((rank_ * blockDim.x + threadIdx.x) / 32); }
  __device__ int num_warps() const { return static_cast<int>(blocks_ * blockDim.x / 32); }

 private:
  EmdGroupControl* control_;
  int rank_, blocks_, slot_ = 0, free_slot_ = 0;
};

}  // namespace parallax::cuda
