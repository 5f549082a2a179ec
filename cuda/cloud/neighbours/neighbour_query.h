// Queries to the tree of a NeighbourSearch.
#pragma once

#include "cuda/cloud/neighbours/neighbour_tree.h"

namespace parallax::cuda {

struct NeighbourQuery {
  NeighbourTree tree;
  const TreePoint* queries = nullptr;    // in curve order, padded to whole warps like the tree's points
  const std::uint32_t* order = nullptr;  // their rows
  int num_queries = 0;
  // Each warp's starting position among the points, a multiple of 32; null = the queries are the points.
  const std::int32_t* places = nullptr;
  bool exclude_self = false;
  int k = 0;
  std::int32_t* indices = nullptr;
  float* distances = nullptr;
  float* means = nullptr;
  const CloudExtent* extent = nullptr;
  // A warp that would visit more leaves than most_leaves enters its number here instead.
  int most_leaves = 0;
  int* leftover = nullptr;
  int* num_leftover = nullptr;  // 0 between queries
};

// Writes rows of indices and distances; either may be null.
void LaunchNeighbourIndices(const NeighbourQuery& query, cudaStream_t stream);
// Writes one mean for each query.
void LaunchNeighbourMeans(const NeighbourQuery& query, cudaStream_t stream);
// Searches for the queries of the left-over warps, with one warp for each query. Resets num_leftover to 0.
void LaunchNeighboursOneByOne(const NeighbourQuery& query, cudaStream_t stream);
// Fills `count` results of queries to an empty cloud: index -1, infinite distance. Either may be null.
void LaunchNoNeighbours(std::int64_t count, std::int32_t* indices, float* distances, cudaStream_t stream);

}  // namespace parallax::cuda
