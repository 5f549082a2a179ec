#include "app/view/panes/frame_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pictures/colormap.h"

namespace parallax::app {
namespace {

constexpr Rgb8 kBackground{30, 31, 35}, kWholeColor{150, 152, 158};
constexpr std::array<Rgb8, static_cast<std::size_t>(Stage::kCount)> kStageColors = {{{94, 129, 244},
                                                                                     {70, 180, 200},
                                                                                     {240, 170, 70},
                                                                                     {120, 200, 110},
                                                                                     {200, 110, 190},
                                                                                     {220, 90, 80},
                                                                                     {170, 170, 90}}};

void FillColumn(HostImage<Rgb8>& picture, int x, double from, double to, Rgb8 color) {
  const int height = picture.height();
  const int y0 = height - static_cast<int>(std::lround(to * height));
  const int y1 = height - static_cast<int>(std::lround(from * height));
  for (int y = std::max(0, y0); y < std::min(height, y1); ++y) picture(x, y) = color;
}

}  // namespace

Rgb8 StageColor(Stage stage) { return kStageColors[static_cast<std::size_t>(stage)]; }

void StageHistory::Add(const StageTimes& times, double match_ms) {
  if (frames_.size() == kNumFrames) frames_.pop_front();
  frames_.push_back({times, match_ms});
}

double StageHistory::largest_ms() const {
  double largest = 0;
  for (const Times& frame : frames_) largest = std::max(largest, frame.match_ms);
  return largest;
}

HostImage<Rgb8> StageHistory::Picture(int width, int height) const {
  HostImage<Rgb8> picture(width, height, kBackground);
  const double largest = largest_ms();
  if (!(largest > 0)) return picture;
  for (int x = 0; x < width; ++x) {
    const auto column = static_cast<std::size_t>(x) * kNumFrames / static_cast<std::size_t>(width);
    if (column + frames_.size() < kNumFrames) continue;  // not so many frames yet
    const Times& frame = frames_[column + frames_.size() - kNumFrames];
    FillColumn(picture, x, 0, frame.match_ms / largest, kWholeColor);
    double below = 0;
    for (std::size_t i = 0; i < kStageColors.size(); ++i) {
      const double share = frame.stages.ms[i] / largest;
      FillColumn(picture, x, below, below + share, kStageColors[i]);
      below += share;
    }
  }
  return picture;
}

ValueHistogram HistogramOf(const ShownFrame& frame, std::size_t num_bins) {
  ValueHistogram histogram;
  histogram.of_depth = !frame.a.depth_m.Empty();
  const HostImageView<const float> values =
      histogram.of_depth ? frame.a.depth_m.ConstView() : frame.a.disparity;
  const ValueRange range = histogram.of_depth ? frame.a.depth_range : frame.a.disparity_range;
  histogram.low = range.low, histogram.high = range.high;
  std::vector<double> counts(num_bins);
  const float scale = range.high > range.low ? static_cast<float>(num_bins) / (range.high - range.low) : 0;
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const float bin = (values(x, y) - range.low) * scale;
      if (!(bin >= 0) || !(bin <= static_cast<float>(num_bins))) continue;  // beyond the range, or none
      ++counts[std::min(num_bins - 1, static_cast<std::size_t>(bin))];
    }
  }
  const double largest = *std::max_element(counts.begin(), counts.end());
  if (largest == 0) return histogram;
  for (double& count : counts) count /= largest;
  histogram.shares = std::move(counts);
  return histogram;
}

HostImage<Rgb8> PictureOf(const ValueHistogram& histogram, int width, int height) {
  HostImage<Rgb8> picture(width, height, kBackground);
  if (histogram.shares.empty()) return picture;
  for (int x = 0; x < width; ++x) {
    const std::size_t bin =
        static_cast<std::size_t>(x) * histogram.shares.size() / static_cast<std::size_t>(width);
    const float t = static_cast<float>(x) / static_cast<float>(std::max(1, width - 1));
    FillColumn(picture, x, 0, histogram.shares[bin], ColorOf(histogram.of_depth ? 1 - t : t));
  }
  return picture;
}

void TemporalNoise::Add(const ShownFrame& frame, const std::optional<PixelRectangle>& rectangle) {
  if (rectangle != rectangle_) frames_.clear();
  rectangle_ = rectangle;
  const bool fits = rectangle && !frame.a.disparity.Empty() && frame.HasPixel(rectangle->x0, rectangle->y0) &&
                    frame.HasPixel(rectangle->x1, rectangle->y1);
  if (!fits) {
    frames_.clear();
    return;
  }
  std::vector<float> values;
  for (int y = rectangle->y0; y <= rectangle->y1; ++y) {
    const float* row = frame.a.disparity.Row(y);
    values.insert(values.end(), row + rectangle->x0, row + rectangle->x1 + 1);
  }
  if (frames_.size() == kNumFrames) frames_.pop_front();
  frames_.push_back(std::move(values));
}

std::optional<double> TemporalNoise::Deviation_px() const {
  if (frames_.size() < 2) return std::nullopt;
  const double num = static_cast<double>(frames_.size());
  std::vector<double> deviations;
  for (std::size_t i = 0; i < frames_.front().size(); ++i) {
    double mean = 0, squares = 0;
    for (const auto& frame : frames_) mean += static_cast<double>(frame[i]) / num;
    for (const auto& frame : frames_)
      squares += (static_cast<double>(frame[i]) - mean) * (static_cast<double>(frame[i]) - mean);
    if (!std::isnan(mean)) deviations.push_back(std::sqrt(squares / (num - 1)));
  }
  if (deviations.empty()) return std::nullopt;
  const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2);
  std::nth_element(deviations.begin(), middle, deviations.end());
  return *middle;
}

}  // namespace parallax::app
