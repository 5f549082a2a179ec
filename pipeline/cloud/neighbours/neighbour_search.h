// The search: neighbours of the points of leaves, or of other points, in a tree of boxes.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/cloud/neighbours/neighbours.h"
#include "pipeline/cloud/neighbours/point_tree.h"

namespace parallax {

// The destination of the rows: row r starts at r * k. Either may be null.
struct NeighbourRows {
  int k = 0;
  std::int32_t* indices = nullptr;
  float* distances_m = nullptr;
  float* means_m = nullptr;  // one for each row: its MeanDistances
};

// Writes the rows of the points in leaves [first, last), at the points' indices.
void SearchFromLeaves(const PointTree& tree, std::int64_t first, std::int64_t last, bool include_self,
                      const NeighbourRows& rows);

// Writes row order[i]: the neighbours of queries[order[i]]. Fastest if order follows a curve.
void SearchFromQueries(const PointTree& tree, std::span<const Point3f> queries,
                       std::span<const std::int32_t> order, const NeighbourRows& rows);

// Writes the row of a point without neighbours.
void ClearRow(std::int64_t row, const NeighbourRows& rows);

}  // namespace parallax
