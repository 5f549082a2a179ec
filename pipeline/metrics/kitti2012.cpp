#include "pipeline/metrics/kitti2012.h"

#include <cmath>

#include "pipeline/metrics/evaluated_pixels.h"
#include "pipeline/metrics/interpolate_background.h"

namespace parallax {
namespace {

// Calls visit(a, b) for every rate and mean of two scores.
template <typename Visitor>
void ForEachRate(Kitti2012Scores& a, const Kitti2012Scores& b, Visitor&& visit) {
  for (int i = 0; i < kKitti2012NumThresholds; ++i) {
    visit(a.outliers[i], b.outliers[i]);
    visit(a.outliers_estimated[i], b.outliers_estimated[i]);
    visit(a.outliers_or_holes[i], b.outliers_or_holes[i]);
  }
  visit(a.mean_error_px, b.mean_error_px);
  visit(a.mean_error_estimated_px, b.mean_error_estimated_px);
  visit(a.density, b.density);
}

// Sum of errors as the development kit adds them up: in single precision, column by column. An exact sum
// would differ in the sixth printed digit.
struct DevkitSum {
  float sum_px = 0, sum_estimated_px = 0;

  void Add(float error_px, bool estimated) {
    sum_px += error_px;
    if (estimated) sum_estimated_px += error_px;
  }
  static double Mean(float sum, std::int64_t num) { return sum / static_cast<float>(num); }
};

double RateOf(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Kitti2012Scores EvaluateKitti2012(HostImageView<const float> estimate, HostImageView<const float> truth,
                                  HostImageView<const std::uint8_t> mask) {
  CheckSameSize(estimate, "the estimate", truth, "the truth");
  const HostImage<float> filled = InterpolateBackground(estimate);
  std::array<std::int64_t, kKitti2012NumThresholds> num_outliers{}, num_outliers_estimated{};
  Kitti2012Scores scores;
  DevkitSum error_sum;
  ForEachEvaluatedPixelByColumn(truth, mask, [&](int x, int y, float true_d) {
    const float d = std::isnan(filled(x, y)) ? kDevkitInvalid : filled(x, y);
    const float error_px = std::fabs(true_d - d);
    const bool estimated = !std::isnan(estimate(x, y));
    ++scores.num_truth;
    scores.num_estimated += estimated;
    error_sum.Add(error_px, estimated);
    for (int i = 0; i < kKitti2012NumThresholds; ++i) {
      const bool outlier = error_px > static_cast<float>(i + 1);
      num_outliers[i] += outlier;
      num_outliers_estimated[i] += outlier && estimated;
    }
  });
  if (scores.num_truth == 0) {
    ForEachRate(scores, scores, [](double& rate, double) { rate = kNoScore; });
    return scores;
  }
  scores.num_frames = 1;
  const std::int64_t num_holes = scores.num_truth - scores.num_estimated;
  for (int i = 0; i < kKitti2012NumThresholds; ++i) {
    scores.outliers[i] = RateOf(num_outliers[i], scores.num_truth);
    scores.outliers_estimated[i] = RateOf(num_outliers_estimated[i], scores.num_estimated);
    scores.outliers_or_holes[i] = RateOf(num_outliers_estimated[i] + num_holes, scores.num_truth);
  }
  scores.mean_error_px = DevkitSum::Mean(error_sum.sum_px, scores.num_truth);
  if (scores.num_estimated > 0) {
    scores.mean_error_estimated_px = DevkitSum::Mean(error_sum.sum_estimated_px, scores.num_estimated);
  }
  scores.density = RateOf(scores.num_estimated, scores.num_truth);
  return scores;
}

Kitti2012Scores MeanOf(std::span<const Kitti2012Scores> frames) {
  Kitti2012Scores mean;
  for (const Kitti2012Scores& frame : frames) {
    if (frame.num_truth == 0) continue;
    ForEachRate(mean, frame, [](double& sum, double rate) { sum += rate; });
    mean.num_truth += frame.num_truth;
    mean.num_estimated += frame.num_estimated;
    ++mean.num_frames;
  }
  const auto n = static_cast<double>(mean.num_frames);
  ForEachRate(mean, mean, [n](double& rate, double sum) { rate = n > 0 ? sum / n : kNoScore; });
  return mean;
}

}  // namespace parallax
