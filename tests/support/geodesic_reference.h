// Graphs to try shortest paths on, and the answer by the plainest way: relax all edges until nothing changes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "pipeline/cloud/geodesics/geodesics.h"

namespace parallax::test {

struct TestEdge {
  std::int32_t from, to;
  float length;
};

// Edges in any order, repeated ones too; a row keeps their order.
inline CloudGraph GraphOf(std::int32_t num_nodes, const std::vector<TestEdge>& edges, bool both_ways = true) {
  std::vector<std::vector<std::pair<std::int32_t, float>>> rows(static_cast<std::size_t>(num_nodes));
  for (const auto& [from, to, length] : edges) {
    rows[static_cast<std::size_t>(from)].emplace_back(to, length);
    if (both_ways) rows[static_cast<std::size_t>(to)].emplace_back(from, length);
  }
  CloudGraph graph;
  graph.first_edge.push_back(0);
  for (const auto& row : rows) {
    for (const auto& [target, length] : row) {
      graph.targets.push_back(target);
      graph.lengths_m.push_back(length);
    }
    graph.first_edge.push_back(graph.num_edges());
  }
  return graph;
}

enum class Lengths {
  kUniform,   // 0.1 .. 1
  kIntegers,  // 0 .. 3: many ties and plateaus
  kAbsorbed,  // 2^-30 .. 1: short ones vanish beside long ones
  kZero,
  kHuge,  // sums that overflow to +inf
};

// Random edges, most of them to nodes of a near number, as in clouds; some nodes stay alone.
inline CloudGraph RandomGraph(std::int32_t num_nodes, std::int32_t num_edges, Lengths lengths,
                              std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
  std::vector<TestEdge> edges;
  for (std::int32_t i = 0; i < num_edges; ++i) {
    const std::int32_t from = below(static_cast<std::uint32_t>(num_nodes));
    const bool far = below(50) == 0;
    const std::int32_t to = far ? below(static_cast<std::uint32_t>(num_nodes))
                                : (from + below(12)) % num_nodes;  // 0: an edge to itself
    const float unit = static_cast<float>(random() % 65536) / 65536.0F;
    float length = 0;
    switch (lengths) {
      case Lengths::kUniform:
        length = 0.1F + 0.9F * unit;
        break;
      case Lengths::kIntegers:
        length = static_cast<float>(below(4));
        break;
      case Lengths::kAbsorbed:
        length = std::ldexp(1.0F, -below(31));
        break;
      case Lengths::kZero:
        break;
      case Lengths::kHuge:
        length = 1e38F * unit;
        break;
    }
    edges.push_back({from, to, length});
  }
  return GraphOf(num_nodes, edges);
}

// A grid of 8 neighbours, lengths 1 .. 2 by chance, some cut.
inline CloudGraph RandomGrid(int width, int height, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<TestEdge> edges;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 1}, {0, 1}, {1, 1}}) {
        const int u = x + dx, v = y + dy;
        if (u < 0 || u >= width || v >= height || random() % 10 == 0) continue;
        edges.push_back(
            {y * width + x, v * width + u, 1.0F + static_cast<float>(random() % 65536) / 65536.0F});
      }
    }
  }
  return GraphOf(width * height, edges);
}

// The definition in parallax/cloud_measures.h word for word.
inline Geodesics ReferenceGeodesics(const CloudGraph& graph, const std::vector<std::int32_t>& sources,
                                    const GeodesicOptions& options) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto num_nodes = static_cast<std::size_t>(graph.num_nodes());
  std::vector<TestEdge> edges;
  for (std::size_t u = 0; u < num_nodes; ++u) {
    for (auto e = graph.first_edge[u]; e < graph.first_edge[u + 1]; ++e) {
      edges.push_back({static_cast<std::int32_t>(u), graph.targets[static_cast<std::size_t>(e)],
                       graph.lengths_m[static_cast<std::size_t>(e)]});
    }
  }
  Geodesics result;
  result.num_sources = static_cast<std::int64_t>(sources.size());
  result.num_columns =
      static_cast<std::int64_t>(options.targets.empty() ? num_nodes : options.targets.size());
  for (const std::int32_t source : sources) {
    std::vector<float> d(num_nodes, kInfinity);
    const auto at = [&](std::int32_t node) -> float& { return d[static_cast<std::size_t>(node)]; };
    at(source) = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [u, v, length] : edges) {
        if (at(u) + length < at(v)) at(v) = at(u) + length, changed = true;
      }
    }
    float limit = options.range_m;
    if (!options.targets.empty()) {
      float farthest = 0;
      for (const std::int32_t target : options.targets) farthest = std::max(farthest, at(target));
      limit = std::min(limit, farthest);
    }
    for (float& distance : d) distance = distance <= limit ? distance : kInfinity;
    if (options.targets.empty()) result.distances_m.insert(result.distances_m.end(), d.begin(), d.end());
    for (const std::int32_t target : options.targets) result.distances_m.push_back(at(target));
    if (!options.predecessors) continue;

    // level 0: the source and nodes with a tight u that is nearer.
    constexpr std::int32_t kNoLevel = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> predecessor(num_nodes, kNoNeighbour), level(num_nodes, kNoLevel);
    const auto tight = [&](const TestEdge& e) {
      return at(e.from) + e.length == at(e.to) && at(e.to) < kInfinity;
    };
    const auto offer = [&](const TestEdge& e) {
      std::int32_t& p = predecessor[static_cast<std::size_t>(e.to)];
      if (p == kNoNeighbour || e.from < p) p = e.from;
    };
    for (const TestEdge& e : edges) {
      if (tight(e) && at(e.from) < at(e.to)) offer(e), level[static_cast<std::size_t>(e.to)] = 0;
    }
    level[static_cast<std::size_t>(source)] = 0;
    for (std::int32_t next = 1, found = 1; found != 0; ++next) {
      found = 0;
      for (const TestEdge& e : edges) {
        if (!tight(e) || level[static_cast<std::size_t>(e.from)] != next - 1) continue;
        std::int32_t& l = level[static_cast<std::size_t>(e.to)];
        if (at(e.from) == at(e.to) && l >= next) offer(e), l = next, ++found;
      }
    }
    result.predecessors.insert(result.predecessors.end(), predecessor.begin(), predecessor.end());
  }
  return result;
}

// "" where equal, else the first difference.
inline std::string DifferenceOf(const Geodesics& expected, const Geodesics& actual) {
  if (expected.num_sources != actual.num_sources || expected.num_columns != actual.num_columns ||
      expected.distances_m.size() != actual.distances_m.size() ||
      expected.predecessors.size() != actual.predecessors.size()) {
    return "the sizes differ";
  }
  for (std::size_t i = 0; i < expected.distances_m.size(); ++i) {
    if (expected.distances_m[i] != actual.distances_m[i]) {
      return "distance " + std::to_string(i) + " is " + std::to_string(actual.distances_m[i]) + ", not " +
             std::to_string(expected.distances_m[i]);
    }
  }
  for (std::size_t i = 0; i < expected.predecessors.size(); ++i) {
    if (expected.predecessors[i] != actual.predecessors[i]) {
      return "predecessor " + std::to_string(i) + " is " + std::to_string(actual.predecessors[i]) + ", not " +
             std::to_string(expected.predecessors[i]);
    }
  }
  return "";
}

struct GeodesicCase {
  std::string name;
  CloudGraph graph;
  std::vector<std::int32_t> sources;
  GeodesicOptions options;
};

// What every back end is tried on, against ReferenceGeodesics.
inline std::vector<GeodesicCase> GeodesicCases() {
  std::vector<GeodesicCase> cases;
  std::uint32_t seed = 1;
  for (const Lengths lengths :
       {Lengths::kUniform, Lengths::kIntegers, Lengths::kAbsorbed, Lengths::kZero, Lengths::kHuge}) {
    for (const auto& [nodes, edges] : {std::pair{1, 0}, {1, 3}, {2, 1}, {33, 60}, {300, 500}, {2000, 9000}}) {
      const CloudGraph graph = RandomGraph(nodes, edges, lengths, ++seed);
      std::vector<std::int32_t> sources{0, nodes - 1, nodes / 2, 0};
      const std::string name =
          "lengths " + std::to_string(static_cast<int>(lengths)) + ", " + std::to_string(nodes) + " nodes";
      cases.push_back({name, graph, sources, {.targets = {}, .predecessors = true}});
      cases.push_back(
          {name + ", range", graph, sources, {.range_m = 1.5F, .targets = {}, .predecessors = true}});
      cases.push_back({name + ", targets",
                       graph,
                       sources,
                       {.targets = {nodes / 3, nodes / 2, nodes / 3, 0}, .predecessors = true}});
      cases.push_back({name + ", range and targets",
                       graph,
                       sources,
                       {.range_m = 0.7F, .targets = {nodes / 3, nodes - 1}, .predecessors = true}});
    }
  }
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 40}, {57, 1}, {31, 33}, {64, 64}, {101, 67}}) {
    const CloudGraph graph = RandomGrid(width, height, ++seed);
    const std::int32_t last = width * height - 1;
    const std::string name = "grid " + std::to_string(width) + "x" + std::to_string(height);
    cases.push_back({name, graph, {0, last / 2, last}, {.targets = {}, .predecessors = true}});
    cases.push_back({name + " alone", graph, {last / 2}, {.targets = {}, .predecessors = false}});
    cases.push_back(
        {name + ", near", graph, {last / 2, 0}, {.range_m = 5, .targets = {last, 0}, .predecessors = true}});
  }
  // A line: as many steps as nodes. A star: one node of very many edges.
  std::vector<TestEdge> line, star;
  for (std::int32_t i = 0; i + 1 < 700; ++i) line.push_back({i, i + 1, 0.5F});
  for (std::int32_t i = 1; i < 3000; ++i) star.push_back({0, i, static_cast<float>(i % 7)});
  cases.push_back({"line", GraphOf(700, line), {0, 350}, {.targets = {}, .predecessors = true}});
  cases.push_back(
      {"line, one way", GraphOf(700, line, false), {0, 350}, {.targets = {}, .predecessors = true}});
  cases.push_back({"star", GraphOf(3000, star), {0, 5, 2999}, {.targets = {}, .predecessors = true}});
  return cases;
}

}  // namespace parallax::test
