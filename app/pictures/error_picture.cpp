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
  return SpreadTruth(true_d, Rgb8{}, [&](int x, int y) {
    const Rgb8 color = ColorOfError(estimate(x, y), true_d(x, y));
    const bool occluded =
        !truth.only_nonoccluded && !truth.nonoccluded.Empty() && truth.nonoccluded(x, y) != kNonoccluded;
    return occluded ? Halved(color) : color;
  });
}

}  // namespace parallax::app
