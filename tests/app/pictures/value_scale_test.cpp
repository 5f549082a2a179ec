#include "app/pictures/value_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/pictures/colormap.h"
#include "tests/support/nan.h"

namespace parallax::app {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<std::string> Texts(const ValueScale& scale) {
  std::vector<std::string> texts;
  for (const ScaleTick& tick : TicksOf(scale)) texts.push_back(tick.text);
  return texts;
}

TEST(ValueScale, PositionsAreEvenInTheValueOrItsLogarithm) {
  const ValueScale linear{"m", 2, 6, false}, logarithmic{"m", 1, 100, true};
  EXPECT_FLOAT_EQ(linear.Position(3), 0.25F);
  EXPECT_FLOAT_EQ(linear.Position(1), 0);
  EXPECT_FLOAT_EQ(linear.Position(7), 1);
  EXPECT_FLOAT_EQ(logarithmic.Position(10), 0.5F);
  EXPECT_FLOAT_EQ(logarithmic.Position(0), 0);
  for (const ValueScale& scale : {linear, logarithmic}) {
    EXPECT_EQ(scale.Position(kInf), 1);
    EXPECT_EQ(scale.Position(-kInf), 0);
    EXPECT_TRUE(std::isnan(scale.Position(kNan)));
  }
}

TEST(ValueScale, TicksAreRoundNumbersInside) {
  EXPECT_THAT(Texts({"", 0, 1, false}), testing::ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
  EXPECT_THAT(Texts({"", 1.3, 17, false}), testing::ElementsAre("5", "10", "15"));
  EXPECT_THAT(Texts({"", 0.9, 1100, true}), testing::ElementsAre("1", "10", "100", "1000"));
  EXPECT_THAT(Texts({"", 40, 700, true}), testing::ElementsAre("50", "100", "200", "500"));
  for (const double high : {1.01, 1.5, 3.0, 12.0, 1e3, 1e7, 1e20}) {
    for (const bool logarithmic : {false, true}) {
      const ValueScale scale{"", 1, high, logarithmic};
      const std::vector<ScaleTick> ticks = TicksOf(scale);
      EXPECT_GE(ticks.size(), 2U) << high << logarithmic;
      EXPECT_LE(ticks.size(), 9U) << high << logarithmic;
      for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i].position, ticks[i - 1].position);
    }
  }
}

TEST(QuantileOf, PassesOverNan) {
  const std::vector<float> values = {kNan, 5, 1, kInf, 3, 2};
  EXPECT_EQ(QuantileOf(values, 0), 1);
  EXPECT_EQ(QuantileOf(values, 0.5), 3);
  EXPECT_EQ(QuantileOf(values, 1), kInf);
  EXPECT_TRUE(std::isnan(QuantileOf(std::vector<float>{kNan}, 0.5)));
}

TEST(RobustScale, FewExtremeValuesDoNotMatter) {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(static_cast<float>(i));
  values.insert(values.end(), {1e9F, kInf, kNan});
  const ValueScale scale = RobustScale(values, "x");
  EXPECT_NEAR(scale.low, 10, 1);
  EXPECT_NEAR(scale.high, 991, 1);
}

TEST(RobustScale, EveryInputGivesARange) {
  for (const std::vector<float>& values :
       {std::vector<float>{}, {kNan}, {kInf, kInf}, {0}, {3, 3, 3}, {-2, -2}, {0, 0, 5}}) {
    for (const bool logarithmic : {false, true}) {
      const ValueScale scale = RobustScale(values, "x", logarithmic);
      EXPECT_LT(scale.low, scale.high);
      EXPECT_TRUE(!logarithmic || scale.low > 0);
      EXPECT_FALSE(TicksOf(scale).empty());
    }
  }
}

TEST(ColorValues, AreThoseOfTheColourMap) {
  const ValueScale scale{"x", 0, 2, false};
  const std::vector<float> values = {0, 1, 2, kNan};
  EXPECT_EQ(ColorValues(values, scale),
            (std::vector<Rgb8>{ColorOf(0), ColorOf(0.5F), ColorOf(1), kNoValueColor}));
}

}  // namespace
}  // namespace parallax::app
