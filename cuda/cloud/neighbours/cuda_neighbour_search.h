// The exact k nearest neighbours of points on the device (parallax/cloud_measures.h), on the
// caller's stream. Buffers are sized once; nothing is allocated or waited for afterwards, so calls can be
// captured into a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "parallax/cloud.h"

namespace parallax::cuda {

// Calls of one search go to one stream, or the caller orders them.
class NeighbourSearch {
 public:
  // Room for clouds of max_points, and for max_queries of other clouds.
  explicit NeighbourSearch(std::int64_t max_points, std::int64_t max_queries = 0);
  ~NeighbourSearch();
  NeighbourSearch(NeighbourSearch&&) noexcept;
  NeighbourSearch& operator=(NeighbourSearch&&) noexcept;

  std::int64_t max_points() const;
  std::int64_t max_queries() const;
  std::size_t MemoryBytes() const;
  // An upper bound of the memory of a search, known before it is made.
  static std::size_t BytesNeeded(std::int64_t max_points, std::int64_t max_queries);

  // Builds the tree of points, which are num_points in device memory and read only by this call's work.
  void Build(const Point3f* points, std::int64_t num_points, cudaStream_t stream);

  // Finds the neighbours of the tree's own points. indices, distances_m: num_points rows of k; either may be
  // null.
  void FindNeighbours(int k, bool include_self, std::int32_t* indices, float* distances_m,
                      cudaStream_t stream);
  // Finds only the mean distance of every point to its neighbours (MeanDistances). means_m: num_points.
  void FindMeanDistances(int k, bool include_self, float* means_m, cudaStream_t stream);
  // Finds the neighbours of queries among the tree's points: num_queries rows of k.
  void FindNeighboursOf(const Point3f* queries, std::int64_t num_queries, int k, std::int32_t* indices,
                        float* distances_m, cudaStream_t stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parallax::cuda
