// A priority queue for one warp: a heap of (distance, node) pairs with 32 children for each node. A warp
// reads all siblings at once and finds the least of them in a few instructions (warp-cooperative heaps: cupq;
// 32-ary heaps: LaMarca & Ladner 1996, "The influence of caches on the performance of heaps"). The top pair
// is in registers; below it siblings are adjacent, 256 bytes. The first places are in shared memory, as many
// as there are. The rest is in chunks of global memory that warps take from a common pool when they need
// them.
#pragma once

#include <cstdint>

#include "cuda/device/warp.cuh"

namespace parallax::cuda {

// Chunks of global memory for queues that outgrow their shared memory.
struct HeapPool {
  static constexpr std::uint32_t kChunk = 4096;  // pairs
  uint2* pairs = nullptr;                        // num_chunks * kChunk
  std::uint32_t num_chunks = 0;
  std::uint32_t* num_taken = nullptr;  // one number, 0 at the start
};

// All lanes of a full warp call every function with the same arguments and get the same answer. Distances are
// the bits of floats >= 0, which have the same order as the floats.
class WarpHeap {
 public:
  static constexpr std::uint32_t kMostChunks = 64;  // of one queue: 262,144 pairs and the shared ones

  // shared: shared_capacity pairs for this warp alone, a multiple of 32, possibly 0. chunks: kMostChunks
  // numbers for this warp alone, in shared memory.
  __device__ WarpHeap(uint2* shared, std::uint32_t shared_capacity, std::uint32_t* chunks, HeapPool pool)
      : shared_(shared), shared_capacity_(shared_capacity), chunks_(chunks), pool_(pool) {}

  __device__ bool Empty() const { return size_ == 0; }
  __device__ std::uint32_t size() const { return size_; }
  // Chunks remain with the queue.
  __device__ void Clear() { size_ = 0; }
  // Not empty.
  __device__ uint2 Top() const { return top_; }

  // False if no memory is left; the queue is then unchanged.
  __device__ bool Push(uint2 pair) {
    if (size_ == 0) {
      top_ = pair;
      size_ = 1;
      return true;
    }
    const std::uint32_t place = size_ - 1;  // the last place, not counting the top
    if (!Reach(place)) return false;
    ++size_;
    // The path up from the last place, one ancestor for each lane: 32 levels are more than there can be.
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t ancestor = place;  // of this lane: lane 0 the place itself, lane 1 its parent, ...
    bool below_top = true;
    for (unsigned level = 0; level < kMostLevels; ++level) {
      if (level < lane && below_top) {
        below_top = ancestor >= 32;
        if (below_top) ancestor = ancestor / 32 - 1;
      }
    }
    // Lanes beyond the path's length have none. Larger ancestors move down one place each.
    const bool has = lane > 0 && below_top && lane <= kMostLevels;
    const uint2 above = has ? Load(ancestor) : make_uint2(0, 0);
    const bool larger = has && above.x > pair.x;
    const unsigned moving = __ballot_sync(kFullWarp, larger);  // lanes 1 .. n: distances fall on the way up
    const int num_moving = __popc(moving);
    const std::uint32_t below = __shfl_up_sync(kFullWarp, ancestor, 1);
    if (larger) Store(below, above);
    const std::uint32_t hole = __shfl_sync(kFullWarp, ancestor, num_moving);
    const bool to_top = hole < 32 && pair.x < top_.x;
    if (lane == 0) Store(hole, to_top ? top_ : pair);
    if (to_top) top_ = pair;
    __syncwarp();
    return true;
  }

  // Must not be empty. Among equal distances any one is taken.
  __device__ uint2 Pop() {
    const uint2 popped = top_;
    --size_;
    if (size_ == 0) return popped;
    const std::uint32_t last = size_ - 1;  // its pair is placed anew, from the top
    const uint2 pair = Load(last);
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t hole = kTop;
    for (std::uint32_t first = 0; first < last; first = 32 * (hole + 1)) {
      const std::uint32_t child = first + lane;
      const bool has = child < last;
      const uint2 mine = has ? Load(child) : make_uint2(0xFFFFFFFFU, 0);
      const std::uint32_t least = WarpMin(mine.x);
      if (least >= pair.x) break;
      const int winner = __ffs(static_cast<int>(__ballot_sync(kFullWarp, has && mine.x == least))) - 1;
      const uint2 up = make_uint2(least, __shfl_sync(kFullWarp, mine.y, winner));
      if (hole == kTop) {
        top_ = up;
      } else if (lane == 0) {
        Store(hole, up);
      }
      hole = first + static_cast<std::uint32_t>(winner);
    }
    if (hole == kTop) {
      top_ = pair;
    } else if (lane == 0) {
      Store(hole, pair);
    }
    __syncwarp();
    return popped;
  }

 private:
  static constexpr std::uint32_t kTop = 0xFFFFFFFFU;
  static constexpr unsigned kMostLevels = 6;  // 32 + ... + 32^6 pairs

  __device__ uint2* At(std::uint32_t place) const {
    if (place < shared_capacity_) return &shared_[place];
    const std::uint32_t beyond = place - shared_capacity_;
    return &pool_.pairs[static_cast<std::size_t>(chunks_[beyond / HeapPool::kChunk]) * HeapPool::kChunk +
                        beyond % HeapPool::kChunk];
  }
  __device__ uint2 Load(std::uint32_t place) const { return *At(place); }
  __device__ void Store(std::uint32_t place, uint2 pair) { *At(place) = pair; }

  // Provides memory for a place, which is at most one above the last.
  __device__ bool Reach(std::uint32_t place) {
    if (place < shared_capacity_) return true;
    const std::uint32_t chunk = (place - shared_capacity_) / HeapPool::kChunk;
    if (chunk < num_chunks_) return true;
    if (chunk >= kMostChunks) return false;
    std::uint32_t taken = 0;
    if (threadIdx.x % 32 == 0) {
      // Never above num_chunks, so the counter cannot overflow.
      taken = *static_cast<volatile std::uint32_t*>(pool_.num_taken);
      if (taken < pool_.num_chunks) taken = atomicAdd(pool_.num_taken, 1U);
      if (taken < pool_.num_chunks) chunks_[chunk] = taken;
    }
    taken = __shfl_sync(kFullWarp, taken, 0);
    if (taken >= pool_.num_chunks) return false;
    __syncwarp();
    ++num_chunks_;
    return true;
  }

  uint2* shared_;
  std::uint32_t shared_capacity_;
  std::uint32_t* chunks_;
  HeapPool pool_;
  std::uint32_t num_chunks_ = 0, size_ = 0;
  uint2 top_{};
};

}  // namespace parallax::cuda
