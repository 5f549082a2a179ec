// parallax cloud clean: a cloud without its outliers, or thinned.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/cloud/cloud_cleaning.h"
#include "app/cloud/cloud_commands.h"
#include "app/cloud/cloud_options.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/ordered_json.h"
#include "app/output/output_files.h"
#include "datasets/formats/cloud_file.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

struct CleanOptions {
  std::string input, output, statistical, radius, convention = "pcl", removed_file;
  float voxel_size_m = 0;
  bool voxel_means = false;
  CloudOptions common;
};

CloudCleaning CleaningOf(const CleanOptions& options) {
  CloudCleaning cleaning;
  if (options.voxel_size_m > 0) cleaning.voxel_size_m = options.voxel_size_m;
  if (!options.radius.empty()) cleaning.radius = ParseRadius("--radius", options.radius);
  if (!options.statistical.empty()) {
    cleaning.statistical =
        ParseStatistical("--statistical", options.statistical, ConventionNamed(options.convention));
  }
  if (cleaning.IsEmpty()) {
    throw InvalidArgument("nothing to do: use --statistical K,RATIO, --radius RADIUS,MIN or --voxel SIZE");
  }
  return cleaning;
}

// Points of the cloud that are not among the kept ones.
PointCloud Removed(const PointCloud& cloud, const std::vector<std::int32_t>& kept) {
  std::vector<std::int32_t> others;
  std::size_t next = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (next < kept.size() && kept[next] == static_cast<std::int32_t>(i)) {
      ++next;
    } else {
      others.push_back(static_cast<std::int32_t>(i));
    }
  }
  return Select(cloud, others);
}

std::string Json(const CleanOptions& options, const InputCloud& input, const CleanedCloud& cleaned,
                 std::string_view backend, double seconds) {
  OrderedJson json = {{"input", options.input},
                      {"output", options.output},
                      {"num_points", input.num_in_file},
                      {"num_not_finite", input.num_in_file - input.cloud.size()},
                      {"num_kept", cleaned.cloud.size()},
                      {"num_removed", input.num_in_file - cleaned.cloud.size()},
                      {"steps", OrderedJson::array()},
                      {"backend", backend},
                      {"seconds", seconds}};
  for (const CleaningStep& step : cleaned.steps)
    json["steps"] += {{"name", step.name}, {"num_before", step.num_before}, {"num_kept", step.num_kept}};
  return JsonText(json);
}

void RunClean(const CleanOptions& options) {
  CloudCleaning cleaning = CleaningOf(options);
  CheckCloudOutput(options.output);
  CheckCloudOutput(options.removed_file);
  CheckFilesApart({options.input}, {options.output, options.removed_file, options.common.json_file});
  if (options.voxel_means && (!cleaning.voxel_size_m || !options.removed_file.empty())) {
    throw InvalidArgument("--means needs --voxel, and cannot be used with --removed");
  }
  const std::unique_ptr<CloudMeasures> measures = options.common.Measures();
  const InputCloud input = ReadInputCloud(options.input, FarPoints::kLeftOut);
  const Stopwatch watch;
  CleanedCloud cleaned;
  if (options.voxel_means) {
    PointCloud means = MeansOfVoxels(input.cloud, *cleaning.voxel_size_m);
    const CleaningStep step{fmt::format("voxels of {:g} m, the mean of each", *cleaning.voxel_size_m),
                            input.cloud.size(), means.size()};
    cleaning.voxel_size_m.reset();
    cleaned = Clean(means, cleaning, *measures);
    cleaned.steps.insert(cleaned.steps.begin(), step);
  } else {
    cleaned = Clean(input.cloud, cleaning, *measures);
  }
  const double seconds = watch.s();
  fmt::print("{}\n\n", input.Description());
  std::size_t width = 8;
  for (const CleaningStep& step : cleaned.steps) width = std::max(width, step.name.size());
  fmt::print("{:<{}}{:>14}{:>14}\n", "step", width, "kept", "removed");
  for (const CleaningStep& step : cleaned.steps) {
    fmt::print("{:<{}}{:>14}{:>14}\n", step.name, width, WithThousands(step.num_kept),
               WithThousands(step.num_before - step.num_kept));
  }
  fmt::print("{:<{}}{:>14}{:>14}\n", "in all", width, WithThousands(cleaned.cloud.size()),
             WithThousands(input.num_in_file - cleaned.cloud.size()));
  fmt::print("\nback end {}, {:.3f} s\n", measures->name(), seconds);
  if (cleaned.cloud.points.empty()) {
    throw Error(options.input + ": no point would remain, so nothing is written: use weaker filters");
  }
  WriteCloud(options.output, cleaned.cloud);
  fmt::print("wrote {}\n", Printable(options.output));
  if (!options.removed_file.empty()) {
    WriteCloud(options.removed_file, Removed(input.cloud, cleaned.indices));
    fmt::print("wrote {}\n", Printable(options.removed_file));
  }
  if (!options.common.json_file.empty()) {
    WriteTextFile(options.common.json_file, Json(options, input, cleaned, measures->name(), seconds));
  }
}

}  // namespace

void AddCloudCleanCommand(CLI::App& cloud) {
  CLI::App* command =
      cloud.add_subcommand("clean", "Remove outliers or downsample a cloud; the points keep their order");
  const auto options = std::make_shared<CleanOptions>();
  command->add_option("input", options->input, "The cloud")->type_name("IN.ply|.pcd")->required();
  command->add_option("output", options->output, "The file for the remaining points")
      ->type_name("OUT.ply|.pcd")
      ->required();
  command
      ->add_option("--statistical", options->statistical,
                   "Remove points whose mean distance to K neighbours is more than RATIO standard deviations "
                   "above the mean")
      ->type_name("K,RATIO");
  command
      ->add_option("--convention", options->convention,
                   "Meaning of K: pcl = K other points; open3d = K points including the point itself, and "
                   "duplicates are removed")
      ->check(CLI::IsMember({"pcl", "open3d"}))
      ->capture_default_str();
  command
      ->add_option("--radius", options->radius,
                   "Remove points with fewer than MIN others within RADIUS metres")
      ->type_name("RADIUS,MIN");
  command
      ->add_option("--voxel", options->voxel_size_m,
                   "Keep one point of each voxel of SIZE metres, the nearest to the mean of its points")
      ->check(CheckPositive)
      ->type_name("SIZE");
  command->add_flag("--means", options->voxel_means,
                    "With --voxel: write the mean point and colour of each voxel instead");
  command->add_option("--removed", options->removed_file, "Write the removed points to this file")
      ->type_name("FILE.ply|.pcd");
  AddCloudOptions(*command, options->common);
  command->callback([options] { RunClean(*options); });
  command->footer(
      "The filters are applied in the order voxel, radius, statistical\nexamples:\n  "
      "parallax cloud clean cloud.ply clean.ply --statistical 16,2 --removed outliers.ply\n  "
      "parallax cloud clean cloud.ply thin.ply --voxel 0.05 --radius 0.15,4");
}

}  // namespace parallax::app
