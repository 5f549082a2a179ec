// The 8-neighbour grid of a depth map, cut where the depth jumps.
#include <algorithm>
#include <cmath>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/geodesics/geodesics.h"
#include "pipeline/cloud/point_length.h"

namespace parallax {

CloudGraph MakeDepthGraph(HostImageView<const float> depth_m, const StereoRig& rig, float max_jump) {
  if (!(rig.fx_px > 0)) {
    throw InvalidArgument("depth graph: the rig has focal length " + std::to_string(rig.fx_px) +
                          " px: it must be positive");
  }
  if (!(max_jump >= 0)) {
    throw InvalidArgument("depth graph: largest jump " + std::to_string(max_jump) +
                          ": it must be 0 or more (0.05 = 5 % of the nearer depth)");
  }
  const int width = depth_m.width, height = depth_m.height;
  const std::int64_t num_nodes = std::int64_t{width} * height;
  if (num_nodes > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgument("depth graph: " + std::to_string(num_nodes) + " pixels, at most 2^31 - 1");
  }
  const auto has_depth = [](float z) { return z > 0 && std::isfinite(z); };
  const auto point = [&](int x, int y) { return PointOfPixel(x, y, depth_m(x, y), rig); };

  CloudGraph graph;
  graph.first_edge.reserve(static_cast<std::size_t>(num_nodes) + 1);
  graph.first_edge.push_back(0);
  graph.targets.reserve(static_cast<std::size_t>(num_nodes) * 8);
  graph.lengths_m.reserve(static_cast<std::size_t>(num_nodes) * 8);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float z = depth_m(x, y);
      if (has_depth(z)) {
        const Point3f here = point(x, y);
        for (int v = std::max(y - 1, 0); v <= std::min(y + 1, height - 1); ++v) {
          for (int u = std::max(x - 1, 0); u <= std::min(x + 1, width - 1); ++u) {
            const float other = depth_m(u, v);
            if ((u == x && v == y) || !has_depth(other)) continue;
            if (!(std::fabs(z - other) <= max_jump * std::min(z, other))) continue;
            const float length = LengthBetween(here, point(u, v));
            if (!std::isfinite(length)) continue;  // depths whose squares overflow
            graph.targets.push_back(v * width + u);
            graph.lengths_m.push_back(length);
          }
        }
      }
      graph.first_edge.push_back(graph.num_edges());
    }
  }
  return graph;
}

}  // namespace parallax
