// The two lists of a near-far search (near_far.cu) and the operations of a step. Called by all threads of a
// block of kNearFarThreads.
#pragma once

#include <cstdint>

#include "cuda/cloud/geodesics/geodesic_kernels.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda {

inline constexpr std::uint32_t kInfinityBits = 0x7F800000U;
inline constexpr int kNear = 2048;    // entries of a near list; the rest waits with the far ones
inline constexpr int kFarUnroll = 2;  // entries that a thread reads at a time
inline constexpr int kRowsOfWarp = 32 / kRowLanes;
inline constexpr int kNearFarThreads = 1024;  // of a block

// The targets of entries: those below `end` go to near while there is room, the others to far.
struct Lists {
  float end;
  uint2* near;
  std::uint32_t* num_near;  // may grow above kNear
  uint2* far;
  std::uint32_t* num_far;
};

// All lanes of a warp call this. Entries with `has` go to their list; places are reserved once for all.
template <int kCount>
__device__ __forceinline__ void Put(const Lists& lists, const bool (&has)[kCount],
                                    const uint2 (&entry)[kCount], unsigned lane) {
  unsigned near_lanes[kCount], far_lanes[kCount];
  std::uint32_t count_near = 0, count_far = 0;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const bool to_near = __uint_as_float(entry[j].y) < lists.end;
    near_lanes[j] = __ballot_sync(kFullWarp, has[j] && to_near);
    far_lanes[j] = __ballot_sync(kFullWarp, has[j] && !to_near);
    count_near += static_cast<std::uint32_t>(__popc(near_lanes[j]));
    count_far += static_cast<std::uint32_t>(__popc(far_lanes[j]));
  }
  if ((count_near | count_far) == 0) return;
  std::uint32_t first = 0;  // lane 0 reserves in near, lane 1 in far
  if (lane < 2) {
    const std::uint32_t count = lane == 0 ? count_near : count_far;
    if (count != 0) first = atomicAdd(lane == 0 ? lists.num_near : lists.num_far, count);
  }
  std::uint32_t first_near = __shfl_sync(kFullWarp, first, 0), first_far = __shfl_sync(kFullWarp, first, 1);
  const unsigned before = (1U << lane) - 1U;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const bool to_near = (near_lanes[j] >> lane & 1U) != 0;
    const std::uint32_t place = to_near
                                    ? first_near + static_cast<std::uint32_t>(__popc(near_lanes[j] & before))
                                    : first_far + static_cast<std::uint32_t>(__popc(far_lanes[j] & before));
    if (has[j]) {
      if (!to_near) {
        lists.far[place] = entry[j];
      } else if (place < kNear) {
        lists.near[place] = entry[j];
      } else {
        lists.far[atomicAdd(lists.num_far, 1U)] = entry[j];  // rare: the near list is full
      }
    }
    first_near += static_cast<std::uint32_t>(__popc(near_lanes[j]));
    first_far += static_cast<std::uint32_t>(__popc(far_lanes[j]));
  }
}

template <bool kPadded, bool kFew>
__device__ void ExpandNear(const DeviceGraph& graph, float* distances, float range, const uint2* near,
                           std::uint32_t num_near, const Lists& lists) {
  const unsigned lane = threadIdx.x % 32, slot = lane % kRowLanes;
  constexpr int kUnroll = kFew ? 2 : 1;  // nodes that a group of lanes expands at a time
  constexpr std::uint32_t kNodesPerWarp = kRowsOfWarp * kUnroll;
  auto* bits = reinterpret_cast<std::uint32_t*>(distances);
  for (std::uint32_t first = threadIdx.x / 32 * kNodesPerWarp; first < num_near;
       first += kNearFarThreads / 32 * kNodesPerWarp) {
    std::uint32_t edge[kUnroll], row_end[kUnroll];
    float distance[kUnroll], now[kUnroll];
#pragma unroll
    for (int j = 0; j < kUnroll; ++j) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(j) * kRowsOfWarp + lane / kRowLanes;
      const bool has = i < num_near;
      const uint2 entry = has ? near[i] : make_uint2(0, 0);
      distance[j] = __uint_as_float(entry.y);
      now[j] = has ? __ldcg(&distances[entry.x]) : -1.0F;
      if constexpr (kPadded) {
        edge[j] = entry.x * kRowLanes + slot;
        row_end[j] = has ? edge[j] + 1 : 0;
      } else {
        edge[j] = graph.first_edge[entry.x] + slot;
        row_end[j] = has ? graph.first_edge[entry.x + 1] : 0;
      }
    }
    bool more = true;
    while (more) {
      uint2 to[kUnroll];
      bool shorter[kUnroll];
#pragma unroll
      for (int j = 0; j < kUnroll; ++j) {
        shorter[j] = edge[j] < row_end[j];
        to[j] = shorter[j] ? __ldg(&graph.edges[edge[j]]) : make_uint2(0, kInfinityBits);
      }
#pragma unroll
      for (int j = 0; j < kUnroll; ++j) {
        const float longer = distance[j] + __uint_as_float(to[j].y);
        // A node whose distance has fallen since is expanded with its newer entry.
        shorter[j] = shorter[j] && now[j] == distance[j] && longer <= range;
        // With few searches latency dominates; with many, the throughput of atomic operations.
        if constexpr (!kFew) shorter[j] = shorter[j] && longer < __ldcg(&distances[to[j].x]);
        to[j].y = __float_as_uint(longer);
      }
#pragma unroll
      for (int j = 0; j < kUnroll; ++j) {
        if (shorter[j]) shorter[j] = to[j].y < atomicMin(&bits[to[j].x], to[j].y);
      }
      Put(lists, shorter, to, lane);
      if constexpr (kPadded) {
        more = false;
      } else {
        more = false;
#pragma unroll
        for (int j = 0; j < kUnroll; ++j) {
          edge[j] += kRowLanes;
          more = more || edge[j] < row_end[j];
        }
        more = __any_sync(kFullWarp, more);
      }
    }
  }
}

// Drops outdated entries from the first num_far of the far list, moves those below lists.end to near and the
// rest to the front. Before the call the counts of lists are 0 and nearest is infinite. Ends with a barrier.
__device__ inline void SplitFar(const float* distances, std::uint32_t num_far, const Lists& lists,
                                std::uint32_t* nearest) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t least = kInfinityBits;
  for (std::uint32_t first = 0; first < num_far; first += kNearFarThreads * kFarUnroll) {
    uint2 entry[kFarUnroll];
    bool live[kFarUnroll];
#pragma unroll
    for (int j = 0; j < kFarUnroll; ++j) {
      const std::uint32_t i = first + static_cast<std::uint32_t>(j) * kNearFarThreads + threadIdx.x;
      live[j] = i < num_far;
      entry[j] = live[j] ? lists.far[i] : make_uint2(0, 0);
    }
#pragma unroll
    for (int j = 0; j < kFarUnroll; ++j) {
      live[j] = live[j] && __float_as_uint(__ldcg(&distances[entry[j].x])) == entry[j].y;
      if (live[j]) least = min(least, entry[j].y);
    }
    __syncthreads();  // all threads have read: kept entries go to places that were read
    Put(lists, live, entry, lane);
  }
  least = WarpMin(least);
  if (lane == 0) atomicMin(nearest, least);
  __syncthreads();
}

// The leading targets, from `next`, that are nearer than `known` (the nearest waiting distance) are done:
// their distances are final, and so are those of all nodes up to that distance. Called by all threads.
__device__ inline std::int32_t SkipKnownTargets(const GeodesicBatch& batch, const float* distances,
                                                float known, std::int32_t next) {
  while (next < batch.num_targets) {
    const std::int32_t i = next + static_cast<std::int32_t>(threadIdx.x);
    const bool done = i >= batch.num_targets || __ldcg(&distances[batch.targets[i]]) < known;
    if (__syncthreads_and(done) == 0) return next;
    next += kNearFarThreads;
  }
  return next;
}

}  // namespace parallax::cuda
