#include "pipeline/metrics/sparsification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace parallax {
namespace {

// From the most to the least confident: right, right, right, wrong. The curve is 0, 0, 0, 1/4.
TEST(Sparsification, PerfectOrderReachesTheBestArea) {
  ConfidenceCounts counts;
  for (const int confidence : {250, 200, 100}) counts.Count(static_cast<std::uint8_t>(confidence), false);
  counts.Count(7, true);
  const SparsificationScores scores = EvaluateSparsification(counts);
  EXPECT_DOUBLE_EQ(scores.area, 0.0625);
  EXPECT_DOUBLE_EQ(scores.best_area, 0.0625);
  EXPECT_DOUBLE_EQ(scores.errors_below_median, 1);
}

// wrong, right, right, right: 1, 1/2, 1/3, 1/4.
TEST(Sparsification, ReversedOrderIsTheWorst) {
  ConfidenceCounts counts;
  counts.Count(255, true);
  for (const int confidence : {3, 2, 0}) counts.Count(static_cast<std::uint8_t>(confidence), false);
  const SparsificationScores scores = EvaluateSparsification(counts);
  EXPECT_DOUBLE_EQ(scores.area, (1 + 1 / 2. + 1 / 3. + 1 / 4.) / 4);
  EXPECT_DOUBLE_EQ(scores.best_area, 0.0625);
  EXPECT_DOUBLE_EQ(scores.errors_below_median, 0);
}

// Two of five are wrong and all are equally sure: 2/5 is left wrong however many go.
TEST(Sparsification, EqualConfidenceSharesErrors) {
  ConfidenceCounts counts;
  for (int i = 0; i < 5; ++i) counts.Count(9, i < 2);
  const SparsificationScores scores = EvaluateSparsification(counts);
  EXPECT_DOUBLE_EQ(scores.area, 0.4);
  EXPECT_DOUBLE_EQ(scores.best_area, (1 / 4. + 2 / 5.) / 5);
  EXPECT_DOUBLE_EQ(scores.errors_below_median, 0.5);
}

// Three pixels: the median pixel, which is the wrong one, belongs half to either side.
TEST(Sparsification, MedianPixelIsDivided) {
  ConfidenceCounts counts;
  counts.Count(30, false);
  counts.Count(20, true);
  counts.Count(10, false);
  EXPECT_DOUBLE_EQ(EvaluateSparsification(counts).errors_below_median, 0.5);
}

TEST(Sparsification, WithoutPixelsOrErrors) {
  EXPECT_TRUE(std::isnan(EvaluateSparsification({}).area));
  ConfidenceCounts counts;
  counts.Count(4, false);
  const SparsificationScores scores = EvaluateSparsification(counts);
  EXPECT_EQ(scores.area, 0);
  EXPECT_EQ(scores.best_area, 0);
  EXPECT_TRUE(std::isnan(scores.errors_below_median));
}

}  // namespace
}  // namespace parallax
