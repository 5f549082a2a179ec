#include "app/scores/cloud_scores.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/cloud/cloud_density.h"
#include "app/cloud/cloud_options.h"
#include "app/scores/cloud_figures.h"
#include "parallax/cloud_measures.h"
#include "parallax/error.h"
#include "pipeline/cloud/geodesics/geodesic_ratio.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::string ThresholdText(double threshold_m) { return fmt::format("{:g}m", threshold_m); }

// The rig of the same cameras with pixels 1 / scale times as large. Pixel centres are at whole numbers.
StereoRig Scaled(const StereoRig& rig, double scale) {
  return {.fx_px = rig.fx_px * scale,
          .cx_px = (rig.cx_px + 0.5) * scale - 0.5,
          .cy_px = (rig.cy_px + 0.5) * scale - 0.5,
          .baseline_m = rig.baseline_m,
          .doffs_px = rig.doffs_px * scale};
}

struct DepthMap {
  HostImage<float> depth_m;
  StereoRig rig;
};

// A disparity map as depths, seen by the frame's cameras at the map's resolution.
DepthMap DepthOf(HostImageView<const float> disparity, const StereoFrame& frame,
                 const ReprojectionParameters& limits) {
  const double scale = static_cast<double>(disparity.width) / WidthOf(ViewOf(frame.left));
  DepthMap map{HostImage<float>(disparity.width, disparity.height), Scaled(*frame.rig, scale)};
  DepthFromDisparity(disparity, map.rig, limits, map.depth_m.View());
  return map;
}

PointCloud CloudOf(const DepthMap& map) {
  const HostImage<std::uint8_t> no_colors(map.depth_m.width(), map.depth_m.height(), 0);
  return CloudFromDepth(map.depth_m.ConstView(), no_colors.ConstView(), map.rig);
}

// Leaves the estimate's depths only where one of the truth's pixels that it covers has one.
void KeepPixelsWithTruth(HostImageView<const float> truth_m, HostImage<float>& estimate_m) {
  const int scale = std::max(1, truth_m.width / std::max(1, estimate_m.width()));
  for (int y = 0; y < estimate_m.height(); ++y) {
    for (int x = 0; x < estimate_m.width(); ++x) {
      bool known = false;
      for (int v = scale * y; v < std::min(scale * (y + 1), truth_m.height); ++v) {
        for (int u = scale * x; u < std::min(scale * (x + 1), truth_m.width); ++u) {
          known = known || !std::isnan(truth_m(u, v));
        }
      }
      if (!known) estimate_m(x, y) = kNan;
    }
  }
}

std::vector<Point3f> Draw(const std::vector<Point3f>& points, std::int64_t count, std::uint64_t seed) {
  std::vector<Point3f> drawn;
  for (const std::int32_t i : SampleIndices(static_cast<std::int64_t>(points.size()), count, seed)) {
    drawn.push_back(points[static_cast<std::size_t>(i)]);
  }
  return drawn;
}

}  // namespace

void AddCloudScoreOptions(CLI::App& command, CloudScoreOptions& options) {
  command.add_flag("--cloud", options.enabled,
                   "Also score the cloud against the truth's cloud, if there is a calibration (slow)");
  command
      .add_option("--cloud-thresholds", options.thresholds_m,
                  "Distance thresholds of the clouds' precision, recall and F-score, m")
      ->delimiter(',')
      ->check(CheckPositive)
      ->type_name("M,...")
      ->capture_default_str();
  command
      .add_option("--emd-points", options.emd_points,
                  "Points sampled from each cloud for the EMD; 0 = no EMD")
      ->check(CLI::Range(0, 1 << 24))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--emd-seed", options.seed, "Seed of this sampling")
      ->check(CheckNotNegative)
      ->capture_default_str();
}

CloudEvaluator::CloudEvaluator(CloudScoreOptions options, std::unique_ptr<CloudMeasures> measures)
    : CloudEvaluator(std::move(options), std::string(measures->name())) {
  measures_ = std::move(measures);
}
CloudEvaluator::CloudEvaluator(CloudScoreOptions options, std::string backend)
    : options_(std::move(options)), backend_(std::move(backend)) {
  std::sort(options_.thresholds_m.begin(), options_.thresholds_m.end());
}

Scores CloudEvaluator::Measure(const StereoFrame& frame, HostImageView<const float> estimate,
                               const ReprojectionParameters& limits, std::string& why) {
  if (!frame.rig) {
    why = frame.rig_note.empty() ? "no calibration" : frame.rig_note;
    return {};
  }
  const Stopwatch watch;
  DepthMap estimate_map = DepthOf(estimate, frame, limits);
  const DepthMap truth_map = DepthOf(frame.truth->disparity.ConstView(), frame, limits);
  const PointCloud whole = CloudOf(estimate_map), truth = CloudOf(truth_map);
  KeepPixelsWithTruth(truth_map.depth_m.ConstView(), estimate_map.depth_m);
  const PointCloud judged = CloudOf(estimate_map);
  if (truth.points.empty() || judged.points.empty()) {
    why = fmt::format("the cloud of the {} is empty between {:g} and {:g} m",
                      truth.points.empty() ? "truth" : "estimate", limits.min_depth_m, limits.max_depth_m);
    return {};
  }
  Scores scores;
  scores.Add(CloudKey("cloud_points"), static_cast<double>(whole.size()));
  scores.Add(CloudKey("cloud_judged_points"), static_cast<double>(judged.size()));
  scores.Add(CloudKey("cloud_truth_points"), static_cast<double>(truth.size()));
  AddDensity(whole, scores);
  AddComparison(judged, truth, scores);
  const std::vector<float> depth_errors_m =
      SignedDepthErrors(judged.points, truth_map.depth_m.ConstView(), truth_map.rig);
  const SignedErrorScores depth = SignedScoresOf(depth_errors_m);
  scores.Add(CloudKey("cloud_depth_bias_m"), depth.bias_m);
  scores.Add(CloudKey("cloud_depth_median_abs_m"), depth.median_abs_m);
  scores.Add(CloudKey("cloud_depth_mean_abs_m"), depth.mean_abs_m);
  scores.Add(CloudKey("cloud_depth_rms_m"), depth.rms_m);
  AddGeodesics(estimate_map.depth_m.ConstView(), truth_map.depth_m.ConstView(), truth_map.rig, scores);
  AddEmd(judged, truth, scores);
  scores.Add(CloudKey("cloud_ms"), watch.ms());
  return scores;
}

void CloudEvaluator::AddDensity(const PointCloud& estimate, Scores& scores) {
  const CloudDensity density = MeasureDensity(*measures_, estimate.points, options_.k, DensityKind::kSurface);
  scores.Add(CloudKey("cloud_spacing_m"), QuantileOf(density.mean_distances_m, 0.5));
  const Spread spread = SpreadOf(density.densities);
  scores.Add(CloudKey("cloud_density_p5"), spread.p5);
  scores.Add(CloudKey("cloud_density"), spread.median);
  scores.Add(CloudKey("cloud_density_p95"), spread.p95);
}

void CloudEvaluator::AddComparison(const PointCloud& estimate, const PointCloud& truth, Scores& scores) {
  CompareOptions options;
  options.thresholds_m = options_.thresholds_m;
  const CloudComparison c = CompareClouds(estimate.points, truth.points, options, *measures_);
  scores.Add(CloudKey("cloud_accuracy_m"), c.accuracy.mean_m);
  scores.Add(CloudKey("cloud_accuracy_q50_m"), c.accuracy.quantiles_m[0]);
  scores.Add(CloudKey("cloud_accuracy_q90_m"), c.accuracy.quantiles_m[2]);
  scores.Add(CloudKey("cloud_completeness_m"), c.completeness.mean_m);
  scores.Add(CloudKey("cloud_completeness_q50_m"), c.completeness.quantiles_m[0]);
  scores.Add(CloudKey("cloud_completeness_q90_m"), c.completeness.quantiles_m[2]);
  scores.Add(CloudKey("cloud_chamfer_sum_m"), c.chamfer_sum_m);
  scores.Add(CloudKey("cloud_chamfer_squared_sum_m2"), c.chamfer_squared_sum_m2);
  scores.Add(CloudKey("cloud_hausdorff_m"), c.hausdorff_m);
  for (const ThresholdScores& t : c.thresholds) {
    const std::string suffix = '_' + ThresholdText(t.threshold_m);
    scores.Add(CloudKey("cloud_precision") + suffix, 100 * t.precision);
    scores.Add(CloudKey("cloud_recall") + suffix, 100 * t.recall);
    scores.Add(CloudKey("cloud_f") + suffix, 100 * t.f_score);
  }
}

void CloudEvaluator::AddGeodesics(HostImageView<const float> estimate_m, HostImageView<const float> truth_m,
                                  const StereoRig& rig, Scores& scores) {
  if (!SameSize(estimate_m, truth_m)) return;
  const GeodesicRatio ratio = CompareGeodesics(estimate_m, truth_m, rig, {}, *measures_);
  scores.Add(CloudKey("cloud_geodesic_pairs"), static_cast<double>(ratio.num_compared));
  scores.Add(CloudKey("cloud_geodesic_ratio"), ratio.median_ratio);
  scores.Add(CloudKey("cloud_geodesic_straight"), ratio.median_estimate);
  scores.Add(CloudKey("cloud_geodesic_straight_truth"), ratio.median_truth);
  scores.Add(CloudKey("cloud_geodesic_shortcuts"), 100 * ratio.ShareOfShortcuts());
  scores.Add(CloudKey("cloud_geodesic_torn"), 100 * ratio.ShareTorn());
}

void CloudEvaluator::AddEmd(const PointCloud& estimate, const PointCloud& truth, Scores& scores) {
  if (options_.emd_points == 0) return;
  const std::vector<Point3f> a = Draw(estimate.points, options_.emd_points, options_.seed),
                             b = Draw(truth.points, options_.emd_points, options_.seed + 1),
                             other_b = Draw(truth.points, options_.emd_points, options_.seed + 2);
  const std::vector<EmdPair> pairs = {{a, b}, {b, other_b}};
  const std::vector<EmdResult> results = measures_->EarthMoversDistances(pairs, {.gap = options_.emd_gap});
  scores.Add(CloudKey("cloud_emd_lower_m"), results[0].lower_m);
  scores.Add(CloudKey("cloud_emd_upper_m"), results[0].upper_m);
  scores.Add(CloudKey("cloud_emd_draws_m"), results[1].upper_m);
}

Scores CloudEvaluator::Total() const {
  Scores total;
  for (const Scores& frame : frames_) {
    for (const NamedScore& score : frame) {
      if (total.Find(score.key)) continue;
      double sum = 0, count = 0;
      for (const Scores& other : frames_) {
        const std::optional<double> value = other.Find(score.key);
        if (value && !std::isnan(*value)) sum += *value, ++count;
      }
      total.Add(score.key, sum / count);
    }
  }
  return total;
}

std::vector<TableSection> CloudEvaluator::Sections() const {
  const Scores total = Total();
  std::vector<TableSection> sections;
  const std::pair<CloudTable, std::string> tables[] = {
      {CloudTable::kDistances, "cloud against the truth's cloud (m; plain mean of the frames)"},
      {CloudTable::kShares, "precision, recall and F-score of the cloud (%; plain mean of the frames)"},
      {CloudTable::kGeodesics,
       "paths along the surface, geodesic over straight distance (medians, %; plain mean of the frames)"},
      {CloudTable::kDensity,
       fmt::format("density of the cloud, {} neighbours (medians; plain mean of the frames)", options_.k)}};
  for (const auto& [table, title] : tables) {
    TableSection section{title, {}};
    const auto add = [&, table = table](const CloudFigure& figure, const std::string& key_suffix,
                                        const std::string& header_suffix) {
      const std::string key = figure.key + key_suffix;
      // A key is missing without EMD, or without paths to compare.
      if (figure.table != table || !total.Find(key)) return;
      section.columns.push_back({key, figure.header + header_suffix, figure.format});
    };
    for (const CloudFigure& figure : kCloudFigures) add(figure, "", "");
    for (const CloudFigure& figure : kCloudThresholdFigures) {
      for (const double threshold_m : options_.thresholds_m) {
        add(figure, '_' + ThresholdText(threshold_m), ' ' + ThresholdText(threshold_m));
      }
    }
    if (!section.columns.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

OrderedJson CloudEvaluator::Settings() const {
  return {{"backend", backend_},
          {"k", options_.k},
          {"thresholds_m", options_.thresholds_m},
          {"emd_points", options_.emd_points},
          {"emd_seed", options_.seed},
          {"emd_gap", options_.emd_gap}};
}

}  // namespace parallax::app
