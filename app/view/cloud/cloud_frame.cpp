#include "app/view/cloud/cloud_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallax/disparity_map.h"
#include "pipeline/cloud/reprojection.h"

namespace parallax::app {

std::shared_ptr<const CloudFrame> WithoutFilled(const std::shared_ptr<const CloudFrame>& frame) {
  if (std::find(frame->filled.begin(), frame->filled.end(), true) == frame->filled.end()) return frame;
  auto left = std::make_shared<CloudFrame>(*frame);
  const auto keep_measured = [&](auto& values) {
    std::size_t i = 0;
    if (values.size() == frame->filled.size())
      std::erase_if(values, [&](const auto&) { return frame->filled[i++]; });
  };
  keep_measured(left->cloud.points);
  keep_measured(left->cloud.colors);
  keep_measured(left->pixels);
  keep_measured(left->confidence);
  keep_measured(left->errors_px);
  left->filled.clear();
  return left;
}

std::optional<std::size_t> PointOfPixel(const CloudFrame& frame, int x, int y) {
  if (x < 0 || y < 0 || x >= frame.width || y >= frame.height) return std::nullopt;
  const std::int32_t pixel = y * frame.width + x;
  const auto found = std::lower_bound(frame.pixels.begin(), frame.pixels.end(), pixel);
  if (found == frame.pixels.end() || *found != pixel) return std::nullopt;
  return static_cast<std::size_t>(found - frame.pixels.begin());
}

std::optional<Pixel> PixelOfPoint(const CloudFrame& frame, std::size_t point) {
  if (point >= frame.pixels.size()) return std::nullopt;
  const std::int32_t pixel = frame.pixels[point];
  return Pixel{pixel % frame.width, pixel / frame.width};
}

CloudFrame MakeCloudFrame(const CloudInput& input, const StereoRig& rig,
                          const ReprojectionParameters& limits) {
  CloudFrame frame;
  frame.width = input.disparity.width;
  frame.height = input.disparity.height;
  frame.rig = rig;
  HostImage<float> depth_m(frame.width, frame.height);
  DepthFromDisparity(input.disparity, rig, limits, depth_m.View());
  frame.cloud = CloudFromDepth(depth_m.ConstView(), input.colors, rig);
  frame.pixels.reserve(frame.cloud.size());
  const bool with_confidence = input.confidence.data != nullptr, with_truth = input.truth.data != nullptr;
  const bool with_validity = input.validity.data != nullptr;
  for (int y = 0; y < frame.height; ++y) {
    const float* depth = depth_m.Row(y);
    for (int x = 0; x < frame.width; ++x) {
      if (std::isnan(depth[x])) continue;
      frame.pixels.push_back(y * frame.width + x);
      if (with_confidence) frame.confidence.push_back(static_cast<float>(input.confidence(x, y)));
      if (with_validity) frame.filled.push_back((input.validity(x, y) & kFilled) != 0);
      if (with_truth) frame.errors_px.push_back(std::abs(input.disparity(x, y) - input.truth(x, y)));
    }
  }
  return frame;
}

}  // namespace parallax::app
