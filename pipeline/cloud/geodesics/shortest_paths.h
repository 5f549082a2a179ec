// Shortest paths on the CPU, as parallax/cloud_measures.h defines them: Dijkstra's algorithm, one thread for
// each source.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/cloud/geodesics/geodesics.h"
#include "pipeline/threads/parallel.h"

namespace parallax {

// Throws what EmptyGeodesics throws; InvalidArgument for GeodesicAlgorithm::kFrontier. Uses about 9 bytes for
// each node and thread in addition to the result.
Geodesics CpuShortestPaths(const CloudGraph& graph, std::span<const std::int32_t> sources,
                           const GeodesicOptions& options, ThreadPool& pool);

}  // namespace parallax
