#include "app/cloud/depth_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/pictures/value_scale.h"

namespace parallax::app {

std::vector<double> RoundDepthEdges(std::span<const Point3f> points) {
  std::vector<float> depths(points.size());
  std::transform(points.begin(), points.end(), depths.begin(), [](const Point3f& p) { return p.z; });
  const double low = QuantileOf(depths, 0.01), high = QuantileOf(depths, 0.99);
  if (!(high - low > 1e-3 * std::abs(high)) || !std::isfinite(high - low)) return {};
  constexpr double kWantedBins = 8, kInfinite = std::numeric_limits<double>::infinity();
  const double width = RoundStep((high - low) / kWantedBins);
  std::vector<double> edges = {-kInfinite};
  for (double i = std::floor(low / width) + 1; i * width < high; ++i) edges.push_back(i * width + 0.0);
  edges.push_back(kInfinite);
  return edges;
}

std::string DepthText(double from_m, double to_m) {
  if (std::isinf(from_m)) return fmt::format("below {:g}", to_m);
  if (std::isinf(to_m)) return fmt::format("{:g} and more", from_m);
  return fmt::format("{:g} to {:g}", from_m, to_m);
}

}  // namespace parallax::app
