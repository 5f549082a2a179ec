#include "app/report/frame_pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "app/pictures/colormap.h"
#include "app/pictures/error_picture.h"
#include "app/pictures/robust_range.h"
#include "app/report/picture_store.h"
#include "pipeline/metrics/interpolate_background.h"
#include "pipeline/rules/pixel_color.h"
#include "pipeline/types/clone_image.h"

namespace parallax::app {
namespace {

constexpr Rgb8 kBlack{0, 0, 0};

// Sparse truth is spread. Dense truth is left as it is.
HostImage<float> Thickened(HostImageView<const float> truth) {
  std::size_t num_known = 0;
  for (int y = 0; y < truth.height; ++y) {
    num_known += static_cast<std::size_t>(
        std::count_if(truth.Row(y), truth.Row(y) + truth.width, [](float d) { return !std::isnan(d); }));
  }
  const std::size_t num_pixels =
      static_cast<std::size_t>(truth.width) * static_cast<std::size_t>(truth.height);
  if (2 * num_known >= num_pixels) return CloneImage(truth);
  return SpreadTruth(truth, std::numeric_limits<float>::quiet_NaN(),
                     [&](int x, int y) { return truth(x, y); });
}

}  // namespace

HostImage<float> AtTruthSize(HostImageView<const float> estimate, HostImageView<const float> truth) {
  HostImage<float> result(truth.width, truth.height);
  const int scale = std::max(1, truth.width / std::max(1, estimate.width));
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      result(x, y) = static_cast<float>(scale) * estimate(x / scale, y / scale);
    }
  }
  return result;
}

FramePictures PicturesOf(const StereoFrame& frame, HostImageView<const float> estimate, bool fill_holes,
                         HostImageView<const std::uint8_t> validity) {
  const auto truth = frame.truth->disparity.ConstView();
  const ValueRange range = RobustRange(truth);  // a few extreme values do not flatten the rest
  HostImage<Rgb8> errors = fill_holes
                               ? ErrorPicture(InterpolateBackground(estimate).ConstView(), *frame.truth)
                               : ErrorPicture(estimate, *frame.truth);
  HostImage<std::uint8_t> validity_there;
  if (!validity.Empty()) {
    validity_there = HostImage<std::uint8_t>(truth.width, truth.height);
    const int scale = std::max(1, truth.width / validity.width);
    for (int y = 0; y < truth.height; ++y) {
      for (int x = 0; x < truth.width; ++x) validity_there(x, y) = validity(x / scale, y / scale);
    }
  }
  HostImage<Rgb8> left = RgbImage(ViewOf(frame.left));
  if (left.width() != truth.width || left.height() != truth.height)
    left = HostImage<Rgb8>(truth.width, truth.height, kBlack);
  return {std::move(left), std::move(errors),
          ColorDisparity(estimate, range.low, range.high, validity_there.ConstView()),
          ColorDisparity(Thickened(truth).ConstView(), range.low, range.high)};
}

HostImage<Rgb8> ThumbnailOf(HostImageView<const Rgb8> photo, HostImageView<const Rgb8> picture,
                            int max_width_px) {
  const int factor = (picture.width + max_width_px - 1) / max_width_px;
  const HostImage<Rgb8> upper = Shrunk(photo, factor), lower = Shrunk(picture, factor);
  HostImage<Rgb8> both(lower.width(), upper.height() + lower.height());
  for (int y = 0; y < upper.height(); ++y) std::copy_n(upper.Row(y), lower.width(), both.Row(y));
  for (int y = 0; y < lower.height(); ++y)
    std::copy_n(lower.Row(y), lower.width(), both.Row(upper.height() + y));
  return both;
}

HostImage<Rgb8> GainPicture(HostImageView<const float> a, HostImageView<const float> b,
                            HostImageView<const float> truth) {
  constexpr float kMost_px = 5;
  const auto error = [&](float d, float true_d) {
    return std::isnan(d) ? kMost_px : std::min(std::fabs(d - true_d), kMost_px);
  };
  return SpreadTruth(truth, kBlack, [&](int x, int y) {
    const float true_d = truth(x, y);
    const float gain = (error(a(x, y), true_d) - error(b(x, y), true_d)) / kMost_px;  // -1 .. 1
    const auto strong = static_cast<std::uint8_t>(std::lround(60 + 195 * std::min(std::fabs(gain), 1.0F)));
    return gain > 0.02F ? Rgb8{30, strong, 60} : gain < -0.02F ? Rgb8{strong, 30, 40} : Rgb8{60, 60, 60};
  });
}

}  // namespace parallax::app
