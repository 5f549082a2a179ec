#include "pipeline/cloud/neighbours/cpu_neighbours.h"

#include <algorithm>

#include "pipeline/cloud/curve_order.h"
#include "pipeline/cloud/finite.h"
#include "pipeline/cloud/neighbours/neighbour_search.h"
#include "pipeline/cloud/neighbours/point_tree.h"

namespace parallax {
namespace {

constexpr std::int64_t kLeavesPerTask = 64;
constexpr std::int64_t kQueriesPerTask = kLeavesPerTask * kTreeWidth;
constexpr std::int64_t kRowsPerTask = 1 << 16;

template <typename F>
void ForParts(std::int64_t count, std::int64_t part_size, ThreadPool& pool, const F& body) {
  pool.ParallelFor(static_cast<int>((count + part_size - 1) / part_size),
                   [&](int part) { body(part * part_size, std::min((part + 1) * part_size, count)); });
}

Neighbours MakeRows(std::size_t num_rows, int k) {
  return {k, std::vector<std::int32_t>(num_rows * k), std::vector<float>(num_rows * k)};
}
NeighbourRows RowsOf(Neighbours& neighbours) {
  return {neighbours.k, neighbours.indices.data(), neighbours.distances_m.data()};
}

// No search writes the rows of points that are not finite.
void ClearRowsOfOthers(std::span<const Point3f> points, const NeighbourRows& rows, ThreadPool& pool) {
  ForParts(static_cast<std::int64_t>(points.size()), kRowsPerTask, pool,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               if (!IsFinite(points[i])) ClearRow(i, rows);
             }
           });
}

void FindRows(std::span<const Point3f> points, bool include_self, const NeighbourRows& rows,
              ThreadPool& pool) {
  const PointTree tree(points, pool);
  if (static_cast<std::size_t>(tree.num_points) < points.size()) ClearRowsOfOthers(points, rows, pool);
  ForParts(
      static_cast<std::int64_t>(tree.leaves.size()), kLeavesPerTask, pool,
      [&](std::int64_t begin, std::int64_t end) { SearchFromLeaves(tree, begin, end, include_self, rows); });
}

}  // namespace

Neighbours FindNeighbours(std::span<const Point3f> points, const NeighbourOptions& options,
                          ThreadPool& pool) {
  CheckNeighbourOptions(options, points.size());
  Neighbours neighbours = MakeRows(points.size(), options.k);
  FindRows(points, options.include_self, RowsOf(neighbours), pool);
  return neighbours;
}

Neighbours FindNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries, int k,
                          ThreadPool& pool) {
  CheckNeighbourOptions({.k = k}, points.size());
  CheckNeighbourOptions({.k = k}, queries.size());
  Neighbours neighbours = MakeRows(queries.size(), k);
  const NeighbourRows rows = RowsOf(neighbours);
  const PointTree tree(points, pool);
  const std::vector<std::int32_t> order = CurveOrder(queries, pool);
  if (order.size() < queries.size()) ClearRowsOfOthers(queries, rows, pool);
  ForParts(static_cast<std::int64_t>(order.size()), kQueriesPerTask, pool,
           [&](std::int64_t begin, std::int64_t end) {
             SearchFromQueries(tree, queries, std::span(order).subspan(begin, end - begin), rows);
           });
  return neighbours;
}

std::vector<float> FindMeanNeighbourDistances(std::span<const Point3f> points,
                                              const NeighbourOptions& options, ThreadPool& pool) {
  CheckNeighbourOptions(options, points.size());
  std::vector<float> means(points.size());
  FindRows(points, options.include_self, {.k = options.k, .means_m = means.data()}, pool);
  return means;
}

}  // namespace parallax
