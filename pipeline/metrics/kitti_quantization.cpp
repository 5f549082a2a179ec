#include "pipeline/metrics/kitti_quantization.h"

#include <algorithm>
#include <limits>

namespace parallax {
namespace {
constexpr float kPerPixel = 256.0F;
constexpr float kLargest = std::numeric_limits<std::uint16_t>::max();
}  // namespace

std::uint16_t KittiPngValue(float d) {
  if (!(d >= 0.0F)) return 0;
  return static_cast<std::uint16_t>(std::clamp(d * kPerPixel, 1.0F, kLargest));
}

float DisparityOfKittiPngValue(std::uint16_t value) {
  return value == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value) / kPerPixel;
}

HostImage<float> QuantizeAsKittiPng(HostImageView<const float> disparity) {
  HostImage<float> quantized(disparity.width, disparity.height);
  for (int y = 0; y < disparity.height; ++y) {
    std::transform(disparity.Row(y), disparity.Row(y) + disparity.width, quantized.Row(y),
                   [](float d) { return DisparityOfKittiPngValue(KittiPngValue(d)); });
  }
  return quantized;
}

}  // namespace parallax
