// How dense a cloud is: for `parallax cloud density`, `run --density` and `eval --cloud`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/pictures/value_scale.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {

// The density at every point.
struct CloudDensity {
  int k = 0;
  DensityKind kind = DensityKind::kSurface;
  std::vector<float> mean_distances_m;  // of its k nearest neighbours
  std::vector<float> densities;         // see LocalDensity
};
CloudDensity MeasureDensity(CloudMeasures& measures, std::span<const Point3f> points, int k,
                            DensityKind kind);

// "points / m^2" or "points / m^3".
std::string UnitOf(DensityKind kind);

// The points at depths (z) from from_m to to_m, with their medians.
struct DensityBin {
  double from_m = 0, to_m = 0;
  std::size_t num_points = 0;
  double mean_distance_m = 0, density = 0;
};
// The mean density in the bins of RoundDepthEdges (depth_edges.h).
std::vector<DensityBin> DensityByDepth(std::span<const Point3f> points, const CloudDensity& density);

ValueScale DensityScale(const CloudDensity& density);

}  // namespace parallax::app
