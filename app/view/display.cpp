#include "app/view/display.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/output/number_text.h"
#include "app/pictures/robust_range.h"
#include "pipeline/types/clone_image.h"

namespace parallax::app {
namespace {

Rgb8 GrayToColor(std::uint8_t value) { return {value, value, value}; }

HostImage<Rgb8> ToColor(HostImageView<const Rgb8> image) { return CloneImage(image); }

HostImage<Rgb8> ToColor(HostImageView<const std::uint8_t> image) {
  HostImage<Rgb8> result(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    std::transform(image.Row(y), image.Row(y) + image.width, result.Row(y), GrayToColor);
  }
  return result;
}

HostImage<Rgb8> ToColor(HostImageView<const std::uint16_t> image) {
  const auto [low, high] = RobustRange(image);
  const float scale = high > low ? 255.0f / (high - low) : 0.0f;
  HostImage<Rgb8> result(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    std::transform(image.Row(y), image.Row(y) + image.width, result.Row(y),
                   [low = low, scale](std::uint16_t value) {
                     const float stretched = (static_cast<float>(value) - low) * scale;
                     return GrayToColor(static_cast<std::uint8_t>(std::clamp(stretched, 0.0f, 255.0f)));
                   });
  }
  return result;
}

}  // namespace

HostImage<Rgb8> DisplayImage(const CameraImageView& image) {
  return std::visit([](const auto& i) { return ToColor(i); }, image);
}

StereoRig NominalRig(int width, int height) {
  return {.fx_px = static_cast<double>(width),
          .cx_px = 0.5 * (width - 1),
          .cy_px = 0.5 * (height - 1),
          .baseline_m = 0.1,
          .doffs_px = 0};
}

void AddCloud(const CloudInput& input, const std::optional<StereoRig>& rig,
              const ReprojectionParameters& limits, ViewerFrame& shown) {
  const StereoRig used = rig ? *rig : NominalRig(input.disparity.width, input.disparity.height);
  ReprojectionParameters used_limits = limits;
  if (!rig) {
    used_limits.min_depth_m = 0;
    used_limits.max_depth_m = static_cast<float>(used.fx_px * used.baseline_m);
  }
  CloudFrame cloud = MakeCloudFrame(input, used, used_limits);
  cloud.has_true_scale = rig.has_value();
  AddCloud(std::move(cloud), shown);
  if (!rig) shown.cloud_caption += ", no calibration: shape from a nominal camera, no true scale";
}

void AddCloud(CloudFrame cloud, ViewerFrame& shown) {
  shown.cloud_caption = cloud.cloud.points.empty()
                            ? "cloud: no point"
                            : "cloud of " + WithThousands(cloud.cloud.size()) + " points";
  shown.cloud_frame = std::make_shared<const CloudFrame>(std::move(cloud));
}

}  // namespace parallax::app
