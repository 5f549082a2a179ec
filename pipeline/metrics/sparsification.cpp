#include "pipeline/metrics/sparsification.h"

#include <algorithm>
#include <numeric>

#include "pipeline/metrics/evaluated_pixels.h"

namespace parallax {

SparsificationScores EvaluateSparsification(const ConfidenceCounts& counts) {
  const std::int64_t num_right = std::accumulate(counts.right.begin(), counts.right.end(), std::int64_t{0});
  const std::int64_t num_wrong = std::accumulate(counts.wrong.begin(), counts.wrong.end(), std::int64_t{0});
  const std::int64_t num_pixels = num_right + num_wrong;
  if (num_pixels == 0) return {kNoScore, kNoScore, kNoScore};

  double sum = 0, best_sum = 0;
  double wrong_before = 0;      // among the pixels of higher confidence
  std::int64_t num_before = 0;  // pixels of higher confidence
  const double half = static_cast<double>(num_pixels) / 2;
  double wrong_in_upper_half = 0;
  for (int confidence = 255; confidence >= 0; --confidence) {
    const std::int64_t wrong_here = counts.wrong[confidence];
    const std::int64_t num_here = counts.right[confidence] + wrong_here;
    if (num_here == 0) continue;
    const double rate = static_cast<double>(wrong_here) / static_cast<double>(num_here);
    for (std::int64_t i = 1; i <= num_here; ++i) {
      sum += (wrong_before + rate * static_cast<double>(i)) / static_cast<double>(num_before + i);
    }
    const double in_upper_half =
        std::clamp(half - static_cast<double>(num_before), 0.0, static_cast<double>(num_here));
    wrong_in_upper_half += rate * in_upper_half;
    wrong_before += static_cast<double>(wrong_here);
    num_before += num_here;
  }
  for (std::int64_t k = num_right + 1; k <= num_pixels; ++k) {
    best_sum += static_cast<double>(k - num_right) / static_cast<double>(k);
  }
  const auto n = static_cast<double>(num_pixels);
  return {sum / n, best_sum / n,
          num_wrong == 0 ? kNoScore : 1 - wrong_in_upper_half / static_cast<double>(num_wrong)};
}

}  // namespace parallax
