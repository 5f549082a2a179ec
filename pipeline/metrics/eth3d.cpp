#include "pipeline/metrics/eth3d.h"

#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/metrics/evaluated_pixels.h"

namespace parallax {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kNumThresholds = kEth3dThresholds_px.size();

template <typename Visitor>
void ForEachRate(Eth3dScores& a, const Eth3dScores& b, Visitor&& visit) {
  visit(a.coverage, b.coverage);
  for (std::size_t i = 0; i < kNumThresholds; ++i) {
    visit(a.bad[i], b.bad[i]);
    visit(a.bad_or_holes[i], b.bad_or_holes[i]);
  }
  visit(a.mean_error_px, b.mean_error_px);
  visit(a.rms_error_px, b.rms_error_px);
  ForEachQuantile(a.quantiles_px, b.quantiles_px, visit);
}

}  // namespace

Eth3dScores EvaluateEth3d(HostImageView<const float> estimate, HostImageView<const float> truth,
                          HostImageView<const std::uint8_t> mask) {
  CheckSameSize(estimate, "the estimate", truth, "the truth");
  const auto largest_px = static_cast<float>(truth.width);
  std::array<std::int64_t, kNumThresholds> num_bad{};
  std::vector<float> errors_px;
  double error_sum = 0, squared_error_sum = 0;
  Eth3dScores scores;
  ForEachEvaluatedPixel(truth, mask, [&](int x, int y, float true_d) {
    ++scores.num_truth;
    const float d = estimate(x, y);
    if (!(std::fabs(d) <= largest_px)) return;  // NaN too
    const float error = std::fabs(d - true_d);
    errors_px.push_back(error);
    error_sum += error;
    squared_error_sum += error * error;
    for (std::size_t i = 0; i < kNumThresholds; ++i) num_bad[i] += error > kEth3dThresholds_px[i];
  });
  if (scores.num_truth == 0) {
    ForEachRate(scores, scores, [](double& rate, double) { rate = kNoScore; });
    return scores;
  }
  scores.num_estimated = static_cast<std::int64_t>(errors_px.size());
  const auto n = static_cast<double>(scores.num_estimated);
  scores.coverage = n / static_cast<double>(scores.num_truth);
  for (std::size_t i = 0; i < kNumThresholds; ++i) {
    const std::int64_t num_holes = scores.num_truth - scores.num_estimated;
    scores.bad[i] = n > 0 ? static_cast<double>(num_bad[i]) / n : 1.0;
    scores.bad_or_holes[i] =
        static_cast<double>(num_bad[i] + num_holes) / static_cast<double>(scores.num_truth);
  }
  scores.mean_error_px = n > 0 ? error_sum / n : kInfinity;
  scores.rms_error_px = n > 0 ? std::sqrt(squared_error_sum / n) : kInfinity;
  scores.quantiles_px = QuantilesOf(std::move(errors_px));
  return scores;
}

Eth3dScores MeanOf(std::span<const Eth3dScores> frames) {
  Eth3dScores mean;
  double n = 0;
  for (const Eth3dScores& frame : frames) {
    if (frame.num_truth == 0) continue;
    ForEachRate(mean, frame, [](double& sum, double rate) { sum += rate; });
    mean.num_truth += frame.num_truth;
    mean.num_estimated += frame.num_estimated;
    ++n;
  }
  ForEachRate(mean, mean, [n](double& rate, double sum) { rate = n > 0 ? sum / n : kNoScore; });
  return mean;
}

}  // namespace parallax
