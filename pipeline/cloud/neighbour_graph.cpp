// The graph of the k nearest neighbours, made symmetric.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "pipeline/cloud/geodesics.h"
#include "pipeline/error.h"

namespace parallax {

CloudGraph NeighbourGraph(const Neighbours& neighbours) {
  CloudGraph graph;
  const auto k = static_cast<std::size_t>(std::max(neighbours.k, 1));
  const std::size_t num_points = neighbours.indices.size() / k;
  if (neighbours.distances_m.size() != neighbours.indices.size() ||
      num_points * k != neighbours.indices.size()) {
    throw InvalidArgument("geodesics: neighbours must be rows of k indices and k distances");
  }
  // Calls edge(from, to, length) for every neighbour, one way.
  const auto for_each_edge = [&](auto&& edge) {
    for (std::size_t i = 0; i < num_points; ++i) {
      for (std::size_t at = i * k; at < (i + 1) * k; ++at) {
        const std::int32_t j = neighbours.indices[at];
        if (j == kNoNeighbour || j == static_cast<std::int32_t>(i)) continue;
        if (j < 0 || static_cast<std::size_t>(j) >= num_points) {
          throw InvalidArgument("geodesics: neighbour " + std::to_string(j) + " of point " +
                                std::to_string(i) + " is none of the " + std::to_string(num_points) +
                                " points");
        }
        if (std::isfinite(neighbours.distances_m[at])) {
          edge(i, static_cast<std::size_t>(j), neighbours.distances_m[at]);
        }
      }
    }
  };
  // Both ways into rows, some edges twice; then each row sorted and thinned out.
  std::vector<std::int64_t> end(num_points + 1, 0);
  for_each_edge([&](std::size_t i, std::size_t j, float) { ++end[i + 1], ++end[j + 1]; });
  for (std::size_t i = 0; i < num_points; ++i) end[i + 1] += end[i];
  std::vector<std::pair<std::int32_t, float>> edges(static_cast<std::size_t>(end.back()));
  std::vector<std::int64_t> begin(end.begin(), end.end() - 1);
  {
    std::vector<std::int64_t> next(begin);
    for_each_edge([&](std::size_t i, std::size_t j, float length) {
      edges[static_cast<std::size_t>(next[i]++)] = {static_cast<std::int32_t>(j), length};
      edges[static_cast<std::size_t>(next[j]++)] = {static_cast<std::int32_t>(i), length};
    });
  }
  graph.first_edge.assign(num_points + 1, 0);
  graph.targets.reserve(edges.size());
  graph.lengths_m.reserve(edges.size());
  for (std::size_t i = 0; i < num_points; ++i) {
    const auto row_begin = edges.begin() + begin[i], row_end = edges.begin() + end[i + 1];
    std::sort(row_begin, row_end);
    std::int32_t last = kNoNeighbour;
    for (auto edge = row_begin; edge != row_end; ++edge) {
      if (edge->first == last) continue;
      last = edge->first;
      graph.targets.push_back(edge->first);
      graph.lengths_m.push_back(edge->second);
    }
    graph.first_edge[i + 1] = graph.num_edges();
  }
  return graph;
}

}  // namespace parallax
