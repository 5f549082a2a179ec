#include "gstreamer/frame_matching.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/pictures/colormap.h"
#include "parallax/error.h"
#include "pipeline/metrics/kitti_quantization.h"

namespace parallax::gstreamer {
namespace {

Parameters ParametersOf(const Settings& settings) {
  Parameters parameters = Preset(settings.preset);
  const std::string& text = settings.parameters;  // "a=1,b=2" or "a=1 b=2"
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find_first_of(", ", begin), text.size());
    if (end == begin) continue;
    const std::size_t equals = std::min(text.find('=', begin), end);
    SetByKey(parameters, text.substr(begin, equals - begin),
             equals < end ? text.substr(equals + 1, end - equals - 1) : "");
  }
  parameters.live.decimation = 1;  // what goes out is as large as what comes in
  return parameters;
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

FrameMatching::FrameMatching(const Settings& settings)
    : settings_(settings),
      matcher_(ParametersOf(settings),
               {.backend = settings.backend, .num_threads = settings.threads, .device = settings.device}) {}

void FrameMatching::Match(const CameraImageView& left, const CameraImageView& right, const Form& form,
                          const OutImage& to) {
  const bool has_rig = form.rig.fx_px > 0 && form.rig.baseline_m > 0;
  if (form.output == Output::kDepth && !has_rig) {
    throw InvalidArgument("output=depth needs the calibration: set fx (px) and baseline (m)");
  }
  const MatchResult result =
      has_rig ? matcher_.Compute(left, right, form.rig) : matcher_.Compute(left, right);
  const HostImageView<const float> disparity = result.disparity;
  switch (form.output) {
    case Output::kDisparity:
      ConvertRows<std::uint16_t>(disparity, to, KittiPngValue);
      break;
    case Output::kDepth:
      ConvertRows<std::uint16_t>(result.Depth().ConstView(), to, Millimetres);
      break;
    case Output::kColor: {
      const MatchingCostParameters& cost = matcher_.parameters().matching_cost;
      const auto lowest = static_cast<float>(cost.min_disparity);
      const auto highest = form.color_max > 0
                               ? static_cast<float>(form.color_max)
                               : static_cast<float>(cost.min_disparity + cost.num_disparities - 1);
      HostImageView<const std::uint8_t> validity;
      if (!form.show_filled) validity = result.validity;
      const HostImage<Rgb8> colors = app::ColorDisparity(disparity, lowest, highest, validity);
      ConvertRows<Rgb8>(colors.ConstView(), to, [](Rgb8 color) { return color; });
      break;
    }
  }
}

}  // namespace parallax::gstreamer
