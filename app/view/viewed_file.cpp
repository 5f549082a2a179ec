#include "app/view/viewed_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <variant>

#include "app/view/display.h"
#include "datasets/formats/cloud_file.h"
#include "datasets/formats/disparity_png.h"
#include "datasets/formats/image_file.h"
#include "datasets/formats/pfm.h"

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

}  // namespace

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
  ViewerFrame shown;
  shown.name = path.filename().string();
  switch (kind) {
    case FileKind::kCloud:
      AddCloud(ReadCloudFrame(path), shown);
      break;
    case FileKind::kDisparity: {
      const HostImage<float> disparity = ReadDisparity(path);
      AddDisparity(disparity.ConstView(), RobustRange(disparity.ConstView()), shown);
      AddCloud({.disparity = disparity.ConstView(), .colors = shown.disparity.ConstView()}, std::nullopt, {},
               shown);
      break;
    }
    case FileKind::kDepth: {
      const HostImage<float> depth_m = ReadDepthPng(path);
      const StereoRig rig = NominalRig(depth_m.width(), depth_m.height());
      const HostImage<float> disparity = DisparityFromDepth(depth_m, rig);
      const ValueRange range = RobustRange(disparity.ConstView());
      AddDisparity(disparity.ConstView(), range, shown);
      AddCloud({.disparity = disparity.ConstView(), .colors = shown.disparity.ConstView()}, rig, {}, shown);
      const double fb = rig.fx_px * rig.baseline_m;
      shown.disparity_caption = "depth";
      shown.scale_low = fmt::format("{:.2f} m", fb / range.low);
      shown.scale_high = fmt::format("{:.2f} m", fb / range.high);
      shown.cloud_caption += ", true depths, width and height from a nominal camera";
      break;
    }
    case FileKind::kImage:
    case FileKind::kNone:
      shown.image = DisplayImage(ViewOf(ReadImage(path)));
      break;
  }
  const HostImage<Rgb8>& picture = shown.image.Empty() ? shown.disparity : shown.image;
  if (!picture.Empty()) {
    (shown.image.Empty() ? shown.disparity_caption : shown.image_caption) +=
        fmt::format("{}{} x {}", shown.image.Empty() ? ", " : "", picture.width(), picture.height());
  }
  return shown;
}

}  // namespace parallax::app
