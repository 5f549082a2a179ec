#include "app/cloud/cloud_density.h"

#include <algorithm>
#include <cmath>

#include "app/cloud/depth_edges.h"

namespace parallax::app {
CloudDensity MeasureDensity(CloudMeasures& measures, std::span<const Point3f> points, int k,
                            DensityKind kind) {
  const Neighbours neighbours = measures.NearestNeighbours(points, {.k = k, .include_self = false});
  return {k, kind, MeanDistances(neighbours), LocalDensity(neighbours, kind)};
}

std::string UnitOf(DensityKind kind) {
  return kind == DensityKind::kSurface ? "points / m^2" : "points / m^3";
}

std::vector<DensityBin> DensityByDepth(std::span<const Point3f> points, const CloudDensity& density) {
  const std::vector<double> edges = RoundDepthEdges(points);
  if (edges.empty()) return {};
  const std::size_t num_bins = edges.size() - 1;
  std::vector<std::vector<float>> distances(num_bins), densities(num_bins);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isnan(density.densities[i])) continue;
    const auto bin = static_cast<std::size_t>(
        std::upper_bound(edges.begin() + 1, edges.end() - 1, points[i].z) - edges.begin() - 1);
    distances[bin].push_back(density.mean_distances_m[i]);
    densities[bin].push_back(density.densities[i]);
  }
  std::vector<DensityBin> bins;
  for (std::size_t b = 0; b < num_bins; ++b) {
    bins.push_back({edges[b], edges[b + 1], distances[b].size(), QuantileOf(distances[b], 0.5),
                    QuantileOf(densities[b], 0.5)});
  }
  return bins;
}

ValueScale DensityScale(const CloudDensity& density) {
  const std::string area = density.kind == DensityKind::kSurface ? "square" : "cubic";
  return RobustScale(density.densities,
                     "density, points per " + area + " metre (k = " + std::to_string(density.k) + ")", true);
}

}  // namespace parallax::app
