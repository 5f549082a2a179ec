#include "app/report/frame_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "app/pictures/colormap.h"
#include "app/pictures/error_picture.h"
#include "app/pictures/picture_text.h"
#include "app/pictures/value_scale.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax::app {
namespace {

constexpr int kGap_px = 4;  // between the parts of an overview
constexpr Rgb8 kWhite{255, 255, 255};
constexpr Rgb8 kBlack{0, 0, 0};

Rgb8 Shown(std::uint8_t v) { return {v, v, v}; }
Rgb8 Shown(std::uint16_t v) { return Shown(static_cast<std::uint8_t>(v >> 8)); }
Rgb8 Shown(Rgb8 v) { return v; }

HostImage<Rgb8> LeftPicture(const CameraImage& image, int width, int height) {
  HostImage<Rgb8> picture(width, height, kBlack);
  std::visit(
      [&](const auto& pixels) {
        if (pixels.width() != width || pixels.height() != height) return;
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) picture(x, y) = Shown(pixels(x, y));
        }
      },
      image);
  return picture;
}

// Truth of a laser scanner is points on black: as shown, pixels without truth take that of a pixel beside
// them (3x3). Truth that is dense already is left as it is.
HostImage<float> Thickened(HostImageView<const float> truth) {
  HostImage<float> shown(truth.width, truth.height, std::numeric_limits<float>::quiet_NaN());
  std::size_t num_known = 0;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      if (std::isnan(truth(x, y))) continue;
      ++num_known;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, truth.height - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, truth.width - 1); ++u) {
          shown(u, v) = std::isnan(truth(u, v)) ? truth(x, y) : truth(u, v);
        }
      }
    }
  }
  const std::size_t num_pixels =
      static_cast<std::size_t>(truth.width) * static_cast<std::size_t>(truth.height);
  if (2 * num_known < num_pixels) return shown;
  for (int y = 0; y < truth.height; ++y) std::copy_n(truth.Row(y), truth.width, shown.Row(y));
  return shown;
}

void Paste(HostImageView<const Rgb8> part, int x0, int y0, HostImage<Rgb8>& picture) {
  for (int y = 0; y < part.height; ++y) std::copy_n(part.Row(y), part.width, picture.Row(y0 + y) + x0);
}

void Fill(HostImage<Rgb8>& picture, int x0, int y0, int width, int height, Rgb8 color) {
  for (int y = y0; y < y0 + height; ++y) std::fill_n(picture.Row(y) + x0, width, color);
}

// A bar of the disparities' colours with numbers: px below, and metres of the same disparity above.
void DrawDisparityBar(const StereoFrame& frame, const ValueRange& range, int x0, int y0, int width,
                      int text_px, HostImage<Rgb8>& picture) {
  const int bar_top = y0 + 2 * text_px;
  for (int x = 0; x < width; ++x) {
    Fill(picture, x0 + x, bar_top, 1, text_px,
         ColorOf(static_cast<float>(x) / static_cast<float>(width - 1)));
  }
  for (const ScaleTick& tick : TicksOf({"", range.low, range.high, false})) {
    const int x = x0 + static_cast<int>(tick.position * static_cast<float>(width - 1));
    DrawText(picture.View(), tick.text, x, bar_top + 5 * text_px / 2, text_px, kBlack, TextAnchor::kCentre);
    if (!frame.rig) continue;
    const double d = range.low + static_cast<double>(tick.position) * (range.high - range.low);
    const double depth_m = frame.rig->fx_px * frame.rig->baseline_m / (d + frame.rig->doffs_px);
    if (!(depth_m > 0) || !std::isfinite(depth_m)) continue;
    DrawText(picture.View(), fmt::format("{:.{}f}", depth_m, depth_m < 10 ? 1 : 0), x, y0 + 3 * text_px / 2,
             text_px, kBlack, TextAnchor::kCentre);
  }
  DrawText(picture.View(), "px", x0 + width + text_px / 2, bar_top + 5 * text_px / 2, text_px, kBlack);
  if (frame.rig)
    DrawText(picture.View(), "m", x0 + width + text_px / 2, y0 + 3 * text_px / 2, text_px, kBlack);
}

// The bins of the errors' colours, with their ends as multiples of max(3 px, 5 % of the truth).
void DrawErrorBar(int x0, int y0, int width, int text_px, HostImage<Rgb8>& picture) {
  const int bar_top = y0 + 2 * text_px;
  const int num_bins = static_cast<int>(kErrorColors.size());
  for (int i = 0; i < num_bins; ++i) {
    const int begin = width * i / num_bins, end = width * (i + 1) / num_bins;
    const ErrorColor& bin = kErrorColors[static_cast<std::size_t>(i)];
    Fill(picture, x0 + begin, bar_top, end - begin, text_px, bin.color);
    if (i + 1 == num_bins) continue;
    DrawText(picture.View(), fmt::format("{:.3g}", bin.end), x0 + end, bar_top + 5 * text_px / 2, text_px,
             kBlack, TextAnchor::kCentre);
  }
  DrawText(picture.View(), "error / max(3 px, 5 %)", x0, y0 + 3 * text_px / 2, text_px, kBlack);
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

FramePictures PicturesOf(const StereoFrame& frame, HostImageView<const float> estimate, bool fill_holes) {
  const auto truth = frame.truth->disparity.ConstView();
  const ValueRange range = RobustRange(truth);  // a few extreme values do not flatten the rest
  HostImage<Rgb8> errors = fill_holes
                               ? ErrorPicture(InterpolateBackground(estimate).ConstView(), *frame.truth)
                               : ErrorPicture(estimate, *frame.truth);
  return {LeftPicture(frame.left, truth.width, truth.height), std::move(errors),
          ColorDisparity(estimate, range.low, range.high),
          ColorDisparity(Thickened(truth).ConstView(), range.low, range.high), range};
}

HostImage<Rgb8> OverviewPicture(const StereoFrame& frame, const FramePictures& pictures) {
  const int width = pictures.left.width(), height = pictures.left.height();
  const int text_px = std::clamp(width / 60, 7, 24);
  const int below = 5 * text_px;
  HostImage<Rgb8> picture(2 * width + kGap_px, 2 * height + kGap_px + below, kWhite);
  Paste(pictures.left.ConstView(), 0, 0, picture);
  Paste(pictures.errors.ConstView(), width + kGap_px, 0, picture);
  Paste(pictures.estimate.ConstView(), 0, height + kGap_px, picture);
  Paste(pictures.truth.ConstView(), width + kGap_px, height + kGap_px, picture);
  const int bar = std::max(width - 6 * text_px, 2), y0 = 2 * height + kGap_px;
  DrawDisparityBar(frame, pictures.range, 2 * text_px, y0, bar, text_px, picture);
  DrawErrorBar(width + kGap_px + 2 * text_px, y0, bar, text_px, picture);
  return picture;
}

HostImage<Rgb8> GainPicture(HostImageView<const float> a, HostImageView<const float> b,
                            HostImageView<const float> truth) {
  constexpr float kMost_px = 5;
  const auto error = [&](float d, float true_d) {
    return std::isnan(d) ? kMost_px : std::min(std::fabs(d - true_d), kMost_px);
  };
  HostImage<Rgb8> picture(truth.width, truth.height, kBlack);
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      const float true_d = truth(x, y);
      if (std::isnan(true_d)) continue;
      const float gain = (error(a(x, y), true_d) - error(b(x, y), true_d)) / kMost_px;  // -1 .. 1
      const auto strong = static_cast<std::uint8_t>(std::lround(60 + 195 * std::min(std::fabs(gain), 1.0F)));
      const Rgb8 color = gain > 0.02F    ? Rgb8{30, strong, 60}
                         : gain < -0.02F ? Rgb8{strong, 30, 40}
                                         : Rgb8{60, 60, 60};
      // As the error pictures do: points of a laser scanner fill their neighbours without truth.
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, truth.height - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, truth.width - 1); ++u) {
          if ((u == x && v == y) || std::isnan(truth(u, v))) picture(u, v) = color;
        }
      }
    }
  }
  return picture;
}

}  // namespace parallax::app
