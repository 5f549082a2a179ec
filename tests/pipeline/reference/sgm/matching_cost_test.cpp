#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "tests/support/images.h"

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
  MatchingCost(left.ConstView(), right.ConstView(), 0, tables, costs.View(), threads);
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
  MatchingCost(left.ConstView(), right.ConstView(), -2, tables, costs.View(), threads);  // disparities -2, -1
  const auto c = costs.ConstView();
  EXPECT_EQ(c(0, 0, 0), 3);
  EXPECT_EQ(c(0, 0, 1), 2);
  EXPECT_EQ(c(1, 0, 0), 9);
  EXPECT_EQ(c(1, 0, 1), 3);
  EXPECT_EQ(c(2, 0, 1), 9);
}

}  // namespace
}  // namespace parallax::reference
