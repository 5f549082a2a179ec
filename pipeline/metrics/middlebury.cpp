#include "pipeline/metrics/middlebury.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pipeline/metrics/evaluated_pixels.h"

namespace parallax {
namespace {

// How many truth pixels stand side by side under one estimated pixel: 1, 2 or 4.
int ScaleBetween(HostImageView<const float> estimate, HostImageView<const float> truth) {
  for (const int scale : {1, 2, 4}) {
    if (truth.width == scale * estimate.width && truth.height == scale * estimate.height) return scale;
  }
  const auto size = [](const auto& view) {
    return std::to_string(view.width) + "x" + std::to_string(view.height);
  };
  throw InvalidArgument("the estimate is " + size(estimate) + " but the truth is " + size(truth) +
                        ": the truth must be exactly 1, 2 or 4 times as large");
}

// The least that an estimate may be without being clipped.
float LowerLimit(HostImageView<const float> truth) {
  float least = 0;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) least = std::fmin(least, truth(x, y));
  }
  return least;
}

template <typename Visitor>
void ForEachRate(MiddleburyScores& a, const MiddleburyScores& b, Visitor&& visit) {
  for (std::size_t i = 0; i < b.bad.size(); ++i) {
    visit(a.bad[i], b.bad[i]);
    visit(a.totbad[i], b.totbad[i]);
    visit(a.bad_estimated[i], b.bad_estimated[i]);
  }
  visit(a.invalid, b.invalid);
  visit(a.evaluated, b.evaluated);
  visit(a.mean_error_px, b.mean_error_px);
  visit(a.rms_error_px, b.rms_error_px);
  ForEachQuantile(a.quantiles_px, b.quantiles_px, visit);
}

}  // namespace

MiddleburyScores EvaluateMiddlebury(HostImageView<const float> estimate, HostImageView<const float> truth,
                                    HostImageView<const std::uint8_t> mask,
                                    const MiddleburyOptions& options) {
  const int scale = ScaleBetween(estimate, truth);
  const auto factor = static_cast<float>(scale);
  const float least_px = LowerLimit(truth);
  const float largest_px = std::max(least_px, factor * options.max_disparity_px);
  const std::size_t num_thresholds = options.thresholds_px.size();
  std::vector<std::int64_t> num_bad(num_thresholds, 0);
  std::vector<float> errors_px;
  double error_sum = 0, squared_error_sum = 0;
  MiddleburyScores scores;
  ForEachEvaluatedPixel(truth, mask, [&](int x, int y, float true_d) {
    ++scores.num_evaluated;
    float d = factor * estimate(x / scale, y / scale);
    if (std::isnan(d)) {
      ++scores.num_invalid;
      return;
    }
    d = std::clamp(d, least_px, largest_px);
    if (options.round) d = std::round(d);
    const float error = std::fabs(d - true_d);
    errors_px.push_back(error);
    error_sum += error;
    squared_error_sum += static_cast<double>(error) * error;
    for (std::size_t i = 0; i < num_thresholds; ++i) num_bad[i] += error > options.thresholds_px[i];
  });
  const auto n = static_cast<double>(scores.num_evaluated);
  const auto num_valid = static_cast<double>(errors_px.size());
  const auto share = [n](std::int64_t part) { return n > 0 ? static_cast<double>(part) / n : kNoScore; };
  for (const std::int64_t bad : num_bad) {
    scores.bad.push_back(share(bad));
    scores.totbad.push_back(share(bad + scores.num_invalid));
    scores.bad_estimated.push_back(num_valid > 0 ? static_cast<double>(bad) / num_valid : kNoScore);
  }
  scores.invalid = share(scores.num_invalid);
  scores.evaluated = n / (static_cast<double>(truth.width) * truth.height);
  scores.mean_error_px = num_valid > 0 ? error_sum / num_valid : kNoScore;
  scores.rms_error_px = num_valid > 0 ? std::sqrt(squared_error_sum / num_valid) : kNoScore;
  scores.quantiles_px = errors_px.empty() ? ErrorQuantiles{kNoScore, kNoScore, kNoScore, kNoScore}
                                          : QuantilesOf(std::move(errors_px));
  return scores;
}

MiddleburyScores MeanOf(std::span<const MiddleburyScores> frames) {
  MiddleburyScores mean, num;  // num: how many frames have each figure
  if (frames.empty()) return mean;
  const std::vector<double> zeros(frames[0].bad.size(), 0.0);
  mean.bad = mean.totbad = mean.bad_estimated = zeros;
  num.bad = num.totbad = num.bad_estimated = zeros;
  for (const MiddleburyScores& frame : frames) {
    ForEachRate(mean, frame, [](double& sum, double rate) { sum += std::isnan(rate) ? 0 : rate; });
    ForEachRate(num, frame, [](double& count, double rate) { count += std::isnan(rate) ? 0 : 1; });
    mean.num_evaluated += frame.num_evaluated;
    mean.num_invalid += frame.num_invalid;
  }
  ForEachRate(mean, num, [](double& sum, double count) { sum = count > 0 ? sum / count : kNoScore; });
  return mean;
}

}  // namespace parallax
