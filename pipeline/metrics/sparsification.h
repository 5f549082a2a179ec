// Whether confidence tells right from wrong: what is left wrong as the least confident pixels go.
#pragma once

#include <array>
#include <cstdint>

namespace parallax {

// Right and wrong pixels of each confidence 0 .. 255.
struct ConfidenceCounts {
  std::array<std::int64_t, 256> right{}, wrong{};

  void Count(std::uint8_t confidence, bool is_wrong) { ++(is_wrong ? wrong : right)[confidence]; }
};

// The sparsification curve of n pixels says, for k = 1 .. n, which share of the k most confident is wrong;
// pixels of equal confidence share their errors evenly. NaN without pixels.
struct SparsificationScores {
  double area = 0;  // the mean of the curve, 0 .. 1
  double best_area =
      0;  // of the best order for these errors: every wrong pixel goes before the first right one
  // The share of the wrong pixels that are among the less confident half; NaN when none is wrong.
  double errors_below_median = 0;
};

SparsificationScores EvaluateSparsification(const ConfidenceCounts& counts);

}  // namespace parallax
