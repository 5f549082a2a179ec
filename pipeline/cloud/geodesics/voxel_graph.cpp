// The occupied voxels of a cloud and their neighbours, by sorted 63-bit keys.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/geodesics/geodesics.h"
#include "pipeline/cloud/point_length.h"
#include "pipeline/cloud/voxel_grid.h"

namespace parallax {
namespace {

// The offsets whose key is larger than the voxel's own: half of the 6, 18 or 26.
std::vector<std::array<int, 3>> ForwardOffsets(int connectivity) {
  const int most_steps = connectivity == 6 ? 1 : connectivity == 18 ? 2 : 3;
  std::vector<std::array<int, 3>> offsets;
  for (int k = 0; k <= 1; ++k) {
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        const bool forward = k > 0 || (k == 0 && (j > 0 || (j == 0 && i > 0)));
        if (forward && std::abs(i) + std::abs(j) + k <= most_steps) offsets.push_back({i, j, k});
      }
    }
  }
  return offsets;
}

// Calls edge(a, b), a < b, for all pairs of neighbouring voxels. keys ascend, so that the partner of the next
// voxel stands behind the partner of this one.
template <typename Function>
void ForEachPair(const std::vector<std::int64_t>& keys, const std::vector<std::array<int, 3>>& offsets,
                 Function&& edge) {
  for (const auto& [di, dj, dk] : offsets) {
    std::size_t partner = 0;
    for (std::size_t voxel = 0; voxel < keys.size(); ++voxel) {
      const std::int64_t i = VoxelI(keys[voxel]) + di;
      const std::int64_t j = VoxelJ(keys[voxel]) + dj;
      const std::int64_t k = VoxelK(keys[voxel]) + dk;
      if (!InVoxelGrid(i) || !InVoxelGrid(j) || !InVoxelGrid(k)) continue;
      const std::int64_t wanted = VoxelKey(i, j, k);
      while (partner < keys.size() && keys[partner] < wanted) ++partner;
      if (partner < keys.size() && keys[partner] == wanted) edge(voxel, partner);
    }
  }
}

CloudGraph JoinNeighbours(const std::vector<std::int64_t>& keys, const std::vector<Point3f>& nodes,
                          int connectivity) {
  const std::vector<std::array<int, 3>> offsets = ForwardOffsets(connectivity);
  CloudGraph graph;
  graph.first_edge.assign(keys.size() + 1, 0);
  ForEachPair(keys, offsets, [&](std::size_t a, std::size_t b) {
    ++graph.first_edge[a + 1];
    ++graph.first_edge[b + 1];
  });
  for (std::size_t i = 0; i < keys.size(); ++i) graph.first_edge[i + 1] += graph.first_edge[i];
  graph.targets.resize(static_cast<std::size_t>(graph.first_edge.back()));
  graph.lengths_m.resize(graph.targets.size());
  std::vector<std::int64_t> next(graph.first_edge.begin(), graph.first_edge.end() - 1);
  ForEachPair(keys, offsets, [&](std::size_t a, std::size_t b) {
    graph.targets[static_cast<std::size_t>(next[a]++)] = static_cast<std::int32_t>(b);
    graph.targets[static_cast<std::size_t>(next[b]++)] = static_cast<std::int32_t>(a);
  });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto begin = graph.first_edge[i], end = graph.first_edge[i + 1];
    std::sort(graph.targets.begin() + begin, graph.targets.begin() + end);
    for (auto edge = static_cast<std::size_t>(begin); edge < static_cast<std::size_t>(end); ++edge) {
      graph.lengths_m[edge] = LengthBetween(nodes[i], nodes[static_cast<std::size_t>(graph.targets[edge])]);
    }
  }
  return graph;
}

}  // namespace

VoxelGraph MakeVoxelGraph(std::span<const Point3f> points, float voxel_size_m, int connectivity) {
  if (connectivity != 6 && connectivity != 18 && connectivity != 26) {
    throw InvalidArgument("voxel grid: " + std::to_string(connectivity) + " neighbours: use 6, 18 or 26");
  }
  const std::vector<VoxelPoint> order = SortByVoxel(points, voxel_size_m);

  VoxelGraph voxels;
  voxels.node_of_point.assign(points.size(), kNoNeighbour);
  std::vector<std::int64_t> keys;
  for (auto begin = order.begin(); begin != order.end();) {
    const std::int64_t key = begin->key;
    double x = 0, y = 0, z = 0, count = 0;
    for (; begin != order.end() && begin->key == key; ++begin, ++count) {
      const Point3f& p = points[static_cast<std::size_t>(begin->point)];
      x += static_cast<double>(p.x), y += static_cast<double>(p.y), z += static_cast<double>(p.z);
      voxels.node_of_point[static_cast<std::size_t>(begin->point)] = static_cast<std::int32_t>(keys.size());
    }
    keys.push_back(key);
    voxels.nodes.push_back(
        {static_cast<float>(x / count), static_cast<float>(y / count), static_cast<float>(z / count)});
  }
  voxels.graph = JoinNeighbours(keys, voxels.nodes, connectivity);
  return voxels;
}

}  // namespace parallax
