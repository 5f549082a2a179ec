#include "app/view/viewed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "app/cloud/cloud_options.h"
#include "app/output/number_text.h"
#include "app/pictures/value_scale.h"
#include "app/view/display.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"
#include "parallax/cloud_measures.h"
#include "pipeline/cloud/cpu_cloud_measures.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

HostImage<float> ReadDisparity(const fs::path& path) {
  return LowerCase(path.extension().string()) == ".pfm" ? ReadPfm(path) : ReadDisparityPng(path);
}

// Near is large in both, so that colours and the nominal camera mean the same: fx * baseline / depth.
HostImage<float> DisparityFromDepth(const HostImage<float>& depth_m, const StereoRig& rig) {
  HostImage<float> disparity(depth_m.width(), depth_m.height());
  const float fb = static_cast<float>(rig.fx_px * rig.baseline_m);
  for (int y = 0; y < depth_m.height(); ++y) {
    for (int x = 0; x < depth_m.width(); ++x) disparity(x, y) = fb / depth_m(x, y);
  }
  return disparity;
}

CloudFrame ReadCloudFrame(const fs::path& path) {
  CloudFrame frame;
  frame.cloud = ReadCloud(path);
  return frame;
}

void SetSize(ShownFrame& shown) {
  const ShownSet& set = shown.a;
  shown.width = std::max({shown.left.width(), set.disparity.width, set.depth_m.width()});
  shown.height = std::max({shown.left.height(), set.disparity.height, set.depth_m.height()});
}

}  // namespace

HostImage<Rgb8> ColorsOf(ShownFrame& shown, PaneView view) {
  SetSize(shown);
  const PaneColors colors(shown, {view, false}, RangeOf(shown, {view, false}, {}));
  HostImage<Rgb8> picture(shown.width, shown.height);
  for (int y = 0; y < shown.height; ++y) {
    for (int x = 0; x < shown.width; ++x) picture(x, y) = colors(x, y);
  }
  return picture;
}

FileKind KindOfViewedFile(const fs::path& path, const std::string& as) {
  if (as == "cloud") return FileKind::kCloud;
  if (as == "disparity") return FileKind::kDisparity;
  if (as == "depth") return FileKind::kDepth;
  if (as == "image") return FileKind::kImage;
  const std::string ending = LowerCase(path.extension().string());
  if (ending == ".ply" || ending == ".pcd") return FileKind::kCloud;
  if (ending == ".pfm") return FileKind::kDisparity;
  for (const char* image : {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".tif", ".tiff"}) {
    if (ending == image) {
      // The 16-bit PNG files that run and KITTI write are disparities.
      const bool is_16_bit = std::holds_alternative<HostImage<std::uint16_t>>(ReadImage(path));
      return is_16_bit && ending == ".png" ? FileKind::kDisparity : FileKind::kImage;
    }
  }
  return FileKind::kNone;
}

ViewerFrame ReadViewedFile(const fs::path& path, FileKind kind) {
  ViewerFrame result;
  result.name = path.filename().string();
  if (kind == FileKind::kCloud) {
    AddCloud(ReadCloudFrame(path), result);
    return result;
  }
  ShownFrame shown;
  shown.name = result.name;
  if (kind == FileKind::kDisparity) {
    const auto disparity = std::make_shared<const HostImage<float>>(ReadDisparity(path));
    shown.a = MakeShownSet(disparity->ConstView(), {}, {}, std::nullopt, {}, disparity);
    const HostImage<Rgb8> colors = ColorsOf(shown, PaneView::kDisparity);
    AddCloud({.disparity = disparity->ConstView(), .colors = colors.ConstView()}, std::nullopt, {}, result);
  } else if (kind == FileKind::kDepth) {
    shown.a.depth_m = ReadDepthPng(path);
    shown.a.depth_range = RobustRange(shown.a.depth_m.ConstView());
    const StereoRig rig = NominalRig(shown.a.depth_m.width(), shown.a.depth_m.height());
    const HostImage<float> disparity = DisparityFromDepth(shown.a.depth_m, rig);
    const HostImage<Rgb8> colors = ColorsOf(shown, PaneView::kDepth);
    AddCloud({.disparity = disparity.ConstView(), .colors = colors.ConstView()}, rig, {}, result);
    result.cloud_caption += ", true depths, width and height from a nominal camera";
  } else {
    shown.left = DisplayImage(ViewOf(ReadImage(path)));
    shown.left_title = "image";
  }
  SetSize(shown);
  result.shown = std::make_shared<const ShownFrame>(std::move(shown));
  return result;
}

ViewerFrame ReadTwoClouds(const fs::path& first, const fs::path& second) {
  InputCloud estimate = ReadInputCloud(first);
  const InputCloud truth = ReadInputCloud(second);
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures();
  const CloudComparison comparison = CompareClouds(estimate.cloud.points, truth.cloud.points, {}, *measures);
  CloudFrame frame;
  frame.cloud = std::move(estimate.cloud);
  frame.cloud.colors.resize(frame.cloud.size(), Rgb8{220, 220, 220});
  frame.distances_m = comparison.estimate_to_truth_m;
  frame.cloud.points.insert(frame.cloud.points.end(), truth.cloud.points.begin(), truth.cloud.points.end());
  frame.cloud.colors.resize(frame.cloud.size(), kNoValueColor);
  ViewerFrame shown;
  shown.name = first.filename().string() + " and " + second.filename().string();
  AddCloud(std::move(frame), shown);
  shown.cloud_caption = fmt::format(
      "{} of {}, {} of {} in gray: mean distance {} m, half within {} m",
      CountOf(static_cast<std::size_t>(comparison.accuracy.num_points), "point"), first.filename().string(),
      CountOf(static_cast<std::size_t>(comparison.completeness.num_points), "point"),
      second.filename().string(), FourDigits(comparison.accuracy.mean_m),
      FourDigits(comparison.accuracy.quantiles_m[0]));
  return shown;
}

}  // namespace parallax::app
