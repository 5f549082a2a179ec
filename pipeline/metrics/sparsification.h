// How well confidence separates right from wrong pixels: the errors that remain as the least confident pixels
// are removed.
#pragma once

#include <array>
#include <cstdint>

namespace parallax {

// Right and wrong pixels of each confidence 0 .. 255.
struct ConfidenceCounts {
  std::array<std::int64_t, 256> right{}, wrong{};

  void Count(std::uint8_t confidence, bool is_wrong) { ++(is_wrong ? wrong : right)[confidence]; }
};

// The sparsification curve of n pixels: for k = 1 .. n, the share of wrong pixels among the k most confident;
// pixels of equal confidence share their errors evenly. NaN without pixels.
struct SparsificationScores {
  double area = 0;       // the mean of the curve, 0 .. 1
  double best_area = 0;  // of the best possible order: every wrong pixel is removed before any right one
  // The share of the wrong pixels that are in the less confident half; NaN if none is wrong.
  double errors_below_median = 0;
};

SparsificationScores EvaluateSparsification(const ConfidenceCounts& counts);

}  // namespace parallax
