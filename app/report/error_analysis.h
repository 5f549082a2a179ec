// Where an estimate is wrong and by how much: the part of a report that goes beyond the benchmark's figures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "app/scores/evaluator.h"
#include "pipeline/metrics/sparsification.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

// The first region that applies counts. Occluded: truth that the right image does not show, where the truth
// says so. Left border: the first 128 columns. Saturated: a pixel of 250 or more within 5x5. Depth edge:
// known truth within 9x9 spans more than 5 px. Low texture: the sum of the absolute differences to the pixels
// above and to the left has a mean over 9x9 below 4 gray levels of 256. Smooth: the rest.
enum class Region { kOccluded, kLeftBorder, kSaturated, kDepthEdge, kLowTexture, kSmooth };
inline constexpr std::string_view kRegionNames[] = {"occluded",   "left border", "saturated",
                                                    "depth edge", "low texture", "smooth"};
inline constexpr std::size_t kNumRegions = std::size(kRegionNames);

// The region of every pixel. truth: px, NaN = unknown, of the left image's size.
HostImage<std::uint8_t> RegionsOf(const CameraImage& left, const GroundTruth& truth);

struct WrongOfAll {
  std::int64_t wrong = 0, all = 0;
  double Percent() const;  // NaN without pixels
};

// Pixels with an estimate whose true depth (m) or disparity (px) is from `low` to the next bin's.
struct DistanceBin {
  double low = 0;
  std::int64_t num_pixels = 0, num_wrong = 0;
  double sum_error_px = 0;
  double sum_relative_depth_error = 0;  // |estimated / true depth - 1| of correct pixels; 0 without a rig
};

// Counts of one frame, or of several added up. Every pixel with truth counts; one without an estimate is
// wrong.
struct ErrorAnalysis {
  static constexpr int kBinsPerPixel = 16;
  static constexpr int kMaxError_px = 64;
  static constexpr double kDepths_m[] = {0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 57, 80};
  static constexpr double kDisparities_px[] = {0, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

  ErrorAnalysis();
  ErrorAnalysis& operator+=(const ErrorAnalysis& other);

  std::int64_t NumPixels() const;
  // % of all pixels whose error is above threshold_px or that have no estimate. A threshold between two bins
  // is rounded up.
  double PercentAbove(double threshold_px) const;

  // Pixels by their error, in bins of 1 / kBinsPerPixel px; the last bin holds all larger errors.
  std::array<std::int64_t, kMaxError_px * kBinsPerPixel + 1> errors{};
  std::int64_t num_missing = 0;
  std::array<WrongOfAll, kNumRegions> regions{};
  std::array<DistanceBin, std::size(kDepths_m)> depths;             // of frames with a rig
  std::array<DistanceBin, std::size(kDisparities_px)> disparities;  // of all frames
  ConfidenceCounts confidence;                                      // of the frames that have one
};

// Analyses the errors of one frame, which must have truth. estimate: px, NaN = no value, of the truth's size.
// confidence: the same size, or empty. Confidence counts as `eval` does: pixels with an estimate and
// non-occluded truth.
ErrorAnalysis AnalyseErrors(const StereoFrame& frame, HostImageView<const float> estimate,
                            HostImageView<const std::uint8_t> confidence, IsWrongFunction is_wrong);

// % of wrong pixels among the k % most confident, for k of 1 to 100. Empty without pixels.
std::vector<double> SparsificationCurve(const ConfidenceCounts& counts);
// The same for the best possible order, in which every wrong pixel is removed before any right one.
std::vector<double> BestSparsificationCurve(const ConfidenceCounts& counts);

}  // namespace parallax::app
