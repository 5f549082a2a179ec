#include "pipeline/metrics/sigma_scores.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "pipeline/metrics/evaluated_pixels.h"

namespace parallax {

UncertaintyScores EvaluateUncertainty(HostImageView<const float> estimate, HostImageView<const float> sigma,
                                      HostImageView<const float> truth) {
  CheckSameSize(estimate, "the estimate", truth, "the truth");
  CheckSameSize(sigma, "the uncertainty", truth, "the truth");
  std::int64_t num_counted = 0, num_within_one = 0, num_within_two = 0;
  double sum_px = 0;
  ForEachEvaluatedPixel(truth, {}, [&](int x, int y, float true_d) {
    const float error = std::fabs(estimate(x, y) - true_d), s = sigma(x, y);
    if (!(error < kLargestSigmaError_px)) return;  // NaN without an estimate
    ++num_counted;
    num_within_one += error <= s ? 1 : 0;
    num_within_two += error <= 2 * s ? 1 : 0;
    sum_px += static_cast<double>(s);
  });
  if (num_counted == 0) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, kNone};
  }
  const auto count = static_cast<double>(num_counted);
  return {static_cast<double>(num_within_one) / count, static_cast<double>(num_within_two) / count,
          sum_px / count};
}

}  // namespace parallax
