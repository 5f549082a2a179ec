#include "parallax/cloud_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "parallax/error.h"
#include "pipeline/cloud/finite.h"

namespace parallax {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void CheckCloud(std::span<const Point3f> points, const char* name) {
  if (std::none_of(points.begin(), points.end(), IsFinite)) {
    throw InvalidArgument(std::string(name) + " has " + std::to_string(points.size()) +
                          " points, none of them finite: there is nothing to compare");
  }
}

void CheckEdges(std::span<const double> edges_m) {
  for (std::size_t i = 0; i < edges_m.size(); ++i) {
    if (std::isnan(edges_m[i]) || (i > 0 && edges_m[i] <= edges_m[i - 1])) {
      throw InvalidArgument("edge " + std::to_string(i + 1) + " of the depth bins is " +
                            std::to_string(edges_m[i]) + " m: edges must ascend");
    }
  }
}

// name: of `from`.
std::vector<float> DistancesToNearest(std::span<const Point3f> from, std::span<const Point3f> to,
                                      const char* name, CloudMeasures& measures) {
  std::vector<float> distances = std::move(measures.NearestNeighbours(to, from, 1).distances_m);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!IsFinite(from[i])) {
      distances[i] = std::numeric_limits<float>::quiet_NaN();
    } else if (std::isinf(distances[i])) {
      throw InvalidArgument("point " + std::to_string(i) + " of " + name +
                            " is too far away for single precision: remove it");
    }
  }
  return distances;
}

double DepthOf(const Point3f& p, DepthKind kind) {
  return kind == DepthKind::kDepth ? double{p.z} : std::hypot(double{p.x}, double{p.y}, double{p.z});
}

// The values of the points in every bin, without those that are NaN.
std::vector<std::vector<float>> SortIntoBins(std::span<const Point3f> points, std::span<const float> values,
                                             std::span<const double> edges_m, DepthKind kind) {
  std::vector<std::vector<float>> bins(edges_m.size() < 2 ? 0 : edges_m.size() - 1);
  for (std::size_t i = 0; !bins.empty() && i < points.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const auto above = std::upper_bound(edges_m.begin(), edges_m.end(), DepthOf(points[i], kind));
    if (above != edges_m.begin() && above != edges_m.end())
      bins[above - edges_m.begin() - 1].push_back(values[i]);
  }
  return bins;
}

double ShareBelow(std::span<const float> distances_m, double threshold_m, std::int64_t count) {
  const auto below = std::count_if(distances_m.begin(), distances_m.end(),
                                   [&](float d) { return static_cast<double>(d) < threshold_m; });
  return static_cast<double>(below) / static_cast<double>(count);
}

double ElementAt(const std::vector<float>& sorted, double share) {
  const auto index = static_cast<std::size_t>(std::floor(static_cast<double>(sorted.size()) * share));
  return sorted[std::min(index, sorted.size() - 1)];
}

std::vector<float> WithoutNan(std::span<const float> values) {
  std::vector<float> others;
  std::copy_if(values.begin(), values.end(), std::back_inserter(others),
               [](float v) { return !std::isnan(v); });
  return others;
}

}  // namespace

DistanceScores ScoresOf(std::span<const float> distances_m) {
  std::vector<float> distances = WithoutNan(distances_m);
  DistanceScores scores;
  scores.num_points = static_cast<std::int64_t>(distances.size());
  if (distances.empty()) {
    scores.mean_m = scores.mean_squared_m2 = scores.max_m = kNan;
    scores.quantiles_m.fill(kNan);
    return scores;
  }
  for (const float d : distances) {
    scores.mean_m += double{d};
    scores.mean_squared_m2 += double{d} * double{d};
  }
  scores.mean_m /= static_cast<double>(scores.num_points);
  scores.mean_squared_m2 /= static_cast<double>(scores.num_points);
  std::sort(distances.begin(), distances.end());
  scores.max_m = distances.back();
  for (std::size_t i = 0; i < kDistanceShares.size(); ++i)
    scores.quantiles_m[i] = ElementAt(distances, kDistanceShares[i]);
  return scores;
}

CloudComparison CompareClouds(std::span<const Point3f> estimate, std::span<const Point3f> truth,
                              const CompareOptions& options, CloudMeasures& measures) {
  CheckCloud(estimate, "the estimate");
  CheckCloud(truth, "the truth");
  CheckEdges(options.depth_edges_m);
  for (const double threshold : options.thresholds_m) {
    if (!(threshold > 0))
      throw InvalidArgument("threshold of " + std::to_string(threshold) + " m: thresholds must be positive");
  }
  CloudComparison result;
  result.estimate_to_truth_m = DistancesToNearest(estimate, truth, "the estimate", measures);
  result.truth_to_estimate_m = DistancesToNearest(truth, estimate, "the truth", measures);
  const DistanceScores& accuracy = result.accuracy = ScoresOf(result.estimate_to_truth_m);
  const DistanceScores& completeness = result.completeness = ScoresOf(result.truth_to_estimate_m);
  result.chamfer_sum_m = accuracy.mean_m + completeness.mean_m;
  result.chamfer_half_m = result.chamfer_sum_m / 2;
  result.chamfer_squared_sum_m2 = accuracy.mean_squared_m2 + completeness.mean_squared_m2;
  result.chamfer_squared_half_m2 = result.chamfer_squared_sum_m2 / 2;
  result.hausdorff_m = std::max(accuracy.max_m, completeness.max_m);
  for (const double threshold : options.thresholds_m) {
    const double precision = ShareBelow(result.estimate_to_truth_m, threshold, accuracy.num_points);
    const double recall = ShareBelow(result.truth_to_estimate_m, threshold, completeness.num_points);
    const double sum = precision + recall;
    result.thresholds.push_back({threshold, precision, recall, sum == 0 ? 0 : 2 * precision * recall / sum});
  }
  const auto accuracies =
      SortIntoBins(estimate, result.estimate_to_truth_m, options.depth_edges_m, options.depth);
  const auto completenesses =
      SortIntoBins(truth, result.truth_to_estimate_m, options.depth_edges_m, options.depth);
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    result.bins.push_back({options.depth_edges_m[i], options.depth_edges_m[i + 1], ScoresOf(accuracies[i]),
                           ScoresOf(completenesses[i])});
  }
  return result;
}

std::vector<float> SignedDepthErrors(std::span<const Point3f> points,
                                     HostImageView<const float> truth_depth_m, const StereoRig& rig) {
  if (!(rig.fx_px > 0)) {
    throw InvalidArgument("rig has focal length " + std::to_string(rig.fx_px) +
                          " px: it must be positive to project points");
  }
  std::vector<float> errors(points.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point3f& p = points[i];
    if (!IsFinite(p) || !(p.z > 0)) continue;
    const double x = std::floor(rig.fx_px * double{p.x} / double{p.z} + rig.cx_px + 0.5);
    const double y = std::floor(rig.fx_px * double{p.y} / double{p.z} + rig.cy_px + 0.5);
    if (!(x >= 0 && x < truth_depth_m.width && y >= 0 && y < truth_depth_m.height)) continue;
    const float truth = truth_depth_m(static_cast<int>(x), static_cast<int>(y));
    if (truth > 0 && std::isfinite(truth)) errors[i] = p.z - truth;
  }
  return errors;
}

SignedErrorScores SignedScoresOf(std::span<const float> errors_m) {
  std::vector<float> errors = WithoutNan(errors_m);
  SignedErrorScores scores;
  scores.num_points = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return {0, kNan, kNan, kNan, kNan, kNan};
  double squares = 0;
  for (const float e : errors) {
    scores.bias_m += double{e};
    scores.mean_abs_m += std::abs(double{e});
    squares += double{e} * double{e};
  }
  const double count = static_cast<double>(errors.size());
  scores.bias_m /= count;
  scores.mean_abs_m /= count;
  scores.rms_m = std::sqrt(squares / count);
  std::sort(errors.begin(), errors.end());
  scores.median_m = ElementAt(errors, 0.5);
  for (float& e : errors) e = std::abs(e);
  std::sort(errors.begin(), errors.end());
  scores.median_abs_m = ElementAt(errors, 0.5);
  return scores;
}

}  // namespace parallax
