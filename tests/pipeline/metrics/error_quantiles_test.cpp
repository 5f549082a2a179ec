#include "pipeline/metrics/error_quantiles.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parallax {
namespace {

TEST(ErrorQuantiles, AreElementsBelowNotBetweenAndNotAbove) {
  // Of 7: elements floor(3.5) = 3, floor(6.3) = 6, 6 and 6; in any order.
  const ErrorQuantiles seven = QuantilesOf({6, 2, 0, 4, 5, 1, 3});
  EXPECT_EQ(seven.a50, 3);
  EXPECT_EQ(seven.a90, 6);
  std::vector<float> errors;
  for (int i = 0; i < 111; ++i) errors.push_back(static_cast<float>(i));
  const ErrorQuantiles many = QuantilesOf(errors);
  EXPECT_EQ(many.a50, 55);   // 55.5
  EXPECT_EQ(many.a90, 99);   // 99.9
  EXPECT_EQ(many.a95, 105);  // 105.45
  EXPECT_EQ(many.a99, 109);  // 109.89
}

TEST(ErrorQuantiles, OfOneErrorAreThatAndOfNoneInfinite) {
  const ErrorQuantiles one = QuantilesOf({2.5F});
  EXPECT_EQ(one.a50, 2.5);
  EXPECT_EQ(one.a99, 2.5);
  EXPECT_TRUE(std::isinf(QuantilesOf({}).a50));
}

}  // namespace
}  // namespace parallax
