#include "app/view/cloud/ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "app/cloud/cloud_places.h"
#include "parallax/error.h"
#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

// Fills length, path and, over voxels, the straight distance of their nodes. False without a path.
bool MeasureOn(const GraphOfCloud& graph, const std::vector<Point3f>& points, std::size_t from,
               std::size_t to, CloudMeasures& measures, RulerLength& length) {
  const std::int32_t source = graph.NodeOf(from), target = graph.NodeOf(to);
  const Geodesics found = measures.ShortestPaths(graph.graph, std::vector<std::int32_t>{source},
                                                 {.targets = {target}, .predecessors = true});
  if (!std::isfinite(found.distances_m.front())) return false;
  length.geodesic_m = found.distances_m.front();
  const std::vector<Point3f>& nodes = graph.nodes.empty() ? points : graph.nodes;
  for (const std::int32_t node : PathTo(found.predecessors, source, target))
    length.path.push_back(nodes[static_cast<std::size_t>(node)]);
  return true;
}

}  // namespace

void Ruler::Take(const std::shared_ptr<const CloudFrame>& frame) {
  if (frame_ == frame) return;
  frame_ = frame;
  points_.clear();
  indices_.clear();
  graph_.reset();
  const std::vector<Point3f>& all = frame->cloud.points;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!IsFinite(all[i])) continue;
    points_.push_back(all[i]);
    indices_.push_back(static_cast<std::int32_t>(i));
  }
}

RulerLength Ruler::Measure(const std::shared_ptr<const CloudFrame>& frame, std::size_t from, std::size_t to,
                           CloudMeasures& measures) {
  RulerLength length;
  length.straight_m = DistanceBetween(frame->cloud.points[from], frame->cloud.points[to]);
  Take(frame);
  const auto place_of = [&](std::size_t index) {
    return static_cast<std::size_t>(
        std::lower_bound(indices_.begin(), indices_.end(), static_cast<std::int32_t>(index)) -
        indices_.begin());
  };
  const std::size_t source = place_of(from), target = place_of(to);
  const CloudGraphOptions usual;
  if (points_.size() <= static_cast<std::size_t>(usual.k)) {
    length.note =
        fmt::format("no path: a graph of {} neighbours needs more points than {}", usual.k, points_.size());
    return length;
  }
  try {
    if (!graph_) graph_ = MakeGraphOfCloud(measures, points_, usual);
    if (MeasureOn(*graph_, points_, source, target, measures, length)) return length;
    CloudGraphOptions wider = usual;
    wider.voxels = true;
    for (const float size_m : {0.01f, 0.02f, 0.05f, 0.1f, 0.2f, 0.5f, 1.0f, 2.0f, 5.0f}) {
      wider.voxel_size_m = size_m;
      const GraphOfCloud graph = MakeGraphOfCloud(measures, points_, wider);
      if (!MeasureOn(graph, points_, source, target, measures, length)) continue;
      length.voxel_m = size_m;
      length.note = fmt::format("over voxels of {:g} m: the points are not joined by neighbours", size_m);
      return length;
    }
    length.note = "no path: the cloud has a gap between the two points";
  } catch (const Error& error) {
    length.note = std::string("no path: ") + error.what();
  }
  return length;
}

}  // namespace parallax::app
