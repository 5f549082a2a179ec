#include "app/frames/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <variant>

#include "app/frames/frame_reprojection.h"
#include "app/pictures/colormap.h"
#include "app/pictures/robust_range.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "parallax/error.h"
#include "pipeline/threads/stopwatch.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

// One row an output, in the order of the enumerators.
struct OutputRow {
  std::string_view name, folder, ending;
  bool needs_calibration = false;
};
constexpr OutputRow kOutputs[] = {{"disparity", "disparity", ".png"},
                                  {"pfm", "pfm", ".pfm"},
                                  {"color", "color", ".png"},
                                  {"depth", "depth", ".png", true},
                                  {"cloud", "cloud", ".ply", true},
                                  {"pcd", "cloud", ".pcd", true},
                                  {"density", "density", ".ply", true},
                                  {"confidence", "confidence", ".png"},
                                  {"validity", "validity", ".png"},
                                  {"sigma", "sigma", ".pfm"},
                                  {"depth_sigma", "depth_sigma", ".pfm", true},
                                  {"left", "left", ".png"},
                                  {"right", "right", ".png"},
                                  {"none", "", ""}};
const OutputRow& RowOf(Output output) { return kOutputs[static_cast<std::size_t>(output)]; }

constexpr float kMaxPngDepth_m = 65.535F;

bool NeedsCalibration(Output output) { return RowOf(output).needs_calibration; }

bool Contains(const std::vector<Output>& outputs, Output output) {
  return std::find(outputs.begin(), outputs.end(), output) != outputs.end();
}

bool NeedsCloud(const std::vector<Output>& outputs) {
  return Contains(outputs, Output::kCloud) || Contains(outputs, Output::kPcd) ||
         Contains(outputs, Output::kDensity);
}

std::size_t NumDeeperThan(float limit_m, HostImageView<const float> depth_m) {
  std::size_t count = 0;
  for (int y = 0; y < depth_m.height; ++y) {
    const float* row = depth_m.Row(y);
    count += static_cast<std::size_t>(
        std::count_if(row, row + depth_m.width, [&](float z) { return z > limit_m; }));
  }
  return count;
}

// A note where many of the measured pixels are at the end of the range, as where something is too near; else empty. Of
// three frames of KITTI 2012, 0.00 % are with 128 disparities, 4 to 8 % with 48.
std::string EndOfRangeNote(const MatchedFrame& matched) {
  constexpr double kMost = 0.02;
  const HostImageView<const float> disparity = matched.map.disparity();
  const HostImageView<const std::uint8_t> validity = matched.map.validity();
  const MatchingCostParameters& cost = matched.parameters.matching_cost;
  const auto end_px = static_cast<float>(cost.min_disparity + cost.num_disparities) - 1.5F;
  std::size_t num_measured = 0, num_at_end = 0;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float d = disparity(x, y);
      if (std::isnan(d) || (validity(x, y) & kFilled) != 0) continue;
      ++num_measured;
      num_at_end += d >= end_px ? 1U : 0U;
    }
  }
  const double share =
      static_cast<double>(num_at_end) / static_cast<double>(std::max<std::size_t>(num_measured, 1));
  if (share <= kMost) return "";
  return fmt::format(
      "{:.0f} % of the measured pixels are at the end of the {} disparities that are searched: nearer "
      "things come out wrong (--set matching_cost.num_disparities={})",
      100 * share, cost.num_disparities, std::min(1024, 2 * cost.num_disparities));
}

}  // namespace

std::string OutputNames() {
  std::string names;
  for (const OutputRow& row : kOutputs) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::vector<Output> OutputsOf(const std::vector<std::string>& names) {
  std::vector<Output> outputs;
  for (const std::string& name : names) {
    const auto* const found = std::find_if(std::begin(kOutputs), std::end(kOutputs),
                                           [&](const OutputRow& row) { return row.name == name; });
    if (found == std::end(kOutputs)) {
      throw InvalidArgument("--write: unknown output '" + name + "': use some of " + OutputNames());
    }
    const Output output = static_cast<Output>(found - std::begin(kOutputs));
    if (!Contains(outputs, output)) outputs.push_back(output);
  }
  if (Contains(outputs, Output::kNone) && outputs.size() > 1)
    throw InvalidArgument("--write: none cannot be combined with other outputs");
  return outputs;
}

FrameWriter::FrameWriter(fs::path folder, std::vector<Output> asked, const UncertaintyParameters& uncertainty,
                         bool show_filled, RunClouds* clouds)
    : folder_(std::move(folder)),
      asked_(std::move(asked)),
      uncertainty_(uncertainty),
      show_filled_(show_filled),
      clouds_(clouds),
      outputs_{RequestedOutputs(false), RequestedOutputs(true)} {
  std::erase_if(outputs_[0], NeedsCalibration);
}

fs::path FrameWriter::PathOf(Output output, const std::string& name) const {
  const OutputRow& place = RowOf(output);
  return folder_ / place.folder / (name + std::string(place.ending));
}

std::optional<WantedReprojection> FrameWriter::ReprojectionOf(const StereoFrame& frame) const {
  // Depth without a cloud is made by the writers sooner than a device hands it over (docs/notes/gpu.md).
  if (!frame.rig || !NeedsCloud(OutputsFor(true))) return std::nullopt;
  return WantedReprojection{*frame.rig, true};
}

std::vector<Output> FrameWriter::RequestedOutputs(bool calibrated) const {
  std::vector<Output> outputs = asked_;
  std::erase(outputs, Output::kNone);
  if (asked_.empty()) {
    outputs = {Output::kDisparity, Output::kColor};
    if (calibrated) outputs.insert(outputs.end(), {Output::kDepth, Output::kCloud});
  }
  return outputs;
}

void FrameWriter::MakeFolders() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  // Folders of outputs that only calibrated frames have appear with the first such frame.
  for (const Output output : OutputsFor(false)) {
    if (!error) fs::create_directories(PathOf(output, "x").parent_path(), error);
  }
  if (error)
    throw Error(folder_.string() + ": cannot be made: " + error.message() + ": choose another --output");
}

std::vector<std::string> FrameWriter::FilesOf(const std::vector<Output>& outputs,
                                              const std::string& name) const {
  std::vector<std::string> files;
  for (const Output output : outputs) {
    const OutputRow& place = RowOf(output);
    const std::string stem = std::string(place.folder) + '/' + name;
    files.push_back(stem + std::string(place.ending));
  }
  return files;
}

std::vector<ResultPlace> FrameWriter::Places() {
  std::vector<ResultPlace> places;
  for (const OutputRow& place : kOutputs)
    if (!place.folder.empty()) places.push_back({std::string(place.folder), std::string(place.ending)});
  return places;
}

void FrameWriter::Write(const MatchedFrame& matched, FrameReport& report) const {
  const std::string& name = matched.frame.name;
  const HostImageView<const float> disparity = matched.map.disparity();
  const bool calibrated = matched.frame.rig.has_value();
  if (!matched.frame.note.empty()) report.notes.push_back(matched.frame.note);
  if (std::string note = EndOfRangeNote(matched); !note.empty()) report.notes.push_back(std::move(note));
  if (!calibrated) {
    const std::string why = matched.frame.rig_note.empty() ? "no calibration" : matched.frame.rig_note;
    if (asked_.empty()) report.notes.push_back("no depth and cloud: " + why + " (--rig names one)");
    for (const Output output : asked_) {
      if (!NeedsCalibration(output)) continue;
      report.missing.push_back(std::string(RowOf(output).name) + ": " + why);
    }
  }
  const std::vector<Output>& outputs = OutputsFor(calibrated);
  if (Contains(outputs, Output::kDisparity)) {
    const DisparityPngCounts counts = WriteDisparityPng(PathOf(Output::kDisparity, name), disparity);
    report.num_valid = counts.num_valid;
    if (counts.num_negative > 0) {
      report.notes.push_back(
          std::to_string(counts.num_negative) +
          " negative disparities left out of the PNG, which cannot hold them (--write pfm can)");
    }
    if (counts.num_clipped > 0) {
      report.notes.push_back(std::to_string(counts.num_clipped) +
                             " disparities of 256 px and more clipped in the PNG (--write pfm holds them)");
    }
  }
  if (Contains(outputs, Output::kPfm)) WritePfm(PathOf(Output::kPfm, name), disparity);
  if (Contains(outputs, Output::kColor)) {
    const ValueRange range = RobustRange(disparity);
    const HostImageView<const std::uint8_t> validity =
        show_filled_ ? HostImageView<const std::uint8_t>{} : matched.map.validity();
    WritePng(PathOf(Output::kColor, name),
             ColorDisparity(disparity, range.low, range.high, validity).ConstView());
  }
  if (Contains(outputs, Output::kConfidence))
    WritePng(PathOf(Output::kConfidence, name), matched.map.confidence());
  if (Contains(outputs, Output::kValidity)) WritePng(PathOf(Output::kValidity, name), matched.map.validity());
  const auto write_image = [&](Output output, const CameraImage& image) {
    if (!Contains(outputs, output)) return;
    std::visit([&](const auto& pixels) { WritePng(PathOf(output, name), pixels.ConstView()); }, image);
  };
  write_image(Output::kLeft, matched.frame.left);
  write_image(Output::kRight, matched.frame.right);
  HostImage<float> sigma;
  if (Contains(outputs, Output::kSigma) || Contains(outputs, Output::kDepthSigma))
    sigma = SigmaOfDisparity(uncertainty_, matched.map.View());
  if (Contains(outputs, Output::kSigma)) WritePfm(PathOf(Output::kSigma, name), sigma.ConstView());
  if (std::any_of(outputs.begin(), outputs.end(), NeedsCalibration))
    WriteDepthAndCloud(matched, outputs, sigma, report);
}

void FrameWriter::WriteDepthAndCloud(const MatchedFrame& matched, const std::vector<Output>& outputs,
                                     const HostImage<float>& sigma, FrameReport& report) const {
  const StereoFrame& frame = matched.frame;
  for (const Output output : outputs) {
    if (NeedsCalibration(output)) fs::create_directories(PathOf(output, frame.name).parent_path());
  }
  const bool needs_cloud = NeedsCloud(outputs);
  const Stopwatch watch;
  const FrameReprojection reprojection(matched, needs_cloud, show_filled_);
  const HostImageView<const float> depth_m = reprojection.depth_m();
  report.times[Stage::kReprojection] += watch.ms();

  if (Contains(outputs, Output::kDepth)) {
    WriteDepthPng(PathOf(Output::kDepth, frame.name), depth_m);
    if (const std::size_t deeper = NumDeeperThan(kMaxPngDepth_m, depth_m); deeper > 0) {
      report.notes.push_back(std::to_string(deeper) +
                             " pixels beyond 65.535 m left out of the depth PNG, which cannot hold them");
    }
  }
  std::vector<float> sigma_of_points;
  if (!sigma.Empty()) {
    const HostImage<float> sigma_m = SigmaOfDepth(sigma.ConstView(), depth_m, *frame.rig);
    if (Contains(outputs, Output::kDepthSigma))
      WritePfm(PathOf(Output::kDepthSigma, frame.name), sigma_m.ConstView());
    if (needs_cloud) sigma_of_points = ValuesOfPoints(sigma_m.ConstView(), reprojection.points_m());
  }
  PointCloudView cloud = reprojection.cloud();
  if (needs_cloud && cloud.points.empty()) {
    report.notes.push_back(
        NumDeeperThan(0, depth_m) > 0
            ? "the cloud is empty: every pixel with a depth was filled, not measured (--show-filled keeps "
              "them)"
            : "the cloud is empty: no pixel has a depth from reprojection.min_depth_m to max_depth_m; is the "
              "calibration in px and metres?");
  }
  PointCloud own_cloud;  // of who does more with it than write it
  if (needs_cloud && clouds_ != nullptr) {
    own_cloud = Clone(cloud);
    clouds_->Clean(own_cloud, sigma_of_points, report);
    cloud = own_cloud;
  }
  if (Contains(outputs, Output::kDensity))
    clouds_->WriteDensity(own_cloud, PathOf(Output::kDensity, frame.name), report);
  ScalarField scalars;
  if (!sigma.Empty())
    scalars = {"standard deviation of z, m (along the ray: times length / z)", sigma_of_points, "sigma_z"};
  if (Contains(outputs, Output::kCloud))
    WritePly(PathOf(Output::kCloud, frame.name), cloud, CloudEncoding::kBinary, scalars);
  if (Contains(outputs, Output::kPcd))
    WritePcd(PathOf(Output::kPcd, frame.name), cloud, CloudEncoding::kBinary, scalars);
}

}  // namespace parallax::app
