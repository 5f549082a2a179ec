#include "app/view/cloud/cloud_coloring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/pictures/colormap.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

constexpr Rgb8 kNoColor{220, 220, 220};
constexpr int kDensityNeighbours = 8;  // the default of `parallax cloud density`

CloudColors ImageColors(const CloudFrame& frame, std::string note = {}) {
  CloudColors result;
  result.colors = frame.cloud.colors;
  result.colors.resize(frame.cloud.size(), kNoColor);
  result.note = std::move(note);
  return result;
}

CloudColors ValueColors(std::vector<float> values, std::size_t num_points, ValueScale scale,
                        bool near_is_light = false) {
  values.resize(num_points, std::numeric_limits<float>::quiet_NaN());
  if (!(scale.high > scale.low)) scale.high = scale.low + 1e-3;  // one value only
  CloudColors result{.colors = {}, .scale = std::move(scale), .near_is_light = near_is_light, .note = {}};
  result.colors.reserve(values.size());
  for (const float value : values) {
    const float t = result.scale->Position(value);
    result.colors.push_back(std::isnan(t) ? kNoValueColor : ColorOf(near_is_light ? 1 - t : t));
  }
  return result;
}

template <typename Value>
std::vector<float> OfPoints(const CloudFrame& frame, const Value& value) {
  std::vector<float> values;
  values.reserve(frame.cloud.size());
  for (const Point3f& p : frame.cloud.points) values.push_back(value(p));
  return values;
}

// The scale starts at 0 and ends at the 95th percentile.
ValueScale FromZero(const std::vector<float>& values, std::string label) {
  const double high = QuantileOf(values, 0.95);
  return {std::move(label), 0, std::isfinite(high) ? std::max(high, 1e-6) : 1, false};
}

CloudColors DensityColors(const CloudFrame& frame, CloudMeasures& measures) {
  try {
    const Neighbours neighbours =
        measures.NearestNeighbours(frame.cloud.points, {.k = kDensityNeighbours, .include_self = false});
    std::vector<float> values = LocalDensity(neighbours, DensityKind::kSurface);
    ValueScale scale = RobustScale(values, "points per square metre", true);
    return ValueColors(std::move(values), frame.cloud.size(), std::move(scale));
  } catch (const Error& error) {
    return ImageColors(frame, std::string("no density: ") + error.what());
  }
}

}  // namespace

CloudColors ColorCloud(const CloudFrame& frame, CloudColoring coloring, const Ground& ground,
                       CloudMeasures& measures) {
  const std::size_t num_points = frame.cloud.size();
  if (num_points == 0) return {};
  switch (coloring) {
    case CloudColoring::kImage:
      break;
    case CloudColoring::kDepth: {
      std::vector<float> values = OfPoints(frame, [](const Point3f& p) { return p.z; });
      const bool in_front = std::all_of(values.begin(), values.end(), [](float z) { return z > 0; });
      ValueScale scale = RobustScale(values, "depth, m", in_front);
      return ValueColors(std::move(values), num_points, std::move(scale), true);
    }
    case CloudColoring::kHeight: {
      std::vector<float> values = OfPoints(frame, [&](const Point3f& p) { return ground.HeightOf(p); });
      ValueScale scale = RobustScale(values, "height above the ground, m");
      return ValueColors(std::move(values), num_points, std::move(scale));
    }
    case CloudColoring::kConfidence:
      if (frame.confidence.empty()) return ImageColors(frame, "this cloud has no confidence");
      return ValueColors(frame.confidence, num_points, {"confidence", 0, 255, false});
    case CloudColoring::kDensity:
      return DensityColors(frame, measures);
    case CloudColoring::kError:
      if (frame.errors_px.empty()) return ImageColors(frame, "this frame has no truth");
      return ValueColors(frame.errors_px, num_points, FromZero(frame.errors_px, "error, px"));
    case CloudColoring::kDistance:
      if (frame.distances_m.empty()) return ImageColors(frame, "there is no second cloud");
      return ValueColors(frame.distances_m, num_points,
                         FromZero(frame.distances_m, "distance to the second cloud, m"));
  }
  return ImageColors(frame);
}

}  // namespace parallax::app
