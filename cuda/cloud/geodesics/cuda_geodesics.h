// The shortest paths of parallax/cloud_measures.h on a CUDA device. Implemented in near_far.cu,
// heap_search.cu and predecessors.cu.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "cuda/cloud/geodesics/geodesic_kernels.h"
#include "cuda/cloud/large_download.h"
#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "pipeline/cloud/geodesics/geodesics.h"

namespace parallax::cuda {

// Works on the device that is current when it is made. Memory is allocated on first use and kept. Not
// thread-safe.
class GeodesicSolver {
 public:
  // Throws what EmptyGeodesics throws, and Error if the device has too little memory for one source.
  Geodesics ShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                          const GeodesicOptions& options);

  // Sets the graph for FindDistances, whose data stays on the device. The caller checks the graph.
  void SetGraph(const CloudGraph& graph);
  const DeviceGraph& graph() const { return graph_; }
  // Computes the distances and limits of batch, whose graph must be graph(). steps: null, or num_sources
  // numbers. Allocates on the first call for a graph; enqueues on stream. A search with a heap also waits for
  // the end.
  void FindDistances(const GeodesicBatch& batch, cudaStream_t stream, std::uint32_t* steps = nullptr,
                     GeodesicAlgorithm algorithm = GeodesicAlgorithm::kFastest);

  // Set by tests; overrides GeodesicOptions::algorithm unless it is kByRule.
  enum class Method { kByRule, kFewNearFar, kManyNearFar, kHeap };
  Method method = Method::kByRule;
  int most_near = 0;  // 0 = by rule
  std::size_t most_heap_chunks = std::numeric_limits<std::size_t>::max();

 private:
  std::int64_t RowsThatFit(std::int64_t num_sources, std::size_t bytes_per_row);
  bool IsFasterByHeap(int num_sources) const;
  // The batch's distances must have been filled by FillUnreached.
  void FindByNearFar(const GeodesicBatch& batch, cudaStream_t stream, std::uint32_t* steps);
  void FindByHeap(const GeodesicBatch& batch, cudaStream_t stream);
  void ResolvePlateaus(const GeodesicBatch& batch, std::span<const std::uint32_t> num_left);

  Stream stream_;
  LargeDownload download_;
  DeviceGraph graph_;
  float mean_length_m_ = 0;  // of an edge, from a sample
  std::int32_t max_degree_ = 0;
  std::int64_t num_edges_ = 0;
  DeviceBuffer<std::uint32_t> first_edge_;
  DeviceBuffer<std::int32_t> edge_targets_;
  DeviceBuffer<float> edge_lengths_;
  DeviceBuffer<uint2> edges_, far_, heap_;
  DeviceBuffer<std::int32_t> sources_, targets_, predecessors_;
  DeviceBuffer<float> distances_, limits_, columns_;
  DeviceBuffer<std::uint32_t> num_left_, levels_, num_found_, is_target_, heap_taken_, out_of_memory_;
};

}  // namespace parallax::cuda
