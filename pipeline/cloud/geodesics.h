// Shortest paths along a cloud: on the graph of its k nearest neighbours, on a voxel grid, or on the grid of
// a depth map.
//
// The length of a path is the float sum of its edges from the source on, each addition rounded to float. The
// distance of a node is the least length over all paths; since rounded addition is monotone that is what
// Dijkstra's algorithm finds, and every back end gives the same bits.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pipeline/cloud.h"
#include "pipeline/cloud/neighbours.h"
#include "pipeline/image.h"
#include "pipeline/rig.h"

namespace parallax {

// Compressed rows: the edges of node i are [first_edge[i], first_edge[i + 1]). Lengths >= 0 and finite. Edges
// stand in both directions.
struct CloudGraph {
  std::vector<std::int64_t> first_edge;  // num_nodes + 1
  std::vector<std::int32_t> targets;
  std::vector<float> lengths_m;
  std::int32_t num_nodes() const {
    return first_edge.empty() ? 0 : static_cast<std::int32_t>(first_edge.size() - 1);
  }
};

// An edge where either point is among the other's neighbours.
CloudGraph NeighbourGraph(const Neighbours& neighbours);

// Occupied voxels of a cloud as nodes, joined to the occupied ones among their 6, 18 or 26 neighbours.
// Voxel (i, j, k) holds the points with floor(x / size) = i and so on, each within +-2^20 (63-bit keys); its
// node is the mean of its points.
struct VoxelGraph {
  CloudGraph graph;
  std::vector<Point3f> nodes;               // by ascending key
  std::vector<std::int32_t> node_of_point;  // kNoNeighbour for points that are not finite
};
VoxelGraph MakeVoxelGraph(std::span<const Point3f> points, float voxel_size_m, int connectivity);

// Node y * W + x for every pixel, joined to those of its 8 neighbours that have a depth where the two depths
// differ by at most max_jump of the nearer one (0.05 = 5 %). Length: the distance of the two points.
CloudGraph MakeDepthGraph(HostImageView<const float> depth_m, const StereoRig& rig, float max_jump);

struct GeodesicOptions {
  float range_m = std::numeric_limits<float>::infinity();  // farther nodes stay unreached
  std::vector<std::int32_t> targets;  // empty = all nodes; else it may stop when all are known
  bool predecessors = false;
};

// One row of num_nodes a source. Unreached: +inf, predecessor kNoNeighbour. With targets only the targets'
// columns are given (num_targets a row), predecessors still for all nodes that were settled on the way.
struct Geodesics {
  std::int64_t num_sources = 0, num_columns = 0;
  std::vector<float> distances_m;          // num_sources x num_columns
  std::vector<std::int32_t> predecessors;  // num_sources x num_nodes, or empty
};

// Throws InvalidArgument for a source or target outside the graph and for a negative or NaN range.
void CheckGeodesicInput(const CloudGraph& graph, std::span<const std::int32_t> sources,
                        const GeodesicOptions& options);

// Nodes from source to target along the predecessors of one source's row; empty where it was not reached.
std::vector<std::int32_t> PathTo(std::span<const std::int32_t> predecessors, std::int32_t source,
                                 std::int32_t target);

}  // namespace parallax
