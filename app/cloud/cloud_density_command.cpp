// parallax cloud density: how far apart the points of a cloud are.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <numeric>

#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_density.h"
#include "app/cloud/cloud_options.h"
#include "app/cloud/depth_edges.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "datasets/formats/cloud_file.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

struct DensityOptions {
  std::string file, kind = "surface";
  int k = 8;
  std::string output;
  CloudOptions common;
};

// The mean of the finite values; NaN if there are no finite values.
double MeanOf(std::span<const float> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const float v : values) {
    if (std::isfinite(v)) sum += v, ++count;
  }
  return sum / static_cast<double>(count);
}

OrderedJson SpreadJson(const Spread& spread) {
  return {{"p5", spread.p5}, {"median", spread.median}, {"p95", spread.p95}};
}

std::string Json(const InputCloud& input, const CloudDensity& density, const std::vector<DensityBin>& bins,
                 const DensityOptions& options, std::string_view backend, double seconds) {
  OrderedJson json = {{"cloud", input.file},
                      {"num_points", input.cloud.size()},
                      {"num_not_finite", input.num_in_file - input.cloud.size()},
                      {"k", density.k},
                      {"kind", options.kind},
                      {"backend", backend},
                      {"seconds", seconds},
                      {"mean_distance_m", SpreadJson(SpreadOf(density.mean_distances_m))},
                      {"mean_of_mean_distances_m", MeanOf(density.mean_distances_m)},
                      {density.kind == DensityKind::kSurface ? "density_per_m2" : "density_per_m3",
                       SpreadJson(SpreadOf(density.densities))},
                      {"by_depth", OrderedJson::array()}};
  for (const DensityBin& bin : bins) {
    json["by_depth"] += {{"from_m", bin.from_m},
                         {"to_m", bin.to_m},
                         {"num_points", bin.num_points},
                         {"mean_distance_m", bin.mean_distance_m},
                         {"density", bin.density}};
  }
  return JsonText(json);
}

void RunDensity(const DensityOptions& options) {
  CheckCloudOutput(options.output);
  CheckFilesApart({options.file}, {options.output, options.common.json_file});
  const std::unique_ptr<CloudMeasures> measures = options.common.Measures();
  const InputCloud input = ReadInputCloud(options.file);
  CheckHasNeighbours(input, options.k);
  const std::span<const Point3f> points = input.cloud.points;
  const DensityKind kind = options.kind == "volume" ? DensityKind::kVolume : DensityKind::kSurface;
  const Stopwatch watch;
  const CloudDensity density = MeasureDensity(*measures, points, options.k, kind);
  const double seconds = watch.s();

  fmt::print("{}\n{} neighbours, {} density, back end {}, {:.3f} s\n\n", input.Description(), options.k,
             options.kind, measures->name(), seconds);
  fmt::print("{:<34}{:>12}{:>12}{:>12}{:>12}\n", "", "p5", "median", "p95", "mean");
  const auto row = [](const std::string& name, std::span<const float> values) {
    const Spread spread = SpreadOf(values);
    fmt::print("{:<34}{:>12}{:>12}{:>12}{:>12}\n", name, FourDigits(spread.p5), FourDigits(spread.median),
               FourDigits(spread.p95), FourDigits(MeanOf(values)));
  };
  row(fmt::format("mean distance to {} neighbours, m", options.k), density.mean_distances_m);
  row("density, " + UnitOf(kind), density.densities);
  const std::vector<DensityBin> bins = DensityByDepth(points, density);
  if (!bins.empty()) {
    fmt::print("\n{:<22}{:>12}{:>18}{:>18}\n", "depth z, m", "points", "mean distance, m", UnitOf(kind));
    for (const DensityBin& bin : bins) {
      fmt::print("{:<22}{:>12}{:>18}{:>18}\n", DepthText(bin.from_m, bin.to_m), WithThousands(bin.num_points),
                 FourDigits(bin.mean_distance_m), FourDigits(bin.density));
    }
    fmt::print("(the totals are over all points; rows of bins hold medians)\n");
  }
  if (!options.output.empty()) {
    const PointCloud colored{input.cloud.points, ColorValues(density.densities, DensityScale(density))};
    WriteCloud(options.output, colored, CloudEncoding::kBinary,
               {"density, " + UnitOf(kind), density.densities});
    fmt::print("wrote {}\n", Printable(options.output));
  }
  if (!options.common.json_file.empty()) {
    WriteTextFile(options.common.json_file, Json(input, density, bins, options, measures->name(), seconds));
  }
}

}  // namespace

void AddCloudDensityCommand(CLI::App& cloud) {
  CLI::App* command = cloud.add_subcommand(
      "density", "Distance to the nearest neighbours and local density, in total and by depth");
  const auto options = std::make_shared<DensityOptions>();
  command->add_option("cloud", options->file, "The cloud")->type_name("FILE.ply|.pcd")->required();
  command->add_option("--k", options->k, "Neighbours of a point, not counting itself")
      ->check(CLI::Range(1, kLargestNumNeighbours))
      ->capture_default_str();
  command
      ->add_option("--kind", options->kind,
                   "surface: k / (pi r_k^2), points / m^2; volume: k / (4/3 pi r_k^3), points / m^3")
      ->check(CLI::IsMember({"surface", "volume"}))
      ->capture_default_str();
  AddCloudOutput(*command, options->output, "density");
  AddCloudOptions(*command, options->common);
  command->callback([options] { RunDensity(*options); });
  command->footer(
      "examples:\n"
      "  parallax cloud density cloud.ply\n"
      "  parallax cloud density cloud.ply --k 16 --output density.ply");
}

}  // namespace parallax::app
