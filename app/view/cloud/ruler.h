// The distance between two points of a cloud, straight and along the surface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cloud/cloud_graph.h"
#include "app/view/cloud/cloud_frame.h"
#include "parallax/cloud.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {

struct RulerLength {
  float straight_m = 0;
  std::optional<float> geodesic_m;  // absent where no path exists
  std::vector<Point3f> path;        // along the surface, from the first point on; empty without one
  // Edge of the voxels whose graph joins the points, m, if the graph of neighbours has a gap between them.
  std::optional<float> voxel_m;
  // Why there is no path, or which graph replaces that of the neighbours; empty for a path from neighbour to
  // neighbour.
  std::string note;
};

// Remembers the graph of the cloud that was measured last.
class Ruler {
 public:
  // Measures from one point of the frame's cloud to another, both finite, as `parallax cloud geodesic CLOUD
  // --from A --to B` does. If the graph of neighbours has no path, it takes --graph voxel and the smallest
  // --voxel of 0.01, 0.02, 0.05, ... that connects them. Slow for a new cloud.
  RulerLength Measure(const std::shared_ptr<const CloudFrame>& frame, std::size_t from, std::size_t to,
                      CloudMeasures& measures);

 private:
  // Points that are not finite are left out.
  void Take(const std::shared_ptr<const CloudFrame>& frame);

  std::shared_ptr<const CloudFrame> frame_;
  std::vector<Point3f> points_;
  std::vector<std::int32_t> indices_;  // in the frame's cloud; ascending
  std::optional<GraphOfCloud> graph_;
};

}  // namespace parallax::app
