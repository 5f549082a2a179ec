#include "app/cloud_density.h"

#include <algorithm>
#include <cmath>

#include "app/cloud_picture.h"

namespace parallax::app {
namespace {

double RoundWidth(double width) {
  const double power = std::pow(10.0, std::floor(std::log10(width)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= width) return factor * power;
  }
  return 10 * power;
}

}  // namespace

CloudDensity MeasureDensity(CloudMeasures& measures, std::span<const Point3f> points, int k,
                            DensityKind kind) {
  const Neighbours neighbours = measures.NearestNeighbours(points, {.k = k, .include_self = false});
  return {k, kind, MeanDistances(neighbours), LocalDensity(neighbours, kind)};
}

std::string UnitOf(DensityKind kind) {
  return kind == DensityKind::kSurface ? "points / m^2" : "points / m^3";
}

std::vector<DensityBin> DensityByDepth(std::span<const Point3f> points, const CloudDensity& density) {
  std::vector<float> depths(points.size());
  std::transform(points.begin(), points.end(), depths.begin(), [](const Point3f& p) { return p.z; });
  const double low = QuantileOf(depths, 0.01), high = QuantileOf(depths, 0.99);
  if (!(high > low)) return {};
  constexpr double kWantedBins = 8;
  const double width = RoundWidth((high - low) / kWantedBins);
  const double first = std::floor(low / width), last = std::max(first, std::ceil(high / width) - 1);
  const auto num_bins = static_cast<std::size_t>(last - first) + 1;
  std::vector<std::vector<float>> distances(num_bins), densities(num_bins);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isnan(density.densities[i])) continue;
    const auto bin = static_cast<std::size_t>(std::clamp(std::floor(depths[i] / width), first, last) - first);
    distances[bin].push_back(density.mean_distances_m[i]);
    densities[bin].push_back(density.densities[i]);
  }
  std::vector<DensityBin> bins;
  for (std::size_t b = 0; b < num_bins; ++b) {
    const double from = (first + static_cast<double>(b)) * width;
    bins.push_back({from, from + width, distances[b].size(), QuantileOf(distances[b], 0.5),
                    QuantileOf(densities[b], 0.5)});
  }
  return bins;
}

ValueScale DensityScale(const CloudDensity& density) {
  const std::string area = density.kind == DensityKind::kSurface ? "square" : "cubic";
  return RobustScale(density.densities,
                     "density, points per " + area + " metre (k = " + std::to_string(density.k) + ")", true);
}

HostImage<Rgb8> DensityPicture(std::span<const Point3f> points, const CloudDensity& density,
                               const std::string& title) {
  CloudPictureOptions options;
  options.title = title;
  options.no_value_meaning = "no neighbours";
  options.spacing_m = density.mean_distances_m;
  return CloudPicture(points, density.densities, DensityScale(density), options);
}

}  // namespace parallax::app
