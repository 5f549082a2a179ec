// Predecessors from distances, by the rule of parallax/cloud_measures.h: the tight node of the lowest number,
// found by atomicMin, so that no order matters. And small kernels around a search: fill, gather, pack.
#include <algorithm>

#include "cuda/cloud/geodesics/geodesic_kernels.h"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::uint32_t kNone = 0xFFFFFFFFU;  // kNoNeighbour's bits: the highest number

unsigned BlocksFor(std::size_t count) {
  return static_cast<unsigned>(std::min<std::size_t>((count + kThreads - 1) / kThreads, 1U << 13));
}

__device__ std::size_t ThreadIndex() { return static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; }
__device__ std::size_t NumThreads() { return static_cast<std::size_t>(gridDim.x) * kThreads; }

// Four values a store where values, which may be one row of many, are aligned to it.
__global__ void FillKernel(std::uint32_t* values, std::size_t count, std::uint32_t value) {
  if (reinterpret_cast<std::uintptr_t>(values) % sizeof(uint4) == 0) {
    const uint4 four = make_uint4(value, value, value, value);
    for (std::size_t i = ThreadIndex(); i < count / 4; i += NumThreads()) {
      reinterpret_cast<uint4*>(values)[i] = four;
    }
    const std::size_t rest = count / 4 * 4 + ThreadIndex();
    if (rest < count) values[rest] = value;
  } else {
    for (std::size_t i = ThreadIndex(); i < count; i += NumThreads()) values[i] = value;
  }
}

struct RowRange {
  std::uint32_t begin, end;
};
__device__ RowRange RowOf(const DeviceGraph& graph, std::uint32_t node) {
  if (graph.first_edge == nullptr) return {node * kRowLanes, (node + 1) * kRowLanes};
  return {graph.first_edge[node], graph.first_edge[node + 1]};
}

// kRowLanes lanes a node and source. level 0: tight nodes that are nearer. Else: those of the level below,
// equally far, for nodes that have no level.
__global__ void OfferPredecessorsKernel(GeodesicBatch batch, std::uint32_t level, const std::uint32_t* levels,
                                        std::uint32_t* predecessors) {
  const auto num_nodes = static_cast<std::size_t>(batch.graph.num_nodes);
  const std::size_t count = num_nodes * static_cast<std::size_t>(batch.num_sources);
  const std::uint32_t slot = threadIdx.x % kRowLanes;
  for (std::size_t i = ThreadIndex() / kRowLanes; i < count; i += NumThreads() / kRowLanes) {
    const std::size_t row = i / num_nodes;
    const auto node = static_cast<std::uint32_t>(i - row * num_nodes);
    const float* distances = batch.distances + row * num_nodes;
    const float distance = distances[node], limit = batch.limits[row];
    if (!(distance <= limit) || (level != 0 && levels[node] != level - 1)) continue;
    const RowRange edges = RowOf(batch.graph, node);
    for (std::uint32_t edge = edges.begin + slot; edge < edges.end; edge += kRowLanes) {
      const uint2 to = batch.graph.edges[edge];
      const float there = distance + __uint_as_float(to.y);
      // A sum that overflows to +inf is no way to anywhere.
      if (!(there <= limit) || there != distances[to.x] || __float_as_uint(there) == 0x7F800000U) continue;
      if (level == 0 ? distance < there : distance == there && levels[to.x] == kNone) {
        atomicMin(&predecessors[row * num_nodes + to.x], node);
      }
    }
  }
}

__device__ bool IsLeft(const GeodesicBatch& batch, const std::uint32_t* predecessors, std::size_t i,
                       std::size_t row, std::size_t node) {
  const float distance = batch.distances[i];
  return predecessors[i] == kNone && distance <= batch.limits[row] &&
         __float_as_uint(distance) != 0x7F800000U &&
         node != static_cast<std::size_t>(static_cast<std::uint32_t>(batch.sources[row]));
}

// One block row a source.
__global__ void CountLeftKernel(GeodesicBatch batch, const std::uint32_t* predecessors,
                                std::uint32_t* num_left) {
  const auto num_nodes = static_cast<std::size_t>(batch.graph.num_nodes);
  const std::size_t count = num_nodes * static_cast<std::size_t>(batch.num_sources);
  for (std::size_t i = ThreadIndex(); i < count; i += NumThreads()) {
    const std::size_t row = i / num_nodes;
    if (IsLeft(batch, predecessors, i, row, i - row * num_nodes)) atomicAdd(&num_left[row], 1U);
  }
}

// One source.
__global__ void FirstLevelsKernel(GeodesicBatch batch, const std::uint32_t* predecessors,
                                  std::uint32_t* levels) {
  const auto num_nodes = static_cast<std::size_t>(batch.graph.num_nodes);
  for (std::size_t i = ThreadIndex(); i < num_nodes; i += NumThreads()) {
    levels[i] = IsLeft(batch, predecessors, i, 0, i) ? kNone : 0;
  }
}

__global__ void SetLevelsKernel(std::int32_t num_nodes, std::uint32_t level,
                                const std::uint32_t* predecessors, std::uint32_t* levels,
                                std::uint32_t* num_found) {
  for (std::size_t i = ThreadIndex(); i < static_cast<std::size_t>(num_nodes); i += NumThreads()) {
    if (levels[i] == kNone && predecessors[i] != kNone) {
      levels[i] = level;
      atomicAdd(num_found, 1U);
    }
  }
}

__global__ void GatherKernel(GeodesicBatch batch, float* columns) {
  const auto num_nodes = static_cast<std::size_t>(batch.graph.num_nodes);
  const auto num_targets = static_cast<std::size_t>(batch.num_targets);
  const std::size_t count = num_targets * static_cast<std::size_t>(batch.num_sources);
  for (std::size_t i = ThreadIndex(); i < count; i += NumThreads()) {
    const std::size_t row = i / num_targets;
    const auto target = static_cast<std::size_t>(batch.targets[i - row * num_targets]);
    columns[i] = batch.distances[row * num_nodes + target];
  }
}

__global__ void PadRowsKernel(std::int32_t num_nodes, const std::uint32_t* first_edge,
                              const std::int32_t* targets, const float* lengths, uint2* edges) {
  const auto count = static_cast<std::size_t>(num_nodes) * kRowLanes;
  for (std::size_t i = ThreadIndex(); i < count; i += NumThreads()) {
    const std::size_t node = i / kRowLanes, edge = first_edge[node] + i % kRowLanes;
    edges[i] = edge < first_edge[node + 1]
                   ? make_uint2(static_cast<std::uint32_t>(targets[edge]), __float_as_uint(lengths[edge]))
                   : make_uint2(static_cast<std::uint32_t>(node), 0x7F800000U);
  }
}

__global__ void JoinEdgesKernel(std::size_t num_edges, const std::int32_t* targets, const float* lengths,
                                uint2* edges) {
  for (std::size_t i = ThreadIndex(); i < num_edges; i += NumThreads()) {
    edges[i] = make_uint2(static_cast<std::uint32_t>(targets[i]), __float_as_uint(lengths[i]));
  }
}

std::size_t CountOf(const GeodesicBatch& batch) {
  return static_cast<std::size_t>(batch.graph.num_nodes) * static_cast<std::size_t>(batch.num_sources);
}

}  // namespace

void FillUnreached(float* distances, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  FillKernel<<<BlocksFor(count), kThreads, 0, stream>>>(reinterpret_cast<std::uint32_t*>(distances), count,
                                                        0x7F800000U);
  CheckLaunch("FillKernel");
}

void FindPredecessors(const GeodesicBatch& batch, std::int32_t* predecessors, std::uint32_t* num_left,
                      cudaStream_t stream) {
  auto* bits = reinterpret_cast<std::uint32_t*>(predecessors);
  FillKernel<<<BlocksFor(CountOf(batch)), kThreads, 0, stream>>>(bits, CountOf(batch), kNone);
  CheckLaunch("FillKernel");
  OfferPredecessorsKernel<<<BlocksFor(CountOf(batch) * kRowLanes), kThreads, 0, stream>>>(batch, 0, nullptr,
                                                                                          bits);
  CheckLaunch("OfferPredecessorsKernel");
  Check(cudaMemsetAsync(num_left, 0, sizeof(*num_left) * static_cast<std::size_t>(batch.num_sources), stream),
        "cudaMemsetAsync");
  CountLeftKernel<<<BlocksFor(CountOf(batch)), kThreads, 0, stream>>>(batch, bits, num_left);
  CheckLaunch("CountLeftKernel");
}

void ResolvePlateauLevel(const GeodesicBatch& batch, std::uint32_t level, std::int32_t* predecessors,
                         std::uint32_t* levels, std::uint32_t* num_found, cudaStream_t stream) {
  auto* bits = reinterpret_cast<std::uint32_t*>(predecessors);
  const unsigned blocks = BlocksFor(static_cast<std::size_t>(batch.graph.num_nodes));
  if (level == 1) {
    FirstLevelsKernel<<<blocks, kThreads, 0, stream>>>(batch, bits, levels);
    CheckLaunch("FirstLevelsKernel");
  }
  OfferPredecessorsKernel<<<BlocksFor(CountOf(batch) * kRowLanes), kThreads, 0, stream>>>(batch, level,
                                                                                          levels, bits);
  CheckLaunch("OfferPredecessorsKernel");
  Check(cudaMemsetAsync(num_found, 0, sizeof(*num_found), stream), "cudaMemsetAsync");
  SetLevelsKernel<<<blocks, kThreads, 0, stream>>>(batch.graph.num_nodes, level, bits, levels, num_found);
  CheckLaunch("SetLevelsKernel");
}

void GatherTargets(const GeodesicBatch& batch, float* columns, cudaStream_t stream) {
  const std::size_t count =
      static_cast<std::size_t>(batch.num_targets) * static_cast<std::size_t>(batch.num_sources);
  if (count == 0) return;
  GatherKernel<<<BlocksFor(count), kThreads, 0, stream>>>(batch, columns);
  CheckLaunch("GatherKernel");
}

void PadRows(std::int32_t num_nodes, const std::uint32_t* first_edge, const std::int32_t* targets,
             const float* lengths, uint2* edges, cudaStream_t stream) {
  PadRowsKernel<<<BlocksFor(static_cast<std::size_t>(num_nodes) * kRowLanes), kThreads, 0, stream>>>(
      num_nodes, first_edge, targets, lengths, edges);
  CheckLaunch("PadRowsKernel");
}

void JoinEdges(std::size_t num_edges, const std::int32_t* targets, const float* lengths, uint2* edges,
               cudaStream_t stream) {
  if (num_edges == 0) return;
  JoinEdgesKernel<<<BlocksFor(num_edges), kThreads, 0, stream>>>(num_edges, targets, lengths, edges);
  CheckLaunch("JoinEdgesKernel");
}

}  // namespace parallax::cuda
