#include "pipeline/cloud/geodesics/geodesics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

void CheckNodes(std::span<const std::int32_t> nodes, std::int32_t num_nodes, const char* what) {
  for (const std::int32_t node : nodes) {
    if (node < 0 || node >= num_nodes) {
      throw InvalidArgument(std::string("geodesics: ") + what + " " + std::to_string(node) +
                            " is outside the graph of " + std::to_string(num_nodes) + " nodes");
    }
  }
}

void CheckGraph(const CloudGraph& graph) {
  const auto num_edges = graph.num_edges();
  if (graph.lengths_m.size() != graph.targets.size()) {
    throw InvalidArgument("geodesics: the graph has " + std::to_string(num_edges) + " edges but " +
                          std::to_string(graph.lengths_m.size()) + " lengths");
  }
  const auto& first = graph.first_edge;
  const bool whole = first.empty() ? num_edges == 0 : first.front() == 0 && first.back() == num_edges;
  if (!whole || !std::is_sorted(first.begin(), first.end())) {
    throw InvalidArgument("geodesics: the graph's first_edge must ascend from 0 to its " +
                          std::to_string(num_edges) + " edges");
  }
  // Passes without branches first: they run at the speed of memory.
  const auto num_nodes = static_cast<std::uint32_t>(graph.num_nodes());
  bool good = true;
  for (const std::int32_t target : graph.targets) good &= static_cast<std::uint32_t>(target) < num_nodes;
  if (!good) CheckNodes(graph.targets, graph.num_nodes(), "the end of an edge,");
  constexpr float kInfiniteLength = std::numeric_limits<float>::infinity();
  for (const float length : graph.lengths_m) good &= length >= 0 && length < kInfiniteLength;
  if (good) return;
  const auto bad = std::find_if(graph.lengths_m.begin(), graph.lengths_m.end(),
                                [](float length) { return !(length >= 0 && length < kInfiniteLength); });
  const auto edge = bad - graph.lengths_m.begin();
  const auto row = std::upper_bound(first.begin(), first.end(), edge) - first.begin() - 1;
  throw InvalidArgument("geodesics: the edge from node " + std::to_string(row) + " to " +
                        std::to_string(graph.targets[static_cast<std::size_t>(edge)]) + " has length " +
                        std::to_string(*bad) + ": lengths must be finite and not negative");
}

}  // namespace

Geodesics EmptyGeodesics(const CloudGraph& graph, std::span<const std::int32_t> sources,
                         const GeodesicOptions& options) {
  if (!(options.range_m >= 0)) {
    throw InvalidArgument("geodesics: range " + std::to_string(options.range_m) +
                          " m: it must be 0 or more, or infinite for none");
  }
  CheckGraph(graph);
  CheckNodes(sources, graph.num_nodes(), "source");
  CheckNodes(options.targets, graph.num_nodes(), "target");
  Geodesics result;
  result.num_sources = static_cast<std::int64_t>(sources.size());
  result.num_columns = options.targets.empty() ? std::int64_t{graph.num_nodes()}
                                               : static_cast<std::int64_t>(options.targets.size());
  return result;
}

std::vector<std::int32_t> PathTo(std::span<const std::int32_t> predecessors, std::int32_t source,
                                 std::int32_t target) {
  const auto num_nodes = static_cast<std::int32_t>(predecessors.size());
  CheckNodes({{source}}, num_nodes, "source");
  CheckNodes({{target}}, num_nodes, "target");
  std::vector<std::int32_t> path{target};
  while (path.back() != source) {
    const std::int32_t before = predecessors[static_cast<std::size_t>(path.back())];
    if (before == kNoNeighbour) return {};
    CheckNodes({{before}}, num_nodes, "predecessor");
    if (path.size() == predecessors.size()) {
      throw InvalidArgument("geodesics: the predecessors of node " + std::to_string(target) +
                            " form a cycle");
    }
    path.push_back(before);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace parallax
