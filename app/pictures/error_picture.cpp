#include "app/pictures/error_picture.h"

#include <algorithm>
#include <cmath>

#include "pipeline/metrics/evaluated_pixels.h"

namespace parallax::app {
namespace {

Rgb8 ColorOfError(float estimate, float truth) {
  if (std::isnan(estimate)) return kMissingColor;
  const float error_px = std::fabs(estimate - truth);
  const float multiple = std::min(error_px / 3.0F, 20.0F * error_px / std::fabs(truth));
  for (const ErrorColor& bin : kErrorColors) {
    if (multiple < bin.end) return bin.color;
  }
  return kErrorColors.back().color;
}

Rgb8 Halved(Rgb8 c) {
  return {static_cast<std::uint8_t>(c.r / 2), static_cast<std::uint8_t>(c.g / 2),
          static_cast<std::uint8_t>(c.b / 2)};
}

}  // namespace

HostImage<Rgb8> ErrorPicture(HostImageView<const float> estimate, const GroundTruth& truth) {
  const auto true_d = truth.disparity.ConstView();
  CheckSameSize(estimate, "the estimate", true_d, "the truth");
  HostImage<Rgb8> picture(true_d.width, true_d.height, Rgb8{});
  for (int y = 0; y < true_d.height; ++y) {
    for (int x = 0; x < true_d.width; ++x) {
      if (std::isnan(true_d(x, y))) continue;
      const Rgb8 color = ColorOfError(estimate(x, y), true_d(x, y));
      const bool occluded =
          !truth.only_nonoccluded && !truth.nonoccluded.Empty() && truth.nonoccluded(x, y) != kNonoccluded;
      const Rgb8 shown = occluded ? Halved(color) : color;
      picture(x, y) = shown;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, true_d.height - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, true_d.width - 1); ++u) {
          if (std::isnan(true_d(u, v))) picture(u, v) = shown;
        }
      }
    }
  }
  return picture;
}

}  // namespace parallax::app
