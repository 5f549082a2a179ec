#include "app/cloud/cloud_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/options/shared_options.h"
#include "app/output/error_text.h"
#include "app/output/number_text.h"
#include "app/output/output_files.h"
#include "config/backends.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"
#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

bool IsFar(const Point3f& p) {
  return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > LargestCoordinate(3);
}

// Keeps only the points that are listed in index_in_file.
void LeaveOutOthers(InputCloud& input) {
  PointCloud& cloud = input.cloud;
  const std::vector<std::int32_t>& kept = input.index_in_file;
  if (kept.empty()) return;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    cloud.points[i] = cloud.points[static_cast<std::size_t>(kept[i])];
    if (!cloud.colors.empty()) cloud.colors[i] = cloud.colors[static_cast<std::size_t>(kept[i])];
  }
  cloud.points.resize(kept.size());
  if (!cloud.colors.empty()) cloud.colors.resize(kept.size());
}

}  // namespace

std::unique_ptr<CloudMeasures> CloudOptions::Measures() const {
  if (!json_file.empty()) CheckFolder(json_file);
  return MakeCloudMeasures(backend, device, num_threads);
}

void AddCloudOptions(CLI::App& command, CloudOptions& options) {
  command.add_option("--backend", options.backend, "auto, cuda or cpu")->capture_default_str();
  AddDeviceOption(command, options.device);
  AddThreadsOption(command, options.num_threads);
  AddJsonOption(command, options.json_file, "every figure");
}

std::string CheckPositive(const std::string& text) {
  const std::optional<double> number = ParseNumber(text);
  return number && *number > 0 && std::isfinite(*number) ? "" : "'" + text + "' is not a number above 0";
}

std::string CheckNotNegative(const std::string& text) {
  const std::optional<double> number = ParseNumber(text);
  return number && *number >= 0 && std::isfinite(*number) ? ""
                                                          : "'" + text +
                                                                "' is not a number of at least "
                                                                "0";
}

void CheckCloudOutput(const std::string& file) {
  if (file.empty()) return;
  CheckCloudName(file);
  CheckFolder(file);
}

void AddCloudOutput(CLI::App& command, std::string& file, const std::string& content) {
  command
      .add_option("--output", file,
                  "Write the cloud coloured by its " + content + "; its field quality holds the values")
      ->type_name("FILE.ply|.pcd");
}

std::string InputCloud::Description() const {
  const std::size_t num_left_out = num_in_file - cloud.size();
  return Printable(file) + ": " + CountOf(num_in_file, "point") +
         (num_left_out > 0 ? " (" + WithThousands(num_left_out) + " " + left_out + ", left out)" : "");
}

std::vector<std::int32_t> FiniteOnes(const std::string& file, std::size_t count, const std::string& thing,
                                     const std::function<bool(std::size_t)>& is_finite) {
  if (count == 0) throw Error(file + ": holds no " + thing + "s");
  if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(fmt::format("{}: has {} {}s, more than 2^31 - 1", file, count, thing));
  }
  std::vector<std::int32_t> finite;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_finite(i)) finite.push_back(static_cast<std::int32_t>(i));
  }
  if (finite.empty()) throw Error(file + ": none of its " + CountOf(count, thing) + " is finite");
  if (finite.size() == count) finite.clear();
  return finite;
}

void CheckDistancesFit(const std::string& file, const std::string& thing, std::span<const float> values,
                       int dims, const std::vector<std::int32_t>& index_in_file) {
  const float largest = LargestCoordinate(dims);
  const auto far = std::find_if(values.begin(), values.end(), [&](float v) { return std::abs(v) > largest; });
  if (far == values.end()) return;
  const std::ptrdiff_t index = (far - values.begin()) / dims;
  throw Error(fmt::format(
      "{}: {} {} holds {:g}: distances of numbers beyond {:.2g} do not fit single precision{}", file, thing,
      index_in_file.empty() ? index : index_in_file[static_cast<std::size_t>(index)], *far, largest,
      thing == "point" ? "; parallax cloud clean leaves such points out" : ": scale them down"));
}

InputCloud ReadInputCloud(const std::filesystem::path& path, FarPoints far_points) {
  InputCloud input;
  input.file = path.string();
  input.cloud = ReadCloud(path);
  PointCloud& cloud = input.cloud;
  input.num_in_file = cloud.size();
  const bool leave_out_far = far_points == FarPoints::kLeftOut &&
                             std::any_of(cloud.points.begin(), cloud.points.end(),
                                         [](const Point3f& p) { return IsFinite(p) && IsFar(p); });
  if (leave_out_far) input.left_out = fmt::format("not finite or beyond {:.2g} m", LargestCoordinate(3));
  input.index_in_file = FiniteOnes(input.file, cloud.size(), "point", [&](std::size_t i) {
    return IsFinite(cloud.points[i]) && !(leave_out_far && IsFar(cloud.points[i]));
  });
  LeaveOutOthers(input);
  if (far_points == FarPoints::kRefused) {
    static_assert(sizeof(Point3f) == 3 * sizeof(float));
    CheckDistancesFit(input.file, "point", {&cloud.points.front().x, 3 * cloud.size()}, 3,
                      input.index_in_file);
  }
  return input;
}

void CheckHasNeighbours(const InputCloud& input, int k) {
  if (input.cloud.size() > static_cast<std::size_t>(k)) return;
  throw Error(fmt::format("{}: has {}, too few for {} of each: use a smaller --k", input.file,
                          CountOf(input.cloud.size(), "finite point"),
                          CountOf(static_cast<std::size_t>(k), "neighbour")));
}

}  // namespace parallax::app
