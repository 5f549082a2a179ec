// The filters that remove points from clouds, for `parallax cloud clean` and `run --cloud-clean`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallax/cloud_measures.h"

namespace CLI {
class App;
}

namespace parallax::app {

// The filters, in the order in which they are applied.
struct CloudCleaning {
  std::optional<float> voxel_size_m;  // keeps one point per voxel
  std::optional<RadiusOutlierParameters> radius;
  std::optional<StatisticalOutlierParameters> statistical;

  bool IsEmpty() const { return !voxel_size_m && !radius && !statistical; }
};

struct CleaningStep {
  std::string name;  // "radius 0.1 m, at least 4 neighbours"
  std::size_t num_before = 0, num_kept = 0;
};

struct CleanedCloud {
  PointCloud cloud;                   // in input order
  std::vector<std::int32_t> indices;  // of the input, ascending
  std::vector<CleaningStep> steps;
};
// Points that are not finite are removed first.
CleanedCloud Clean(const PointCloud& cloud, const CloudCleaning& cleaning, CloudMeasures& measures);

// "K,RATIO" and "R,MIN". Throws InvalidArgument, naming the option, for anything else.
StatisticalOutlierParameters ParseStatistical(const std::string& option, const std::string& text,
                                              OutlierConvention convention);
RadiusOutlierParameters ParseRadius(const std::string& option, const std::string& text);
// "pcl" or "open3d".
OutlierConvention ConventionNamed(const std::string& name);

}  // namespace parallax::app
