#include "app/cloud/cloud_graph.h"

#include <fmt/format.h>

#include "app/output/number_text.h"
#include "app/pictures/value_scale.h"
#include "parallax/error.h"

namespace parallax::app {

GraphOfCloud MakeGraphOfCloud(CloudMeasures& measures, std::span<const Point3f> points,
                              const CloudGraphOptions& options) {
  GraphOfCloud made;
  std::string kind;
  if (options.voxels) {
    float size_m = options.voxel_size_m;
    if (size_m == 0) {
      size_m = 3 * static_cast<float>(QuantileOf(measures.MeanNeighbourDistances(points, {.k = 1}), 0.5));
      if (!(size_m > 0)) throw Error("the points coincide, so no voxel size can be chosen: use --voxel");
    }
    VoxelGraph voxels = MakeVoxelGraph(points, size_m, options.connectivity);
    made.graph = std::move(voxels.graph);
    made.nodes = std::move(voxels.nodes);
    made.node_of_point = std::move(voxels.node_of_point);
    kind = fmt::format("voxels of {:.4g} m, each joined to {} around it", size_m, options.connectivity);
  } else {
    made.graph = NeighbourGraph(measures.NearestNeighbours(points, {.k = options.k}));
    kind = fmt::format("graph of the {} nearest neighbours", options.k);
  }
  made.description =
      fmt::format("{}: {}, {}", kind, CountOf(static_cast<std::size_t>(made.graph.num_nodes()), "node"),
                  CountOf(made.graph.targets.size() / 2, "edge"));
  return made;
}

std::vector<std::int32_t> PartsOf(const CloudGraph& graph) {
  constexpr std::int32_t kNone = -1;
  std::vector<std::int32_t> parts(static_cast<std::size_t>(graph.num_nodes()), kNone), open;
  std::int32_t num_parts = 0;
  for (std::size_t start = 0; start < parts.size(); ++start) {
    if (parts[start] != kNone) continue;
    parts[start] = num_parts;
    open.push_back(static_cast<std::int32_t>(start));
    while (!open.empty()) {
      const auto node = static_cast<std::size_t>(open.back());
      open.pop_back();
      for (std::int64_t e = graph.first_edge[node]; e < graph.first_edge[node + 1]; ++e) {
        const std::int32_t next = graph.targets[static_cast<std::size_t>(e)];
        if (parts[static_cast<std::size_t>(next)] != kNone) continue;
        parts[static_cast<std::size_t>(next)] = num_parts;
        open.push_back(next);
      }
    }
    ++num_parts;
  }
  return parts;
}

}  // namespace parallax::app
