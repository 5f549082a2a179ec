// Shortest paths by Dijkstra's algorithm with a heap (priority_queue.cuh): one warp searches from one source
// and expands the nearest node, one edge a lane. Little work is done twice, and little at a time: right where
// many searches end soon, at near targets or a short range.
#include <algorithm>

#include "cuda/cloud/geodesics/geodesic_kernels.h"
#include "cuda/cloud/geodesics/priority_queue.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 4;                             // of a block
constexpr std::uint32_t kSharedPairs = 32 + 32 * 32;  // two levels below the top

struct SharedHeap {
  uint2 pairs[kSharedPairs];
  std::uint32_t chunks[WarpHeap::kMostChunks];
};

__global__ void __launch_bounds__(kWarps * 32)
    HeapSearchKernel(GeodesicBatch batch, const std::uint32_t* is_target, std::int32_t num_distinct_targets,
                     HeapPool pool, std::uint32_t* out_of_memory) {
  __shared__ SharedHeap shared[kWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  WarpHeap heap(shared[warp].pairs, kSharedPairs, shared[warp].chunks, pool);
  const DeviceGraph& graph = batch.graph;
  for (int row = static_cast<int>(blockIdx.x * kWarps + warp); row < batch.num_sources;
       row += static_cast<int>(gridDim.x) * kWarps) {
    float* distances = batch.distances + static_cast<std::size_t>(row) * graph.num_nodes;
    auto* bits = reinterpret_cast<std::uint32_t*>(distances);
    float limit = batch.range;
    std::int32_t targets_left = num_distinct_targets;
    const auto source = static_cast<std::uint32_t>(batch.sources[row]);
    heap.Clear();
    if (lane == 0) distances[source] = 0;
    __syncwarp();
    heap.Push(make_uint2(0, source));  // the first one needs no memory
    bool fits = true;
    while (fits && !heap.Empty()) {
      const uint2 nearest = heap.Pop();
      const float distance = __uint_as_float(nearest.x);
      const std::uint32_t node = nearest.y;
      if (distance > limit) break;
      std::uint32_t edge, row_end;
      if (graph.first_edge == nullptr) {
        edge = node * kRowLanes;
        row_end = edge + kRowLanes;
      } else {
        edge = graph.first_edge[node];
        row_end = graph.first_edge[node + 1];
      }
      edge += lane;
      uint2 to = edge < row_end ? __ldg(&graph.edges[edge]) : make_uint2(0, 0x7F800000U);
      if (__ldcg(&distances[node]) != distance) continue;  // a shorter path was found since
      if (num_distinct_targets != 0 && (is_target[node / 32] >> (node % 32) & 1U) != 0 &&
          --targets_left == 0) {
        limit = distance;
      }
      while (true) {
        const float longer = distance + __uint_as_float(to.y);
        to.y = __float_as_uint(longer);
        // atomicMin: a row may name a node twice.
        const bool shorter = edge < row_end && longer <= limit && longer < __ldcg(&distances[to.x]) &&
                             to.y < atomicMin(&bits[to.x], to.y);
        unsigned pushing = __ballot_sync(kFullWarp, shorter);
        while (pushing != 0) {
          const int from = __ffs(static_cast<int>(pushing)) - 1;
          pushing &= pushing - 1;
          const uint2 pair =
              make_uint2(__shfl_sync(kFullWarp, to.y, from), __shfl_sync(kFullWarp, to.x, from));
          fits = heap.Push(pair) && fits;
        }
        edge += 32;
        if (!__any_sync(kFullWarp, edge < row_end)) break;
        to = edge < row_end ? __ldg(&graph.edges[edge]) : make_uint2(0, 0x7F800000U);
      }
    }
    // With targets, nodes farther than the farthest target (limit) count as unreached. Without targets there
    // is no limit.
    if (lane == 0) {
      batch.limits[row] = limit;
      out_of_memory[row] = fits ? 0 : 1;
    }
    __syncwarp();
  }
}

__global__ void MarkTargetsKernel(GeodesicBatch batch, std::uint32_t* is_target) {
  for (std::int32_t i = static_cast<std::int32_t>(blockIdx.x * blockDim.x + threadIdx.x);
       i < batch.num_targets; i += static_cast<std::int32_t>(gridDim.x * blockDim.x)) {
    const auto node = static_cast<std::uint32_t>(batch.targets[i]);
    atomicOr(&is_target[node / 32], 1U << (node % 32));
  }
}

}  // namespace

int HeapSearchWarps() {
  int device = 0, multiprocessors = 0, blocks = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  Check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, HeapSearchKernel, kWarps * 32, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * multiprocessors * kWarps;
}

std::size_t HeapChunkPairs() { return HeapPool::kChunk; }

void HeapSearch(const GeodesicBatch& batch, std::int32_t num_distinct_targets, std::uint32_t* is_target,
                const HeapMemory& memory, std::uint32_t* out_of_memory, cudaStream_t stream) {
  const auto num_words = (static_cast<std::size_t>(batch.graph.num_nodes) + 31) / 32;
  if (batch.num_targets != 0) {
    Check(cudaMemsetAsync(is_target, 0, num_words * sizeof(*is_target), stream), "cudaMemsetAsync");
    MarkTargetsKernel<<<64, 256, 0, stream>>>(batch, is_target);
    CheckLaunch("MarkTargetsKernel");
  }
  Check(cudaMemsetAsync(memory.num_taken, 0, sizeof(*memory.num_taken), stream), "cudaMemsetAsync");
  const int blocks = (std::min(batch.num_sources, HeapSearchWarps()) + kWarps - 1) / kWarps;
  const HeapPool pool{.pairs = memory.pairs, .num_chunks = memory.num_chunks, .num_taken = memory.num_taken};
  HeapSearchKernel<<<static_cast<unsigned>(blocks), kWarps * 32, 0, stream>>>(
      batch, is_target, num_distinct_targets, pool, out_of_memory);
  CheckLaunch("HeapSearchKernel");
}

}  // namespace parallax::cuda
