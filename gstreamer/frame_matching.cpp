#include "gstreamer/frame_matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "app/pictures/colormap.h"
#include "config/backends.h"
#include "config/parameters_yaml.h"
#include "parallax/error.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/metrics/kitti_quantization.h"

namespace parallax::gstreamer {
namespace {

// "a=1,b=2" or "a=1 b=2".
std::vector<std::string> Assignments(const std::string& text) {
  std::vector<std::string> assignments;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
    if (end > begin) assignments.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return assignments;
}

Parameters ParametersOf(const Settings& settings) {
  return LoadChosenParameters(settings.preset, Assignments(settings.parameters)).parameters;
}

std::uint16_t Millimetres(float depth_m) {
  const float mm = std::round(depth_m * 1000.0F);
  return mm > 0.0F && mm <= 65535.0F ? static_cast<std::uint16_t>(mm) : 0;  // NaN is neither
}

template <typename To, typename From, typename Convert>
void ConvertRows(const HostImageView<const From>& from, const OutImage& to, Convert convert) {
  const auto row_bytes = static_cast<std::ptrdiff_t>(sizeof(To)) * from.width;
  if (to.stride_bytes < row_bytes ||
      static_cast<std::ptrdiff_t>(to.num_bytes) < (from.height - 1) * to.stride_bytes + row_bytes) {
    throw InvalidArgument(std::to_string(to.num_bytes) + " bytes in rows of " +
                          std::to_string(to.stride_bytes) + " have no room for the result of " +
                          std::to_string(from.width) + "x" + std::to_string(from.height) +
                          " px: give rows of at least " + std::to_string(row_bytes) + " bytes");
  }
  for (int y = 0; y < from.height; ++y) {
    auto* row = reinterpret_cast<To*>(to.data + y * to.stride_bytes);
    std::transform(from.Row(y), from.Row(y) + from.width, row, convert);
  }
}

}  // namespace

FrameMatching::FrameMatching(const Settings& settings, int width, int height)
    : settings_(settings), width_(width), height_(height), parameters_(ParametersOf(settings)) {
  matcher_ = MakeMatcher(
      settings.backend, parameters_,
      {.width = width, .height = height, .num_threads = settings.threads, .device = settings.device});
}

void FrameMatching::Match(const CameraImageView& left, const CameraImageView& right, const Form& form,
                          const OutImage& to) {
  if (form.output == Output::kDepth && !(form.rig.fx_px > 0 && form.rig.baseline_m > 0)) {
    throw InvalidArgument("output=depth needs the calibration: set fx (px) and baseline (m)");
  }
  CheckMatcherInput(left, right, width_, height_);
  matcher_->Compute(left, right, map_);
  const HostImageView<const float> disparity = map_.disparity.ConstView();
  switch (form.output) {
    case Output::kDisparity:
      ConvertRows<std::uint16_t>(disparity, to, KittiPngValue);
      break;
    case Output::kDepth:
      if (!SameSize(depth_.ConstView(), disparity))
        depth_ = HostImage<float>(disparity.width, disparity.height);
      DepthFromDisparity(disparity, form.rig, parameters_.reprojection, depth_.View());
      ConvertRows<std::uint16_t>(depth_.ConstView(), to, Millimetres);
      break;
    case Output::kColor: {
      const MatchingCostParameters& cost = parameters_.matching_cost;
      const auto lowest = static_cast<float>(cost.min_disparity);
      const auto highest = form.color_max > 0
                               ? static_cast<float>(form.color_max)
                               : static_cast<float>(cost.min_disparity + cost.num_disparities - 1);
      const HostImage<Rgb8> colors = app::ColorDisparity(disparity, lowest, highest);
      ConvertRows<Rgb8>(colors.ConstView(), to, [](Rgb8 color) { return color; });
      break;
    }
  }
}

}  // namespace parallax::gstreamer
