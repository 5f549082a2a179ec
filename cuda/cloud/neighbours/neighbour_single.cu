// Queries whose warp would visit too much of the tree together: a warp each, the lanes side by side through
// boxes and points.
#include "cuda/cloud/neighbours/neighbour_query.cuh"
#include "cuda/cloud/neighbours/warp_list.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kSingleWarps = 4;    // a block
constexpr int kMostBlocks = 1056;  // fill the largest devices; they go on to the next queries

template <int kRows>
__device__ void FindOne(const NeighbourQuery& query, std::int64_t position, const TreePoint& own,
                        std::uint32_t (&stack)[kMostTreeLevels][32], WarpList<kRows>& list) {
  const NeighbourTree& tree = query.tree;
  const int lane = list.lane;
  const NeighbourKey none = MakeKey(__int_as_float(0x7F800000), kNoPoint);
  const auto candidate = [&](std::int64_t place) {
    const TreePoint p = tree.points[place];
    if (query.exclude_self && place == position) return none;
    return MakeKey(SquaredDistance(own.x - p.x, own.y - p.y, own.z - p.z), p.index);
  };
  const auto child_entry = [&](int level, int node) {
    const float4* boxes = tree.ChildBoxes(level, node);
    const float4 low = boxes[2 * lane], high = boxes[2 * lane + 1];
    const float squared = SquaredDistance(Outside(own.x, low.x, high.x), Outside(own.y, low.y, high.y),
                                          Outside(own.z, low.z, high.z));
    return MakeKey(squared, __float_as_uint(low.w)) < list.worst
               ? (__float_as_uint(squared) & ~31u) | static_cast<std::uint32_t>(lane)
               : kDone;
  };

  const std::int64_t place = query.places == nullptr ? position / 32 * 32 : query.places[position / 32];
  list.Offer(candidate(place + lane));
  int from = static_cast<int>(place / kLeafPoints), width = 32 / kLeafPoints;
  for (int climbed = 1; climbed <= tree.top; ++climbed) {
    int level = climbed, node = from / 32;
    std::uint32_t entry = child_entry(level, node);
    if (static_cast<unsigned>(node * 32 + lane - from) < static_cast<unsigned>(width)) entry = kDone;
    while (true) {
      const std::uint32_t farthest = __float_as_uint(SquaredOf(list.worst));
      std::uint32_t nearest = WarpMin(entry);
      if ((nearest & ~31u) > farthest) {
        if (level == climbed) break;
        ++level;
        node /= 32;
        entry = stack[level][lane];
        continue;
      }
      if (level > 1) {
        if (lane == static_cast<int>(nearest & 31u)) entry = kDone;
        stack[level][lane] = entry;
        --level;
        node = node * 32 + static_cast<int>(nearest & 31u);
        entry = child_entry(level, node);
        continue;
      }
      // The four nearest leaves at once.
      int leaf = -1;
#pragma unroll
      for (int i = 0; i < 32 / kLeafPoints; ++i) {
        if (i > 0) nearest = WarpMin(entry);
        if ((nearest & ~31u) > farthest) break;
        if (lane / kLeafPoints == i) leaf = node * 32 + static_cast<int>(nearest & 31u);
        if (lane == static_cast<int>(nearest & 31u)) entry = kDone;
      }
      list.Offer(leaf < 0 ? none
                          : candidate(static_cast<std::int64_t>(leaf) * kLeafPoints + lane % kLeafPoints));
    }
    from /= 32;
    width = 1;
  }
}

template <int kRows>
__global__ void __launch_bounds__(32 * kSingleWarps)
    QueryOneByOne(const __grid_constant__ NeighbourQuery query, unsigned* blocks_done) {
  __shared__ std::uint32_t stacks[kSingleWarps][kMostTreeLevels][32];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t count = static_cast<std::int64_t>(*query.num_leftover) * 32;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kSingleWarps;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSingleWarps + warp; i < count; i += step) {
    const std::int64_t position = static_cast<std::int64_t>(query.leftover[i / 32]) * 32 + i % 32;
    if (position >= query.num_queries) continue;
    const TreePoint own = query.queries[position];
    const bool active = own.x < __int_as_float(0x7F800000);
    WarpList<kRows> list(lane, query.k);
    if (active) FindOne<kRows>(query, position, own, stacks[warp], list);
    const std::int64_t row = query.order[position];
    if (query.means != nullptr) {
      const int others = static_cast<int>(query.extent->num_finite) - (query.exclude_self ? 1 : 0);
      const int neighbours = active ? min(query.k, others) : 0;
      float sum = 0;
      for (int j = 0; j < neighbours; ++j) {
        NeighbourKey entry = list.best[0];
        for (int r = 1; r < kRows; ++r) entry = j / 32 == r ? list.best[r] : entry;
        sum = __fadd_rn(sum, __fsqrt_rn(SquaredOf(__shfl_sync(kFullWarp, entry, j % 32))));
      }
      if (lane == 0) query.means[row] = __fdiv_rn(sum, static_cast<float>(neighbours));
    } else {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const int column = r * 32 + lane;
        if (column >= query.k) continue;
        if (query.indices != nullptr)
          query.indices[row * query.k + column] = static_cast<std::int32_t>(list.best[r]);
        if (query.distances != nullptr)
          query.distances[row * query.k + column] = __fsqrt_rn(SquaredOf(list.best[r]));
      }
    }
  }
  // The last block to come here leaves the counters as they were before the query.
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicInc(blocks_done, gridDim.x - 1) == gridDim.x - 1) *query.num_leftover = 0;
  }
}

}  // namespace

void LaunchNeighboursOneByOne(const NeighbourQuery& query, cudaStream_t stream) {
  const int warps = (query.num_queries + 31) / 32;
  const auto blocks = static_cast<unsigned>(warps < kMostBlocks / 8 ? warps * 8 : kMostBlocks);
  const auto blocks_done = reinterpret_cast<unsigned*>(query.num_leftover + 1);
  if (query.k <= 32) {
    QueryOneByOne<1><<<blocks, 32 * kSingleWarps, 0, stream>>>(query, blocks_done);
  } else {
    QueryOneByOne<2><<<blocks, 32 * kSingleWarps, 0, stream>>>(query, blocks_done);
  }
  CheckLaunch("QueryOneByOne");
}

}  // namespace parallax::cuda
