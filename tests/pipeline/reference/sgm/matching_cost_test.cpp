#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference {
namespace {

using test::ImageOf;

TEST(MatchingCost, IsTheHammingDistanceToTheShiftedPixel) {
  const auto left = ImageOf<std::uint64_t>({{0b0000, 0b1111, 0b0101}});
  const auto right = ImageOf<std::uint64_t>({{0b0001, 0b1100, std::uint64_t{1} << 61}});
  MatchingTables tables;
  tables.outside_cost = 77;
  ThreadPool threads(1);
  HostCostVolume<std::uint8_t> costs(3, 1, 3);
  MatchingCost({left.ConstView(), {}}, {right.ConstView(), {}}, 0, tables, costs.View(), threads);
  const auto c = costs.ConstView();
  EXPECT_EQ(c(0, 0, 0), 1);
  EXPECT_EQ(c(0, 0, 1), 77);  // x - 1 is outside
  EXPECT_EQ(c(1, 0, 0), 2);
  EXPECT_EQ(c(1, 0, 1), 3);
  EXPECT_EQ(c(1, 0, 2), 77);
  EXPECT_EQ(c(2, 0, 0), 3);  // bit 61 counts
  EXPECT_EQ(c(2, 0, 1), 2);
  EXPECT_EQ(c(2, 0, 2), 1);
}

TEST(MatchingCost, NegativeMinimumLooksToTheRight) {
  const auto left = ImageOf<std::uint64_t>({{0, 0, 0}});
  const auto right = ImageOf<std::uint64_t>({{1, 3, 7}});
  MatchingTables tables;
  tables.outside_cost = 9;
  ThreadPool threads(1);
  HostCostVolume<std::uint8_t> costs(3, 1, 2);
  // Disparities -2 and -1.
  MatchingCost({left.ConstView(), {}}, {right.ConstView(), {}}, -2, tables, costs.View(), threads);
  const auto c = costs.ConstView();
  EXPECT_EQ(c(0, 0, 0), 3);
  EXPECT_EQ(c(0, 0, 1), 2);
  EXPECT_EQ(c(1, 0, 0), 9);
  EXPECT_EQ(c(1, 0, 1), 3);
  EXPECT_EQ(c(2, 0, 1), 9);
}

TEST(GradientAlongRow, IsTheClampedSobelSum) {
  ThreadPool threads(1);
  const auto ramp = ImageOf<std::uint8_t>({{10, 20, 40}, {10, 20, 40}, {10, 20, 40}});
  const auto gradient = GradientAlongRow(ramp.ConstView(), threads);
  for (int y = 0; y < 3; ++y) {
    EXPECT_EQ(gradient(0, y), 127 + 40);  // 80 - 40: beside the first column stands itself
    EXPECT_EQ(gradient(1, y), 127 + 120);
    EXPECT_EQ(gradient(2, y), 127 + 80);
  }
  const auto weights = ImageOf<std::uint8_t>({{0, 0, 1}, {0, 0, 5}, {0, 0, 9}});
  EXPECT_EQ(GradientAlongRow(weights.ConstView(), threads)(1, 1), 127 + 1 + 2 * 5 + 9);
  EXPECT_EQ(GradientAlongRow(ImageOf<std::uint8_t>({{0, 0, 255}}).ConstView(), threads)(1, 0), 254);
  EXPECT_EQ(GradientAlongRow(ImageOf<std::uint8_t>({{255, 0, 0}}).ConstView(), threads)(1, 0), 0);
}

TEST(MatchingCost, AddsTheTruncatedDistanceOfTheGradients) {
  const HostImage<std::uint64_t> census(3, 1, 0);
  const auto left = ImageOf<std::uint8_t>({{127, 137, 127}}),
             right = ImageOf<std::uint8_t>({{127, 127, 120}});
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.gradient_weight = 2;
  parameters.matching_cost.gradient_cap = 4;
  const MatchingTables tables = MakeMatchingTables(parameters);
  EXPECT_EQ(tables.largest_cost, 31 + 8);
  ThreadPool threads(1);
  HostCostVolume<std::uint8_t> costs(3, 1, 1);
  MatchingCost({census.ConstView(), left.ConstView()}, {census.ConstView(), right.ConstView()}, 0, tables,
               costs.View(), threads);
  // Intervals: left [127, 132], [132, 137], [127, 132]; right [127, 127], [123, 127], [120, 124].
  const auto c = costs.ConstView();
  EXPECT_EQ(c(0, 0, 0), 0);
  EXPECT_EQ(c(1, 0, 0), 2 * 4);  // 10 and 5, capped
  EXPECT_EQ(c(2, 0, 0), 2 * 3);  // 3 and 7
}

TEST(CostWeights, FallWhereTheImageIsEven) {
  ThreadPool threads(1);
  const WeightRule rule{.even_weight = 56, .even_below = 300};
  HostImage<std::uint8_t> ramp(64, 8);  // smoothed pixels 4 px apart differ by 4 gray levels
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 64; ++x) ramp(x, y) = static_cast<std::uint8_t>(x);
  }
  const auto weights = CostWeights(ramp.ConstView(), rule, threads);
  ASSERT_EQ(weights.width(), 8);
  ASSERT_EQ(weights.height(), 1);
  EXPECT_EQ(weights(3, 0), 56 + 66);  // of 200, a third
  // Columns 0 .. 23: 8 + 12 + 15 + 21 * 16, times 4 along columns, 371 * 4 * 8 / (16 * 192) = 3.86 gray levels.
  EXPECT_EQ(weights(0, 0), 56 + 57);
  EXPECT_EQ(weights(7, 0), 56 + 57);
  EXPECT_EQ(CostWeights(ramp.ConstView(), {56, 400}, threads)(3, 0), 56);
  EXPECT_EQ(CostWeights(ramp.ConstView(), {56, 200}, threads)(3, 0), 256);
  EXPECT_EQ(CostWeights(ImageOf<std::uint8_t>({{200}}).ConstView(), {56, 0}, threads)(0, 0), 56);
}

TEST(CostWeights, LookTwoTilesAround) {
  ThreadPool threads(1);
  const WeightRule rule{.even_weight = 100, .even_below = 1};
  HostImage<std::uint8_t> image(80, 88, 0);
  for (int y = 40; y < 48; ++y) {
    for (int x = 40; x < 48; ++x) image(x, y) = 255;
  }
  const auto weights = CostWeights(image.ConstView(), rule, threads);
  for (int y = 0; y < weights.height(); ++y) {
    for (int x = 0; x < weights.width(); ++x) {
      // Smoothed pixels next to the tile differ, too.
      const bool near = x >= 2 && x <= 8 && y >= 2 && y <= 8;
      EXPECT_EQ(weights(x, y), near ? 256 : 100) << x << " " << y;
    }
  }
}

TEST(WeighCosts, MultipliesAndRoundsDown) {
  ThreadPool threads(1);
  HostCostVolume<std::uint8_t> volume(9, 1, 2);
  const auto costs = volume.View();
  for (int x = 0; x < 9; ++x) costs(x, 0, 0) = 100, costs(x, 0, 1) = 127;
  const auto weights = ImageOf<std::uint16_t>({{113, 256}});
  WeighCosts(weights.ConstView(), costs, threads);
  EXPECT_EQ(costs(7, 0, 0), 44);  // 44.1
  EXPECT_EQ(costs(7, 0, 1), 56);
  EXPECT_EQ(costs(8, 0, 0), 100);
  EXPECT_EQ(costs(8, 0, 1), 127);
}

TEST(MatchingTables, WeightsAreRounded) {
  Parameters parameters = test::PlainParameters();
  EXPECT_FALSE(MakeMatchingTables(parameters).weights.weighs());
  parameters.matching_cost.even_percent = 33;
  parameters.matching_cost.even_below = 0.875F;
  EXPECT_EQ(MakeMatchingTables(parameters).weights.even_weight, 84U);  // 84.48
  EXPECT_EQ(MakeMatchingTables(parameters).weights.even_below, 88U);
}

}  // namespace
}  // namespace parallax::reference
