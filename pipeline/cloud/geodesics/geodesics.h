// Shortest paths along a cloud: on the graph of its k nearest neighbours, on a voxel grid, or on the grid of
// a depth map.
//
// Distances. The length of a path is the float sum of its edges from the source on, each addition rounded to
// float. The distance of a node is the least length over all paths. Rounded addition is monotone, so that the
// distances are the one least solution of
//   d[source] = 0,  d[v] = min over edges u -> v of float(d[u] + length)
// whichever way it is found (Dijkstra 1959, Bellman-Ford, delta stepping): every back end gives the same
// bits.
//
// Predecessors. u is tight for v where float(d[u] + length(u -> v)) == d[v]. The predecessor of v is the
// tight u of the lowest number with d[u] < d[v]. Where there is none (edges of length 0, or so short that
// rounding absorbs them) v lies on a plateau of equal distances: its level is the least number of tight edges
// from a node of the same distance that has a predecessor by the first rule, or is the source, and its
// predecessor is the tight u of the lowest number one level below. So there are no cycles, and every back end
// gives the same ones.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/cloud.h"
#include "pipeline/cloud/neighbours/neighbours.h"
#include "pipeline/image.h"
#include "pipeline/rig.h"

namespace parallax {

// Compressed rows: the edges of node i are [first_edge[i], first_edge[i + 1]). Lengths >= 0 and finite. The
// graphs made here have every edge in both directions; paths go along edges, so that others work as well.
struct CloudGraph {
  std::vector<std::int64_t> first_edge;  // num_nodes + 1
  std::vector<std::int32_t> targets;     // num_edges
  std::vector<float> lengths_m;          // num_edges
  std::int32_t num_nodes() const {
    return first_edge.empty() ? 0 : static_cast<std::int32_t>(first_edge.size() - 1);
  }
  std::int64_t num_edges() const { return static_cast<std::int64_t>(targets.size()); }
};

// An edge where either point is among the other's neighbours; none from a point to itself. Rows by ascending
// target. Throws InvalidArgument for neighbours that are no points.
CloudGraph NeighbourGraph(const Neighbours& neighbours);

// Occupied voxels of a cloud as nodes, joined to the occupied ones among their 6, 18 or 26 neighbours.
// Voxel (i, j, k) holds the points with floor(x / size) = i and so on, divided in double, each from -2^20 to
// 2^20 - 1 (63-bit keys, k above j above i); its node is the mean of its points, summed in double in input
// order. Throws InvalidArgument for a size that is not positive, another connectivity, and a point too far
// away.
struct VoxelGraph {
  CloudGraph graph;
  std::vector<Point3f> nodes;               // by ascending key
  std::vector<std::int32_t> node_of_point;  // kNoNeighbour for points that are not finite
};
VoxelGraph MakeVoxelGraph(std::span<const Point3f> points, float voxel_size_m, int connectivity);

// Node y * W + x for every pixel, joined to those of its 8 neighbours that have a depth (finite, > 0) where
// the two depths differ by at most max_jump of the nearer one (0.05 = 5 %). Length: the distance of the two
// points (neighbours.h, reprojection.h). Rows by ascending target. Throws InvalidArgument for a rig without
// focal length and a negative or NaN max_jump.
CloudGraph MakeDepthGraph(HostImageView<const float> depth_m, const StereoRig& rig, float max_jump);

// How the distances are found; they are the same.
enum class GeodesicAlgorithm {
  kFastest,   // on the cpu back end the heap, on the cuda back end the faster one (docs/benchmarks.md)
  kHeap,      // Dijkstra's: node by node, the nearest first, from a priority queue
  kFrontier,  // the nodes of a range of distances together, step by step; on the cuda back end only
};
inline constexpr std::string_view kGeodesicAlgorithmNames[] = {"auto", "heap", "frontier"};

struct GeodesicOptions {
  float range_m = std::numeric_limits<float>::infinity();  // >= 0; farther nodes stay unreached
  // Empty: all nodes. Else the search ends when the farthest target is known: nodes farther than it, from
  // the same source, stay unreached.
  std::vector<std::int32_t> targets;
  bool predecessors = false;
  GeodesicAlgorithm algorithm = GeodesicAlgorithm::kFastest;
};

// One row a source. Unreached: +inf, predecessor kNoNeighbour (as the source's own). With targets only the
// targets' columns are given (num_targets a row), the predecessors still for all nodes.
struct Geodesics {
  std::int64_t num_sources = 0, num_columns = 0;
  std::vector<float> distances_m;          // num_sources x num_columns
  std::vector<std::int32_t> predecessors;  // num_sources x num_nodes, or empty
};

// A result with its numbers of rows and columns (one a target, or one a node where there are no targets),
// still without distances. Throws InvalidArgument for a source or target outside the graph, a negative or NaN
// range, rows or targets of edges outside the graph, and edges whose length is negative or not finite.
Geodesics EmptyGeodesics(const CloudGraph& graph, std::span<const std::int32_t> sources,
                         const GeodesicOptions& options);

// Nodes from source to target along the predecessors of one source's row; empty where it was not reached.
// Throws InvalidArgument where source or target is outside, or the predecessors run in a circle.
std::vector<std::int32_t> PathTo(std::span<const std::int32_t> predecessors, std::int32_t source,
                                 std::int32_t target);

}  // namespace parallax
