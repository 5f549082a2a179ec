#include "pipeline/cloud/geodesics/geodesic_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cloud/point_length.h"

namespace parallax {
namespace {

constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();

double MedianOf(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// The distances of one map between drawn pixels, along the surface and straight.
class Surface {
 public:
  Surface(const HostImage<float>& depth, const StereoRig& rig, const std::vector<std::int32_t>& sources,
          const GeodesicOptions& targets, float max_jump, CloudMeasures& measures)
      : depth_(depth), rig_(rig) {
    geodesics_ = measures.ShortestPaths(MakeDepthGraph(depth.ConstView(), rig, max_jump), sources, targets);
  }
  float Along(std::size_t source, std::size_t target) const {
    return geodesics_.distances_m[source * static_cast<std::size_t>(geodesics_.num_columns) + target];
  }
  float Straight(std::int32_t a, std::int32_t b) const { return LengthBetween(PointOf(a), PointOf(b)); }

 private:
  Point3f PointOf(std::int32_t pixel) const {
    const int x = pixel % depth_.width(), y = pixel / depth_.width();
    return PointOfPixel(x, y, depth_(x, y), rig_);
  }

  const HostImage<float>& depth_;
  const StereoRig& rig_;
  Geodesics geodesics_;
};

}  // namespace

double GeodesicRatio::ShareOfShortcuts() const {
  return Share(num_shortcuts + num_bridged, num_compared + num_bridged);
}

double GeodesicRatio::ShareTorn() const { return Share(num_torn, num_compared + num_torn); }

GeodesicRatio CompareGeodesics(HostImageView<const float> estimate_m, HostImageView<const float> truth_m,
                               const StereoRig& rig, const GeodesicRatioOptions& options,
                               CloudMeasures& measures) {
  if (!SameSize(estimate_m, truth_m)) {
    throw InvalidArgument("geodesic ratio: the estimate has " + std::to_string(estimate_m.width) + "x" +
                          std::to_string(estimate_m.height) + " pixels, the truth " +
                          std::to_string(truth_m.width) + "x" + std::to_string(truth_m.height));
  }
  if (options.num_sources < 1 || options.num_targets < 1 || !(options.shortcut > 0)) {
    throw InvalidArgument("geodesic ratio: sources, targets and the share of a shortcut must be positive");
  }
  const int width = truth_m.width, height = truth_m.height;
  HostImage<float> estimate(width, height, kNanFloat), truth(width, height, kNanFloat);
  std::vector<std::int32_t> common;
  const auto has_depth = [](float z) { return z > 0 && std::isfinite(z); };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!has_depth(estimate_m(x, y)) || !has_depth(truth_m(x, y))) continue;
      estimate(x, y) = estimate_m(x, y);
      truth(x, y) = truth_m(x, y);
      common.push_back(y * width + x);
    }
  }
  GeodesicRatio result;
  std::vector<double> of_estimate, of_truth, ratios;
  if (!common.empty()) {
    // Draws without replacement, at most as many as there are.
    const auto draw = [&](int count, std::uint64_t seed) {
      const auto n = static_cast<std::int64_t>(common.size());
      std::vector<std::int32_t> pixels = SampleIndices(n, std::min<std::int64_t>(count, n), seed);
      for (std::int32_t& pixel : pixels) pixel = common[static_cast<std::size_t>(pixel)];
      return pixels;
    };
    const std::vector<std::int32_t> sources = draw(options.num_sources, options.seed);
    GeodesicOptions targets;
    targets.targets = draw(options.num_targets, options.seed + 1);
    const Surface e(estimate, rig, sources, targets, options.max_jump, measures);
    const Surface t(truth, rig, sources, targets, options.max_jump, measures);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t j = 0; j < targets.targets.size(); ++j) {
        const std::int32_t a = sources[i], b = targets.targets[j];
        if (a == b) continue;
        ++result.num_pairs;
        const bool in_estimate = std::isfinite(e.Along(i, j)), in_truth = std::isfinite(t.Along(i, j));
        if (in_estimate && !in_truth) ++result.num_bridged;
        if (!in_estimate && in_truth) ++result.num_torn;
        if (!in_estimate || !in_truth) continue;
        ++result.num_compared;
        if (e.Along(i, j) < options.shortcut * t.Along(i, j)) ++result.num_shortcuts;
        of_estimate.push_back(static_cast<double>(e.Along(i, j)) / static_cast<double>(e.Straight(a, b)));
        of_truth.push_back(static_cast<double>(t.Along(i, j)) / static_cast<double>(t.Straight(a, b)));
        ratios.push_back(of_estimate.back() / of_truth.back());
      }
    }
  }
  result.median_estimate = MedianOf(of_estimate);
  result.median_truth = MedianOf(of_truth);
  result.median_ratio = MedianOf(ratios);
  return result;
}

}  // namespace parallax
