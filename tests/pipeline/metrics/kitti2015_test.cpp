#include "pipeline/metrics/kitti2015.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallax/error.h"
#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

bool IsWrong(float truth, float estimate) {
  return EvaluateKitti2015(Map(1, {estimate}).ConstView(), Map(1, {truth}).ConstView()).all.num_errors == 1;
}

TEST(Kitti2015, WrongIsAboveThreePixelsAndAboveFivePercent) {
  EXPECT_FALSE(IsWrong(10, 13));        // 3 px is not above 3 px
  EXPECT_TRUE(IsWrong(10, 13.25F));     // both
  EXPECT_FALSE(IsWrong(10, 12.9F));     // 29 % but below 3 px
  EXPECT_FALSE(IsWrong(100, 104));      // above 3 px but 4 %
  EXPECT_TRUE(IsWrong(100, 105.25F));   // both
  EXPECT_FALSE(IsWrong(128, 134.25F));  // 6.25 px, 4.9 %
  EXPECT_TRUE(IsWrong(10, 6.5F));       // below the truth too
}

TEST(Kitti2015, ARatioThatRoundsToTheFloatNextToFivePercentIsAbove) {
  EXPECT_TRUE(IsWrong(100, 105));  // 5 / 100 as float is 0.0500000007
  EXPECT_TRUE(IsWrong(80, 84));
}

TEST(Kitti2015, CountsBackgroundAndForegroundByHand) {
  // Row 0 background, row 1 an object; the last column has no truth.
  const auto truth = Map(4, {10, 10, 10, kMissing, 40, 40, 40, kMissing});
  const auto estimate = Map(4, {10, 20, kMissing, 1, 40, kMissing, 50, 1});
  const auto objects = Mask(4, {0, 0, 0, 0, 1, 7, 7, 7});
  // Filled: row 0 column 2 takes min(20, 1) = 1 (wrong), row 1 column 1 takes min(40, 50) = 40 (right).
  const Kitti2015Counts c = EvaluateKitti2015(estimate.ConstView(), truth.ConstView(), objects.ConstView());
  EXPECT_EQ(c.background, (ErrorCount{2, 3}));
  EXPECT_EQ(c.background_estimated, (ErrorCount{1, 2}));
  EXPECT_EQ(c.foreground, (ErrorCount{1, 3}));
  EXPECT_EQ(c.foreground_estimated, (ErrorCount{1, 2}));
  EXPECT_EQ(c.all, (ErrorCount{3, 6}));
  EXPECT_EQ(c.all_estimated, (ErrorCount{2, 4}));
  EXPECT_DOUBLE_EQ(c.Density(), 4 / 6.0);
  EXPECT_DOUBLE_EQ(c.AllOrHolesRate(), 4 / 6.0);
}

TEST(Kitti2015, WithoutAnObjectMapAllIsBackground) {
  const auto map = Map(2, {5, 6});
  const Kitti2015Counts c = EvaluateKitti2015(map.ConstView(), map.ConstView());
  EXPECT_EQ(c.background, (ErrorCount{0, 2}));
  EXPECT_EQ(c.foreground, ErrorCount{});
  EXPECT_TRUE(std::isnan(c.foreground.Rate()));
}

TEST(Kitti2015, TheTotalIsPooled) {
  Kitti2015Counts total =
      EvaluateKitti2015(Map(4, {9, 9, 9, 9}).ConstView(), Map(4, {9, 9, 9, 9}).ConstView());
  total += EvaluateKitti2015(Map(1, {50}).ConstView(), Map(1, {9}).ConstView());
  EXPECT_DOUBLE_EQ(total.all.Rate(), 0.2);  // 1 of 5 pixels, not the mean of 0 and 1
}

TEST(Kitti2015, EveryCountOfTheTotalIsPooled) {
  // An object's wrong pixel, one of the background without an estimate (filled with 50, wrong), one with (right).
  const Kitti2015Counts c =
      EvaluateKitti2015(Map(3, {50, kMissing, 10}).ConstView(), Map(3, {40, 90, 10}).ConstView(),
                        Mask(3, {1, 0, 0}).ConstView());
  Kitti2015Counts total = c;
  total += c;
  EXPECT_EQ(total.background, (ErrorCount{2, 4}));
  EXPECT_EQ(total.background_estimated, (ErrorCount{0, 2}));
  EXPECT_EQ(total.foreground, (ErrorCount{2, 2}));
  EXPECT_EQ(total.foreground_estimated, (ErrorCount{2, 2}));
  EXPECT_EQ(total.all, (ErrorCount{4, 6}));
  EXPECT_EQ(total.all_estimated, (ErrorCount{2, 4}));
}

TEST(Kitti2015, AnEmptyEstimateIsMinusOneAndHasNoEstimatedRate) {
  const Kitti2015Counts c =
      EvaluateKitti2015(Map(2, {kMissing, kMissing}).ConstView(), Map(2, {1, 9}).ConstView());
  EXPECT_EQ(c.all, (ErrorCount{1, 2}));  // errors 2 and 10
  EXPECT_TRUE(std::isnan(c.all_estimated.Rate()));
  EXPECT_DOUBLE_EQ(c.Density(), 0);
  EXPECT_DOUBLE_EQ(c.AllOrHolesRate(), 1);
}

TEST(Kitti2015, SizesMustAgree) {
  const auto map = Map(2, {1, 2});
  const auto other = Mask(1, {0, 0});
  EXPECT_THROW(EvaluateKitti2015(map.ConstView(), Map(1, {1, 2}).ConstView()), InvalidArgument);
  EXPECT_THROW(EvaluateKitti2015(map.ConstView(), map.ConstView(), other.ConstView()), InvalidArgument);
  EXPECT_THROW(EvaluateKitti2015(map.ConstView(), map.ConstView(), {}, other.ConstView()), InvalidArgument);
}

}  // namespace
}  // namespace parallax
