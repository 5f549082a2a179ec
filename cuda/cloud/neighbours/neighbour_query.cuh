// The query: a warp takes 32 successive points of the curve, begins with their leaves and climbs to the root.
// It descends into every node that one of its lanes needs.
#pragma once

#include "cuda/cloud/neighbours/collector.cuh"
#include "cuda/cloud/neighbours/neighbour_query.h"
#include "cuda/device/check.h"

namespace parallax::cuda {

// The squared distance of parallax/cloud_measures.h. Every operation is rounded separately, and rounding is
// monotone: the distance to the nearest point of a box is at most that to any point inside.
__device__ inline float SquaredDistance(float dx, float dy, float dz) {
  return __fadd_rn(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy)), __fmul_rn(dz, dz));
}
__device__ inline float Outside(float x, float low, float high) {
  return __fsub_rn(x, fminf(fmaxf(x, low), high));
}

template <typename List>
__device__ inline void OfferLeaf(const NeighbourTree& tree, int leaf, float x, float y, float z, int self,
                                 List& list) {
  const TreePoint* const points = tree.points + static_cast<std::int64_t>(leaf) * kLeafPoints;
#pragma unroll
  for (int i = 0; i < kLeafPoints; ++i) {
    const TreePoint p = points[i];
    list.Offer(SquaredDistance(x - p.x, y - p.y, z - p.z), p.index, i != self);
  }
}

inline constexpr std::uint32_t kDone = 0xFFFFFFFFu;

template <int kSize>
__device__ inline void WriteRow(const NeighbourQuery& query, std::int64_t row,
                                const NeighbourKey (&best)[kSize], bool active) {
  const auto index_of = [&](int i) { return active ? static_cast<std::int32_t>(best[i]) : -1; };
  const auto distance_of = [&](int i) {
    return active ? __fsqrt_rn(SquaredOf(best[i])) : __int_as_float(0x7F800000);
  };
  if constexpr (kSize % 4 == 0) {
    const bool aligned = ((reinterpret_cast<std::uintptr_t>(query.indices) |
                           reinterpret_cast<std::uintptr_t>(query.distances)) &
                          15u) == 0;
    if (query.k == kSize && aligned) {
#pragma unroll
      for (int i = 0; i < kSize; i += 4) {
        if (query.indices != nullptr) {
          *reinterpret_cast<int4*>(query.indices + row * kSize + i) =
              make_int4(index_of(i), index_of(i + 1), index_of(i + 2), index_of(i + 3));
        }
        if (query.distances != nullptr) {
          *reinterpret_cast<float4*>(query.distances + row * kSize + i) =
              make_float4(distance_of(i), distance_of(i + 1), distance_of(i + 2), distance_of(i + 3));
        }
      }
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
    const int column = i - (kSize - query.k);
    if (column < 0) continue;
    if (query.indices != nullptr) query.indices[row * query.k + column] = index_of(i);
    if (query.distances != nullptr) query.distances[row * query.k + column] = distance_of(i);
  }
}

template <int kSize>
__device__ inline void WriteMean(const NeighbourQuery& query, std::int64_t row, const float (&best)[kSize],
                                 bool active) {
  const int others = static_cast<int>(query.extent->num_finite) - (query.exclude_self ? 1 : 0);
  const int count = active ? min(query.k, others) : 0;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
    const int column = i - (kSize - query.k);
    if (column >= 0 && column < count) sum = __fadd_rn(sum, __fsqrt_rn(best[i]));
  }
  query.means[row] = __fdiv_rn(sum, static_cast<float>(count));  // 0 / 0 = NaN
}

// Blocks are as small as the registers allow without empty places for warps: a block keeps its places until
// its slowest warp is done.
template <int kSize>
inline constexpr int kQueryWarps = kSize <= 4 ? 2 : 1;
// Least number of blocks on a multiprocessor that has room for 32. It limits the registers of a thread.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
template <int kSize>
inline constexpr int kQueryBlocks = kSize <= 4    ? 20
                                    : kSize <= 8  ? 32
                                    : kSize <= 16 ? 24
                                    : kSize <= 32 ? 16
                                                  : 1;
#else
template <int kSize>
inline constexpr int kQueryBlocks = 1;
#endif

template <int kSize, typename Key>
__global__ void __launch_bounds__(32 * kQueryWarps<kSize>, kQueryBlocks<kSize>)
    QueryNeighbours(const __grid_constant__ NeighbourQuery query) {
  using List = Collector<kSize, Key>;
  __shared__ Key buffers[kQueryWarps<kSize>][List::kBufferSize];
  __shared__ std::uint32_t stacks[kQueryWarps<kSize>][kMostTreeLevels][32];
  const NeighbourTree& tree = query.tree;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int this_warp = static_cast<int>(blockIdx.x) * kQueryWarps<kSize> + warp;
  const std::int64_t first_query = static_cast<std::int64_t>(this_warp) * 32;
  if (first_query >= query.num_queries) return;

  const TreePoint own = query.queries[first_query + lane];
  const bool active = own.x < __int_as_float(0x7F800000);
  List list;
  list.Start(query.k, active, &buffers[warp][List::kBuffered ? lane : 0]);

  if (__any_sync(kFullWarp, active)) {
    constexpr float kLargest = 3.402823466e38f;
    const float low_x = WarpMin(active ? own.x : kLargest), high_x = WarpMax(active ? own.x : -kLargest);
    const float low_y = WarpMin(active ? own.y : kLargest), high_y = WarpMax(active ? own.y : -kLargest);
    const float low_z = WarpMin(active ? own.z : kLargest), high_z = WarpMax(active ? own.z : -kLargest);

    const std::int64_t place = query.places == nullptr ? first_query : query.places[this_warp];
    // Finished nodes of the level below: [from, from + width).
    int from = static_cast<int>(place / kLeafPoints), width = 32 / kLeafPoints;
    for (int i = 0; i < width; ++i) {
      OfferLeaf(tree, from + i, own.x, own.y, own.z, query.exclude_self ? lane - i * kLeafPoints : -1, list);
      list.Settle(false);
    }
    std::uint32_t farthest = WarpMax(__float_as_uint(fmaxf(list.worst, 0.0f)));
    int leaves_left = query.most_leaves;
    const auto stack = static_cast<std::uint32_t>(__cvta_generic_to_shared(&stacks[warp][0][lane]));

    // This lane's child of a node: its distance from the warp's box, the lane in the low bits.
    const auto child_entry = [&](const float4* boxes) {
      const float4 low = boxes[2 * lane], high = boxes[2 * lane + 1];
      const float dx = fmaxf(fmaxf(__fsub_rn(low.x, high_x), __fsub_rn(low_x, high.x)), 0.0f);
      const float dy = fmaxf(fmaxf(__fsub_rn(low.y, high_y), __fsub_rn(low_y, high.y)), 0.0f);
      const float dz = fmaxf(fmaxf(__fsub_rn(low.z, high_z), __fsub_rn(low_z, high.z)), 0.0f);
      return (__float_as_uint(SquaredDistance(dx, dy, dz)) & ~31u) | static_cast<std::uint32_t>(lane);
    };

    for (int climbed = 1; climbed <= tree.top; ++climbed) {
      int level = climbed, node = from / 32;
      const float4* boxes = tree.ChildBoxes(level, node);
      std::uint32_t entry = child_entry(boxes);
      if (static_cast<unsigned>(node * 32 + lane - from) < static_cast<unsigned>(width)) entry = kDone;
      while (true) {
        const std::uint32_t nearest = WarpMin(entry);
        // A point at the same distance may still have a lower index.
        if (List::kIndices ? (nearest & ~31u) > farthest : (nearest & ~31u) >= farthest) {
          if (level == climbed) break;
          ++level;
          node /= 32;
          boxes = tree.ChildBoxes(level, node);
          LoadShared(stack + static_cast<std::uint32_t>(level) * 128, entry);
          continue;
        }
        const int child_lane = static_cast<int>(nearest & 31u);
        if (lane == child_lane) entry = kDone;
        const float4 low = boxes[2 * child_lane], high = boxes[2 * child_lane + 1];
        const float squared = SquaredDistance(Outside(own.x, low.x, high.x), Outside(own.y, low.y, high.y),
                                              Outside(own.z, low.z, high.z));
        if (!__any_sync(kFullWarp, list.Needs(squared, __float_as_uint(low.w)))) continue;
        const int child = node * 32 + child_lane;
        if (level > 1) {
          StoreShared(stack + static_cast<std::uint32_t>(level) * 128, entry);
          --level;
          node = child;
          boxes = tree.ChildBoxes(level, node);
          entry = child_entry(boxes);
        } else {
          if (--leaves_left < 0) {
            // Points that are far from each other, as where a curve jumps, are handled one by one
            // (QueryOneByOne).
            if (lane == 0) query.leftover[atomicAdd(query.num_leftover, 1)] = this_warp;
            return;
          }
          OfferLeaf(tree, child, own.x, own.y, own.z, -1, list);
          if (list.Settle(false)) farthest = WarpMax(__float_as_uint(fmaxf(list.worst, 0.0f)));
        }
      }
      from /= 32;
      width = 1;
    }
    list.Settle(true);
  }

  if (first_query + lane >= query.num_queries) return;
  const std::int64_t row = query.order[first_query + lane];
  if constexpr (List::kIndices) {
    WriteRow<kSize>(query, row, list.best, active);
  } else {
    WriteMean<kSize>(query, row, list.best, active);
  }
}

// The kernel for a query's k.
template <typename Key, int... kSizes>
void LaunchOneOf(const NeighbourQuery& query, cudaStream_t stream) {
  // The smallest compiled size that is at least k.
  const int size = query.k <= 4 ? query.k : query.k <= 8 ? 8 : query.k <= 16 ? 16 : query.k <= 32 ? 32 : 64;
  const int warps = (query.num_queries + 31) / 32;
  const auto launch = [&]<int kSize>() {
    constexpr int kWarps = kQueryWarps<kSize>;
    QueryNeighbours<kSize, Key>
        <<<static_cast<unsigned>((warps + kWarps - 1) / kWarps), 32 * kWarps, 0, stream>>>(query);
  };
  ((size == kSizes ? launch.template operator()<kSizes>() : void()), ...);
  CheckLaunch("QueryNeighbours");
}

}  // namespace parallax::cuda
