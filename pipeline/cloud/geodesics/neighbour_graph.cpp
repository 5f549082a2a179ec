// The graph of the k nearest neighbours, made symmetric.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "parallax/error.h"
#include "pipeline/cloud/geodesics/geodesics.h"

namespace parallax {
namespace {

constexpr std::uint8_t kNoEdge = 0, kBothHaveIt = 1, kOneHasIt = 2;

// Classifies every entry of the neighbours: no edge, an edge of its own row (the other row has its own entry
// for the way back), or edges in both directions.
std::vector<std::uint8_t> KindsOfEntries(const Neighbours& neighbours, std::size_t num_points,
                                         std::size_t k) {
  const auto usable = [&](std::size_t at) { return std::isfinite(neighbours.distances_m[at]); };
  std::vector<std::uint8_t> kinds(neighbours.indices.size(), kNoEdge);
  for (std::size_t i = 0; i < num_points; ++i) {
    for (std::size_t at = i * k; at < (i + 1) * k; ++at) {
      const std::int32_t j = neighbours.indices[at];
      if (j == kNoNeighbour || j == static_cast<std::int32_t>(i) || !usable(at)) continue;
      if (j < 0 || static_cast<std::size_t>(j) >= num_points) {
        throw InvalidArgument("geodesics: neighbour " + std::to_string(j) + " of point " + std::to_string(i) +
                              " is not one of the " + std::to_string(num_points) + " points");
      }
      kinds[at] = kOneHasIt;
      for (std::size_t back = static_cast<std::size_t>(j) * k; back < (static_cast<std::size_t>(j) + 1) * k;
           ++back) {
        if (neighbours.indices[back] == static_cast<std::int32_t>(i) && usable(back)) kinds[at] = kBothHaveIt;
      }
    }
  }
  return kinds;
}

// Rows are short and nearly everything in them is near its place.
void SortRow(std::int32_t* targets, float* lengths, std::size_t size) {
  for (std::size_t i = 1; i < size; ++i) {
    const std::int32_t target = targets[i];
    const float length = lengths[i];
    std::size_t place = i;
    for (; place > 0 && targets[place - 1] > target; --place) {
      targets[place] = targets[place - 1];
      lengths[place] = lengths[place - 1];
    }
    targets[place] = target;
    lengths[place] = length;
  }
}

// Sorts the long rows of hubs.
void SortLongRow(std::int32_t* targets, float* lengths, std::size_t size) {
  std::vector<std::pair<std::int32_t, float>> row(size);
  for (std::size_t i = 0; i < size; ++i) row[i] = {targets[i], lengths[i]};
  std::sort(row.begin(), row.end());
  for (std::size_t i = 0; i < size; ++i) std::tie(targets[i], lengths[i]) = row[i];
}

}  // namespace

CloudGraph NeighbourGraph(const Neighbours& neighbours) {
  const auto k = static_cast<std::size_t>(std::max(neighbours.k, 1));
  const std::size_t num_points = neighbours.indices.size() / k;
  if (neighbours.distances_m.size() != neighbours.indices.size() ||
      num_points * k != neighbours.indices.size()) {
    throw InvalidArgument("geodesics: neighbours must be rows of k indices and k distances");
  }
  const std::vector<std::uint8_t> kinds = KindsOfEntries(neighbours, num_points, k);
  CloudGraph graph;
  std::vector<std::int64_t>& first = graph.first_edge;
  first.assign(num_points + 1, 0);
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    if (kinds[at] == kNoEdge) continue;
    ++first[at / k + 1];
    if (kinds[at] == kOneHasIt) ++first[static_cast<std::size_t>(neighbours.indices[at]) + 1];
  }
  for (std::size_t i = 0; i < num_points; ++i) first[i + 1] += first[i];
  graph.targets.resize(static_cast<std::size_t>(first.back()));
  graph.lengths_m.resize(graph.targets.size());
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  const auto add = [&](std::size_t from, std::int32_t to, float length) {
    const auto place = static_cast<std::size_t>(next[from]++);
    graph.targets[place] = to;
    graph.lengths_m[place] = length;
  };
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    if (kinds[at] == kNoEdge) continue;
    const std::int32_t j = neighbours.indices[at];
    add(at / k, j, neighbours.distances_m[at]);
    if (kinds[at] == kOneHasIt) {
      add(static_cast<std::size_t>(j), static_cast<std::int32_t>(at / k), neighbours.distances_m[at]);
    }
  }
  for (std::size_t i = 0; i < num_points; ++i) {
    const auto begin = static_cast<std::size_t>(first[i]),
               size = static_cast<std::size_t>(first[i + 1]) - begin;
    (size <= 64 ? SortRow : SortLongRow)(graph.targets.data() + begin, graph.lengths_m.data() + begin, size);
  }
  return graph;
}

}  // namespace parallax
