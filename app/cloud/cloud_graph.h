// A cloud as a graph, for shortest paths along it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {

struct CloudGraphOptions {
  bool voxels = false;  // else the graph of the k nearest neighbours
  int k = 8;
  float voxel_size_m = 0;  // 0 = three times the median distance of nearest neighbours
  int connectivity = 26;
};

// The graph, and which node stands for each point.
struct GraphOfCloud {
  CloudGraph graph;
  std::vector<Point3f> nodes;               // the points' positions; empty = the points themselves
  std::vector<std::int32_t> node_of_point;  // empty = the same index
  std::string description;  // "graph of the 8 nearest neighbours: 31 622 nodes, 150 112 edges"

  std::int32_t NodeOf(std::size_t point) const {
    return node_of_point.empty() ? static_cast<std::int32_t>(point) : node_of_point[point];
  }
};

// points: all finite. Throws what the makers of the graph throw.
GraphOfCloud MakeGraphOfCloud(CloudMeasures& measures, std::span<const Point3f> points,
                              const CloudGraphOptions& options);

// The connected component of every node, numbered from 0 in the order of their first nodes.
std::vector<std::int32_t> PartsOf(const CloudGraph& graph);

}  // namespace parallax::app
