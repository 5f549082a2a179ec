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

}  // namespace
}  // namespace parallax::reference
