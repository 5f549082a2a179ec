// parallax cloud compare: how near an estimated cloud and the true one are.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_options.h"
#include "app/cloud/depth_edges.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "app/pictures/value_scale.h"
#include "datasets/formats/cloud_file.h"
#include "parallax/cloud_measures.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

struct CompareCommandOptions {
  std::string estimate, truth;
  CompareOptions compare;
  std::string output;
  CloudOptions common;
};

constexpr std::string_view kAccuracy = "estimate to truth", kCompleteness = "truth to estimate";

void PrintDirections(const CloudComparison& c) {
  const auto row = [&](const std::string& name, auto value) {
    fmt::print("{:<34}{:>20}{:>20}\n", name, value(c.accuracy), value(c.completeness));
  };
  fmt::print("{:<34}{:>20}{:>20}\n", "", kAccuracy, kCompleteness);
  fmt::print("{:<34}{:>20}{:>20}\n", "", "(accuracy)", "(completeness)");
  row("points",
      [](const DistanceScores& s) { return WithThousands(static_cast<std::size_t>(s.num_points)); });
  row("mean distance, m", [](const DistanceScores& s) { return FourDigits(s.mean_m); });
  row("mean squared distance, m^2", [](const DistanceScores& s) { return FourDigits(s.mean_squared_m2); });
  for (std::size_t i = 0; i < kDistanceShares.size(); ++i) {
    row(fmt::format("{:g} % of the points within, m", 100 * kDistanceShares[i]),
        [i](const DistanceScores& s) { return FourDigits(s.quantiles_m[i]); });
  }
  row("largest distance, m", [](const DistanceScores& s) { return FourDigits(s.max_m); });
}

void PrintComparison(const CloudComparison& c) {
  PrintDirections(c);
  fmt::print("\n{:<54}{:>20}\n", "Chamfer distance, mean + mean, m", FourDigits(c.chamfer_sum_m));
  fmt::print("{:<54}{:>20}\n", "half the Chamfer distance, m", FourDigits(c.chamfer_half_m));
  fmt::print("{:<54}{:>20}\n", "Chamfer distance of squares, mean + mean, m^2",
             FourDigits(c.chamfer_squared_sum_m2));
  fmt::print("{:<54}{:>20}\n", "half the Chamfer distance of squares, m^2",
             FourDigits(c.chamfer_squared_half_m2));
  fmt::print("{:<54}{:>20}\n", "Hausdorff distance, m", FourDigits(c.hausdorff_m));
  fmt::print("\n{:>14}{:>14}{:>14}{:>14}\n", "threshold, m", "precision, %", "recall, %", "F-score, %");
  for (const ThresholdScores& t : c.thresholds) {
    fmt::print("{:>14g}{:>14.2f}{:>14.2f}{:>14.2f}\n", t.threshold_m, 100 * t.precision, 100 * t.recall,
               100 * t.f_score);
  }
  if (c.bins.empty()) return;
  fmt::print("\n{:<16}{:>36}{:>36}\n", "", kAccuracy, kCompleteness);
  fmt::print("{:<16}{:>14}{:>11}{:>11}{:>14}{:>11}{:>11}\n", "depth z, m", "points", "median, m", "mean, m",
             "points", "median, m", "mean, m");
  for (const DepthBin& bin : c.bins) {
    fmt::print("{:<16}", DepthText(bin.from_m, bin.to_m));
    for (const DistanceScores* s : {&bin.accuracy, &bin.completeness}) {
      fmt::print("{:>14}{:>11}{:>11}", WithThousands(static_cast<std::size_t>(s->num_points)),
                 FourDigits(s->quantiles_m[0]), FourDigits(s->mean_m));
    }
    fmt::print("\n");
  }
}

OrderedJson DirectionJson(const DistanceScores& s) {
  OrderedJson json = {{"num_points", s.num_points},
                      {"mean_m", s.mean_m},
                      {"mean_squared_m2", s.mean_squared_m2},
                      {"max_m", s.max_m}};
  for (std::size_t i = 0; i < kDistanceShares.size(); ++i)
    json[fmt::format("q{:g}_m", 100 * kDistanceShares[i])] = s.quantiles_m[i];
  return json;
}

std::string Json(const InputCloud& estimate, const InputCloud& truth, const CloudComparison& c,
                 std::string_view backend, double seconds) {
  OrderedJson json = {{"estimate", estimate.file},
                      {"truth", truth.file},
                      {"backend", backend},
                      {"seconds", seconds},
                      {"accuracy", DirectionJson(c.accuracy)},
                      {"completeness", DirectionJson(c.completeness)},
                      {"chamfer_sum_m", c.chamfer_sum_m},
                      {"chamfer_half_m", c.chamfer_half_m},
                      {"chamfer_squared_sum_m2", c.chamfer_squared_sum_m2},
                      {"chamfer_squared_half_m2", c.chamfer_squared_half_m2},
                      {"hausdorff_m", c.hausdorff_m},
                      {"thresholds", OrderedJson::array()},
                      {"by_depth", OrderedJson::array()}};
  for (const ThresholdScores& t : c.thresholds) {
    json["thresholds"] += {{"threshold_m", t.threshold_m},
                           {"precision", t.precision},
                           {"recall", t.recall},
                           {"f_score", t.f_score}};
  }
  for (const DepthBin& bin : c.bins) {
    json["by_depth"] += {{"from_m", bin.from_m},
                         {"to_m", bin.to_m},
                         {"accuracy", DirectionJson(bin.accuracy)},
                         {"completeness", DirectionJson(bin.completeness)}};
  }
  return JsonText(json);
}

void WriteErrors(const std::string& file, const InputCloud& estimate, const std::vector<float>& errors_m) {
  if (file.empty()) return;
  const ValueScale scale{"distance to the nearest point of the truth, m", 0,
                         std::max(QuantileOf(errors_m, 0.95), 1e-6), false};
  WriteCloud(file, {estimate.cloud.points, ColorValues(errors_m, scale)}, CloudEncoding::kBinary,
             {scale.label, errors_m});
  fmt::print("wrote {}\n", Printable(file));
}

void RunCompare(CompareCommandOptions& options) {
  CheckCloudOutput(options.output);
  CheckFilesApart({options.estimate, options.truth}, {options.output, options.common.json_file});
  const std::unique_ptr<CloudMeasures> measures = options.common.Measures();
  const InputCloud estimate = ReadInputCloud(options.estimate), truth = ReadInputCloud(options.truth);
  options.compare.depth_edges_m = RoundDepthEdges(truth.cloud.points);
  std::sort(options.compare.thresholds_m.begin(), options.compare.thresholds_m.end());
  const Stopwatch watch;
  const CloudComparison comparison =
      CompareClouds(estimate.cloud.points, truth.cloud.points, options.compare, *measures);
  const double seconds = watch.s();
  fmt::print("estimate {}\ntruth {}\nback end {}, {:.3f} s\n\n", estimate.Description(), truth.Description(),
             measures->name(), seconds);
  PrintComparison(comparison);
  WriteErrors(options.output, estimate, comparison.estimate_to_truth_m);
  if (!options.common.json_file.empty()) {
    WriteTextFile(options.common.json_file, Json(estimate, truth, comparison, measures->name(), seconds));
  }
}

}  // namespace

void AddCloudCompareCommand(CLI::App& cloud) {
  CLI::App* command = cloud.add_subcommand(
      "compare", "Compare an estimate with the truth: Chamfer, Hausdorff, precision, recall, F-score");
  const auto options = std::make_shared<CompareCommandOptions>();
  command->add_option("estimate", options->estimate, "The estimated cloud")
      ->type_name("FILE.ply|.pcd")
      ->required();
  command->add_option("truth", options->truth, "The true cloud, in the same coordinate frame")
      ->type_name("FILE.ply|.pcd")
      ->required();
  command
      ->add_option("--thresholds", options->compare.thresholds_m,
                   "Distances below which a point counts as correct, m")
      ->delimiter(',')
      ->check(CheckPositive)
      ->type_name("M,...")
      ->capture_default_str();
  AddCloudOutput(*command, options->output, "distance to the truth");
  AddCloudOptions(*command, options->common);
  command->callback([options] { RunCompare(*options); });
  command->footer(
      "examples:\n"
      "  parallax cloud compare estimate.ply truth.ply\n"
      "  parallax cloud compare estimate.ply truth.ply --thresholds 0.05,0.1,0.2 --output error.ply");
}

}  // namespace parallax::app
