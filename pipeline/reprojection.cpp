#include "pipeline/reprojection.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace parallax {
namespace {

Rgb8 ColorOf(Rgb8 color) { return color; }
Rgb8 ColorOf(std::uint8_t gray) { return {gray, gray, gray}; }
Rgb8 ColorOf(std::uint16_t gray) { return ColorOf(static_cast<std::uint8_t>(gray >> 8)); }

}  // namespace

void DepthFromDisparity(HostImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, HostImageView<float> depth) {
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw InvalidArgument("rig has focal length " + std::to_string(rig.fx_px) + " px and baseline " +
                          std::to_string(rig.baseline_m) + " m: both must be positive to give a depth");
  }
  const float fb = static_cast<float>(rig.fx_px * rig.baseline_m);
  const float doffs = static_cast<float>(rig.doffs_px);
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float shifted = disparity(x, y) + doffs;
      const float z = fb / shifted;
      const bool inside = shifted > 0 && z >= limits.min_depth_m && z <= limits.max_depth_m;  // false for NaN
      depth(x, y) = inside ? z : std::numeric_limits<float>::quiet_NaN();
    }
  }
}

PointCloud CloudFromDepth(HostImageView<const float> depth, const CameraImageView& left,
                          const StereoRig& rig) {
  const float fx = static_cast<float>(rig.fx_px);
  const float cx = static_cast<float>(rig.cx_px), cy = static_cast<float>(rig.cy_px);
  PointCloud cloud;
  std::visit(
      [&](const auto& image) {
        if (!SameSize(image, depth)) throw InvalidArgument("depth map and left image differ in size");
        for (int y = 0; y < depth.height; ++y) {
          for (int x = 0; x < depth.width; ++x) {
            const float z = depth(x, y);
            if (std::isnan(z)) continue;
            const float px = (static_cast<float>(x) - cx) * z;
            const float py = (static_cast<float>(y) - cy) * z;
            cloud.points.push_back({px / fx, py / fx, z});
            cloud.colors.push_back(ColorOf(image(x, y)));
          }
        }
      },
      left);
  return cloud;
}

}  // namespace parallax
