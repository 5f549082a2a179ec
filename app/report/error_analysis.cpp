#include "app/report/error_analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace parallax::app {
namespace {

constexpr int kLeftBorder_px = 128;
constexpr float kSaturated = 250;
constexpr float kDepthEdge_px = 5;
constexpr float kLowTexture = 4;

float LevelOf(std::uint8_t v) { return v; }
float LevelOf(std::uint16_t v) { return static_cast<float>(v) / 257.0F; }
float LevelOf(Rgb8 v) {
  return 0.299F * static_cast<float>(v.r) + 0.587F * static_cast<float>(v.g) +
         0.114F * static_cast<float>(v.b);
}

HostImage<float> GrayImage(const CameraImage& image) {
  HostImage<float> gray(WidthOf(ViewOf(image)), HeightOf(ViewOf(image)));
  std::visit(
      [&](const auto& pixels) {
        for (int y = 0; y < gray.height(); ++y) {
          for (int x = 0; x < gray.width(); ++x) gray(x, y) = LevelOf(pixels(x, y));
        }
      },
      image);
  return gray;
}

// Replaces every value by `reduce` over its window of 2 radius + 1 by 2 radius + 1, borders repeated.
template <typename Reduce>
HostImage<float> OverWindows(const HostImage<float>& image, int radius, const Reduce& reduce) {
  const int width = image.width(), height = image.height();
  HostImage<float> rows(width, height), result(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float value = image(std::max(x - radius, 0), y);
      for (int i = -radius + 1; i <= radius; ++i)
        value = reduce(value, image(std::clamp(x + i, 0, width - 1), y));
      rows(x, y) = value;
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float value = rows(x, std::max(y - radius, 0));
      for (int i = -radius + 1; i <= radius; ++i)
        value = reduce(value, rows(x, std::clamp(y + i, 0, height - 1)));
      result(x, y) = value;
    }
  }
  return result;
}

constexpr auto kLargest = [](float a, float b) { return std::max(a, b); };
constexpr auto kSmallest = [](float a, float b) { return std::min(a, b); };
constexpr auto kSum = [](float a, float b) { return a + b; };

template <std::size_t kSize>
std::array<DistanceBin, kSize> BinsFrom(const double (&lows)[kSize]) {
  std::array<DistanceBin, kSize> bins;
  for (std::size_t i = 0; i < kSize; ++i) bins[i].low = lows[i];
  return bins;
}

template <std::size_t kSize>
DistanceBin& BinOf(std::array<DistanceBin, kSize>& bins, double value) {
  std::size_t i = kSize - 1;
  while (i > 0 && value < bins[i].low) --i;
  return bins[i];
}

template <std::size_t kSize>
void Add(std::array<DistanceBin, kSize>& bins, const std::array<DistanceBin, kSize>& other) {
  for (std::size_t i = 0; i < kSize; ++i) {
    bins[i].num_pixels += other[i].num_pixels;
    bins[i].num_wrong += other[i].num_wrong;
    bins[i].sum_error_px += other[i].sum_error_px;
    bins[i].sum_relative_depth_error += other[i].sum_relative_depth_error;
  }
}

}  // namespace

HostImage<std::uint8_t> RegionsOf(const CameraImage& left, const GroundTruth& truth) {
  const HostImage<float> gray = GrayImage(left);
  const int width = gray.width(), height = gray.height();
  HostImage<float> differences(width, height), highest(width, height), lowest(width, height);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      differences(x, y) = (y > 0 ? std::fabs(gray(x, y) - gray(x, y - 1)) : 0) +
                          (x > 0 ? std::fabs(gray(x, y) - gray(x - 1, y)) : 0);
      const float d = truth.disparity(x, y);
      highest(x, y) = std::isnan(d) ? -kInfinity : d;
      lowest(x, y) = std::isnan(d) ? kInfinity : d;
    }
  }
  const HostImage<float> texture = OverWindows(differences, 4, kSum);
  highest = OverWindows(highest, 4, kLargest);
  lowest = OverWindows(lowest, 4, kSmallest);
  const HostImage<float> brightest = OverWindows(gray, 2, kLargest);
  HostImage<std::uint8_t> regions(width, height);
  const auto region_of = [&](int x, int y) {
    if (!truth.nonoccluded.Empty() && truth.nonoccluded(x, y) != 255) return Region::kOccluded;
    if (x < kLeftBorder_px) return Region::kLeftBorder;
    if (brightest(x, y) >= kSaturated) return Region::kSaturated;
    if (highest(x, y) - lowest(x, y) > kDepthEdge_px) return Region::kDepthEdge;
    if (texture(x, y) < kLowTexture * 81) return Region::kLowTexture;
    return Region::kSmooth;
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) regions(x, y) = static_cast<std::uint8_t>(region_of(x, y));
  }
  return regions;
}

double WrongOfAll::Percent() const {
  return all == 0 ? std::nan("") : 100 * static_cast<double>(wrong) / static_cast<double>(all);
}

ErrorAnalysis::ErrorAnalysis() : depths(BinsFrom(kDepths_m)), disparities(BinsFrom(kDisparities_px)) {}

ErrorAnalysis& ErrorAnalysis::operator+=(const ErrorAnalysis& other) {
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += other.errors[i];
  num_missing += other.num_missing;
  for (std::size_t i = 0; i < kNumRegions; ++i) {
    regions[i].wrong += other.regions[i].wrong;
    regions[i].all += other.regions[i].all;
  }
  Add(depths, other.depths);
  Add(disparities, other.disparities);
  for (std::size_t i = 0; i < confidence.right.size(); ++i) {
    confidence.right[i] += other.confidence.right[i];
    confidence.wrong[i] += other.confidence.wrong[i];
  }
  return *this;
}

std::int64_t ErrorAnalysis::NumPixels() const {
  return std::accumulate(errors.begin(), errors.end(), num_missing);
}

double ErrorAnalysis::PercentAbove(double threshold_px) const {
  const std::int64_t num_pixels = NumPixels();
  if (num_pixels == 0) return std::nan("");
  const auto first = static_cast<std::size_t>(
      std::clamp(std::ceil(threshold_px * kBinsPerPixel), 0.0, static_cast<double>(errors.size() - 1)));
  const std::int64_t above =
      std::accumulate(errors.begin() + static_cast<std::ptrdiff_t>(first), errors.end(), num_missing);
  return 100 * static_cast<double>(above) / static_cast<double>(num_pixels);
}

ErrorAnalysis AnalyseErrors(const StereoFrame& frame, HostImageView<const float> estimate,
                            HostImageView<const std::uint8_t> confidence, IsWrongFunction is_wrong) {
  const GroundTruth& truth = *frame.truth;
  const CameraImageView left = ViewOf(frame.left);
  // The truth may be larger than the images (Middlebury's half and quarter sizes); then there are no regions.
  const bool has_regions =
      WidthOf(left) == truth.disparity.width() && HeightOf(left) == truth.disparity.height();
  const HostImage<std::uint8_t> regions =
      has_regions ? RegionsOf(frame.left, truth) : HostImage<std::uint8_t>();
  const bool has_confidence = SameSize(confidence, estimate);
  ErrorAnalysis analysis;
  for (int y = 0; y < truth.disparity.height(); ++y) {
    for (int x = 0; x < truth.disparity.width(); ++x) {
      const float true_d = truth.disparity(x, y);
      if (std::isnan(true_d)) continue;
      const float d = estimate(x, y);
      const bool is_missing = !std::isfinite(d);
      const float error_px = is_missing ? 0 : std::fabs(d - true_d);
      const bool wrong = is_missing || is_wrong(error_px, true_d);
      if (has_regions) {
        WrongOfAll& region = analysis.regions[regions(x, y)];
        region.wrong += wrong;
        ++region.all;
      }
      if (is_missing) {
        ++analysis.num_missing;
        continue;
      }
      // An error of exactly a bin's end belongs to the bin that ends there: thresholds are strict.
      const double bin = std::ceil(static_cast<double>(error_px) * ErrorAnalysis::kBinsPerPixel) - 1;
      ++analysis.errors[static_cast<std::size_t>(
          std::clamp(bin, 0.0, static_cast<double>(analysis.errors.size() - 1)))];
      const auto count = [&](DistanceBin& into, double relative_depth_error) {
        ++into.num_pixels;
        into.num_wrong += wrong;
        into.sum_error_px += error_px;
        if (!wrong) into.sum_relative_depth_error += relative_depth_error;
      };
      count(BinOf(analysis.disparities, true_d), 0);
      if (frame.rig) {
        const double shifted = static_cast<double>(true_d) + frame.rig->doffs_px;
        const double estimated = std::max(static_cast<double>(d) + frame.rig->doffs_px, 1e-3);
        if (shifted > 0) {
          const double depth_m = frame.rig->fx_px * frame.rig->baseline_m / shifted;
          count(BinOf(analysis.depths, depth_m), std::fabs(shifted / estimated - 1));
        }
      }
      const bool is_visible = truth.nonoccluded.Empty() || truth.nonoccluded(x, y) == 255;
      if (has_confidence && is_visible) analysis.confidence.Count(confidence(x, y), wrong);
    }
  }
  return analysis;
}

std::vector<double> SparsificationCurve(const ConfidenceCounts& counts) {
  const std::int64_t num_pixels = std::accumulate(counts.right.begin(), counts.right.end(), std::int64_t{0}) +
                                  std::accumulate(counts.wrong.begin(), counts.wrong.end(), std::int64_t{0});
  std::vector<double> curve;
  if (num_pixels == 0) return curve;
  int confidence = 255;
  double num_before = 0, wrong_before = 0;  // of higher confidence
  for (int share = 1; share <= 100; ++share) {
    const double k = static_cast<double>(num_pixels) * share / 100;
    const auto num_here = [&] {
      return static_cast<double>(counts.right[static_cast<std::size_t>(confidence)] +
                                 counts.wrong[static_cast<std::size_t>(confidence)]);
    };
    while (confidence > 0 && num_before + num_here() < k) {
      num_before += num_here();
      wrong_before += static_cast<double>(counts.wrong[static_cast<std::size_t>(confidence)]);
      --confidence;
    }
    const double rate =
        num_here() > 0 ? static_cast<double>(counts.wrong[static_cast<std::size_t>(confidence)]) / num_here()
                       : 0;
    curve.push_back(100 * (wrong_before + rate * (k - num_before)) / k);
  }
  return curve;
}

std::vector<double> BestSparsificationCurve(const ConfidenceCounts& counts) {
  const auto num_right =
      static_cast<double>(std::accumulate(counts.right.begin(), counts.right.end(), std::int64_t{0}));
  const double num_pixels = num_right + static_cast<double>(std::accumulate(
                                            counts.wrong.begin(), counts.wrong.end(), std::int64_t{0}));
  std::vector<double> curve;
  if (num_pixels == 0) return curve;
  for (int share = 1; share <= 100; ++share) {
    const double k = num_pixels * share / 100;
    curve.push_back(100 * std::max(k - num_right, 0.0) / k);
  }
  return curve;
}

}  // namespace parallax::app
