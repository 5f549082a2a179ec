#include "pipeline/types/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace parallax {
namespace {

TEST(FixedPoint, RoundsToSixteenths) {
  EXPECT_EQ(FixedPointOf(0.0F, 0), 0);
  EXPECT_EQ(FixedPointOf(1.0F, 0), 16);
  EXPECT_EQ(FixedPointOf(7.03F, 0), 112);  // 112.48
  EXPECT_EQ(FixedPointOf(7.04F, 0), 113);  // 112.64
  EXPECT_EQ(FixedPointOf(-2.5F, -8), -40);
  EXPECT_EQ(FixedPointOf(0.03125F, 0), 0);  // a half: to even
  EXPECT_EQ(FixedPointOf(0.09375F, 0), 2);
}

TEST(FixedPoint, InvalidIsOneBelowTheSmallest) {
  EXPECT_EQ(FixedPointOf(std::nanf(""), 0), -16);
  EXPECT_EQ(FixedPointOf(std::nanf(""), 5), 64);
  EXPECT_EQ(FixedPointOf(std::nanf(""), -16384), std::numeric_limits<std::int16_t>::min());
}

TEST(FixedPoint, StopsAtTheLastStep) {
  EXPECT_EQ(FixedPointOf(3000.0F, 0), std::numeric_limits<std::int16_t>::max());
  EXPECT_EQ(FixedPointOf(-3000.0F, 0), std::numeric_limits<std::int16_t>::min());
}

TEST(FixedPoint, WholeImages) {
  HostImage<float> disparity(5, 3, 2.0F);
  disparity(4, 2) = std::nanf("");
  HostImage<std::int16_t> steps(5, 3, 99);
  ToFixedPoint(disparity.ConstView(), 1, steps.View());
  EXPECT_EQ(steps(0, 0), 32);
  EXPECT_EQ(steps(3, 2), 32);
  EXPECT_EQ(steps(4, 2), 0);
}

}  // namespace
}  // namespace parallax
