// What is checked before shortest paths are searched.
#pragma once

#include <cstdint>
#include <span>

#include "parallax/cloud_measures.h"

namespace parallax {

// A result with its numbers of rows and columns (one a target, or one a node where there are no targets),
// still without distances. Throws InvalidArgument for a source or target outside the graph, a negative or NaN
// range, rows or targets of edges outside the graph, and edges whose length is negative or not finite.
Geodesics EmptyGeodesics(const CloudGraph& graph, std::span<const std::int32_t> sources,
                         const GeodesicOptions& options);

}  // namespace parallax
