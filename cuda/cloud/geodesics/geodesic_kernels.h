// Shared by the kernels of the geodesics: the graph on the device, one batch of searches, and the launchers.
// Nothing here allocates or waits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace parallax::cuda {

// Number of lanes that expand a node together, and the length of a padded row.
inline constexpr int kRowLanes = 8;

// A graph in device memory. An edge is (target, bits of its length).
struct DeviceGraph {
  std::int32_t num_nodes = 0;
  const std::uint32_t* first_edge = nullptr;  // num_nodes + 1; null: rows of kRowLanes edges, padded with
                                              // edges of infinite length
  const uint2* edges = nullptr;
};

// A batch of searches, one from each source. Pointers are to device memory.
struct GeodesicBatch {
  DeviceGraph graph;
  const std::int32_t* sources = nullptr;
  int num_sources = 0;
  float range = 0;
  const std::int32_t* targets = nullptr;
  std::int32_t num_targets = 0;  // 0: all nodes
  float* distances = nullptr;    // num_sources x num_nodes
  float* limits = nullptr;       // num_sources: nodes farther than this count as unreached
};

// Sets all distances to +inf.
void FillUnreached(float* distances, std::size_t count, cudaStream_t stream);

// --- near_far.cu ---
struct NearFarOptions {
  bool few = false;               // fewer searches than multiprocessors: short time matters more than little
                                  // work
  float first_delta = 0;          // width of the first bucket, m
  int most_near = 1024;           // nodes aimed at for a bucket's first step
  int grow_below_percent = 75;    // of the waiting nodes: the next bucket is wider if fewer were near
  int shrink_above_percent = 95;  // ... narrower if more were
};
// Blocks that run at the same time on this device.
int NearFarBlocks(bool padded_rows, bool few);
// Room for the waiting nodes: one list of (node, bits of its distance) for each block.
struct FarList {
  uint2* entries = nullptr;  // blocks x capacity
  std::size_t capacity = 0;
  std::size_t full = 0;  // from here the list is thinned out
};
// The list's sizes; it has no memory yet.
FarList SizeOfFarList(std::int32_t num_nodes, std::int64_t num_edges, std::int32_t max_degree);
// Searches from all sources of batch; sets its distances, which FillUnreached must have filled, and its
// limits. steps: null, or num_sources numbers of steps.
void NearFar(const GeodesicBatch& batch, const NearFarOptions& options, int blocks, FarList far,
             std::uint32_t* steps, cudaStream_t stream);

// --- heap_search.cu ---

// Memory of queues that outgrow shared memory.
struct HeapMemory {
  uint2* pairs = nullptr;  // num_chunks x HeapChunkPairs()
  std::uint32_t num_chunks = 0;
  std::uint32_t* num_taken = nullptr;  // one number, scratch
};
std::size_t HeapChunkPairs();
// Searches that run at the same time on this device.
int HeapSearchWarps();
// See NearFar. is_target: one bit for each node, scratch. out_of_memory: num_sources, 1 where the chunks did
// not suffice: that row is invalid.
void HeapSearch(const GeodesicBatch& batch, std::int32_t num_distinct_targets, std::uint32_t* is_target,
                const HeapMemory& memory, std::uint32_t* out_of_memory, cudaStream_t stream);

// --- predecessors.cu ---

// Sets all predecessors except those on plateaus (cloud_measures.h). predecessors: num_sources x num_nodes.
// num_left: num_sources, the number of reached nodes in each row without one.
void FindPredecessors(const GeodesicBatch& batch, std::int32_t* predecessors, std::uint32_t* num_left,
                      cudaStream_t stream);
// Resolves level 1, 2, ... of the plateaus of one source; the caller goes on until num_found (one number) is
// 0. levels: num_nodes, scratch, the same for all levels.
void ResolvePlateauLevel(const GeodesicBatch& batch, std::uint32_t level, std::int32_t* predecessors,
                         std::uint32_t* levels, std::uint32_t* num_found, cudaStream_t stream);
// Copies the distances of the targets. columns: num_sources x num_targets.
void GatherTargets(const GeodesicBatch& batch, float* columns, cudaStream_t stream);
// Copies rows of at most kRowLanes edges into rows of exactly kRowLanes, padded with edges of infinite
// length. first_edge: num_nodes + 1. edges: num_nodes x kRowLanes.
void PadRows(std::int32_t num_nodes, const std::uint32_t* first_edge, const std::int32_t* targets,
             const float* lengths, uint2* edges, cudaStream_t stream);
// Joins two arrays to one of pairs.
void JoinEdges(std::size_t num_edges, const std::int32_t* targets, const float* lengths, uint2* edges,
               cudaStream_t stream);

}  // namespace parallax::cuda
