#include "app/cloud/cloud_cleaning.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "app/output/number_list.h"
#include "parallax/error.h"
#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

std::string CleanerName(const RadiusOutlierParameters& p) {
  return fmt::format("radius {:g} m, at least {} other point{} in it", p.radius_m, p.min_neighbours,
                     p.min_neighbours == 1 ? "" : "s");
}
std::string CleanerName(const StatisticalOutlierParameters& p) {
  return fmt::format("statistical, {} neighbours, {:g} standard deviations, {} convention", p.num_neighbours,
                     p.std_ratio, p.convention == OutlierConvention::kPcl ? "PCL's" : "Open3D's");
}

}  // namespace

CleanedCloud Clean(const PointCloud& cloud, const CloudCleaning& cleaning, CloudMeasures& measures) {
  CleanedCloud cleaned{cloud, std::vector<std::int32_t>(cloud.size()), {}};
  std::iota(cleaned.indices.begin(), cleaned.indices.end(), 0);
  const auto keep = [&](std::string name, const std::vector<std::int32_t>& kept) {
    cleaned.steps.push_back({std::move(name), cleaned.cloud.size(), kept.size()});
    cleaned.cloud = Select(cleaned.cloud, kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      cleaned.indices[i] = cleaned.indices[static_cast<std::size_t>(kept[i])];
    }
    cleaned.indices.resize(kept.size());
  };
  const auto points = [&] { return std::span<const Point3f>(cleaned.cloud.points); };
  std::vector<std::int32_t> finite;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (IsFinite(cloud.points[i])) finite.push_back(static_cast<std::int32_t>(i));
  }
  if (finite.size() < cloud.size()) keep("not finite", finite);
  if (cleaning.voxel_size_m) {
    keep(fmt::format("voxels of {:g} m, one point each", *cleaning.voxel_size_m),
         KeepOnePerVoxel(points(), *cleaning.voxel_size_m));
  }
  if (cleaning.radius)
    keep(CleanerName(*cleaning.radius), KeepRadiusInliers(points(), *cleaning.radius, measures));
  if (cleaning.statistical) {
    keep(CleanerName(*cleaning.statistical),
         KeepStatisticalInliers(points(), *cleaning.statistical, measures));
  }
  return cleaned;
}

StatisticalOutlierParameters ParseStatistical(const std::string& option, const std::string& text,
                                              OutlierConvention convention) {
  StatisticalOutlierParameters parameters;
  parameters.convention = convention;
  if (ParsePair(text, ',', parameters.num_neighbours, parameters.std_ratio) &&
      parameters.num_neighbours >= 1 && parameters.num_neighbours <= kLargestNumNeighbours &&
      parameters.std_ratio > 0 && std::isfinite(parameters.std_ratio)) {
    return parameters;
  }
  throw InvalidArgument(
      fmt::format("{} '{}' is not K,RATIO (1 to {} neighbours, standard deviations above 0), e.g. 16,2",
                  option, text, kLargestNumNeighbours));
}

RadiusOutlierParameters ParseRadius(const std::string& option, const std::string& text) {
  RadiusOutlierParameters parameters;
  if (ParsePair(text, ',', parameters.radius_m, parameters.min_neighbours) && parameters.radius_m > 0 &&
      std::isfinite(parameters.radius_m) && parameters.min_neighbours >= 1 &&
      parameters.min_neighbours <= kLargestNumNeighbours) {
    return parameters;
  }
  throw InvalidArgument(
      fmt::format("{} '{}' is not RADIUS,MIN (metres above 0, 1 to {} other points), e.g. 0.1,4", option,
                  text, kLargestNumNeighbours));
}

OutlierConvention ConventionNamed(const std::string& name) {
  if (name == "pcl") return OutlierConvention::kPcl;
  if (name == "open3d") return OutlierConvention::kOpen3d;
  throw InvalidArgument("--convention '" + name + "' is unknown: use pcl or open3d");
}

}  // namespace parallax::app
