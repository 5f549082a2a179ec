// Checks before shortest paths are searched.
#pragma once

#include <cstdint>
#include <span>

#include "parallax/cloud_measures.h"

namespace parallax {

// A result of the right size (one column for each target, or for each node without targets), still without
// distances. Throws InvalidArgument for a source or target outside the graph, a negative or NaN range, rows
// or targets of edges outside the graph, and edges whose length is negative or not finite.
Geodesics EmptyGeodesics(const CloudGraph& graph, std::span<const std::int32_t> sources,
                         const GeodesicOptions& options);

}  // namespace parallax
