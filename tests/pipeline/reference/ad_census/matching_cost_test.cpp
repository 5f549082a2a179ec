#include <gtest/gtest.h>

#include "pipeline/reference/ad_census/reference_stages.h"
#include "pipeline/rules/pixel_color.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference::ad_census {
namespace {

HostImage<Rgb8> Row(std::initializer_list<Rgb8> pixels) {
  HostImage<Rgb8> row(static_cast<int>(pixels.size()), 1);
  std::copy(pixels.begin(), pixels.end(), row.Row(0));
  return row;
}

TEST(AdCensusMatchingCost, ByHand) {
  Parameters parameters = test::PlainParameters();
  parameters.census_transform.window = CensusWindow::k9x7;
  const AdCensusTables tables = MakeAdCensusTables(parameters);
  const HostImage<Rgb8> left = Row({{10, 10, 10}, {40, 40, 40}}), right = Row({{10, 10, 10}, {30, 30, 30}});
  HostImage<std::uint64_t> census_left(2, 1), census_right(2, 1);
  census_left(0, 0) = 0b11, census_left(1, 0) = 0;
  census_right(0, 0) = 0b01, census_right(1, 0) = 0;
  HostCostVolume<std::uint16_t> costs(2, 1, 2);
  ThreadPool threads(1);
  MatchingCost(left.ConstView(), right.ConstView(), census_left.ConstView(), census_right.ConstView(), 0,
               ColorDifference::kMean, tables, costs.View(), threads);
  EXPECT_EQ(costs.View()(0, 0, 0), 0 + 17);    // equal colours, one bit
  EXPECT_EQ(costs.View()(0, 0, 1), 404);       // outside
  EXPECT_EQ(costs.View()(1, 0, 0), 324 + 0);   // 10 gray levels
  EXPECT_EQ(costs.View()(1, 0, 1), 487 + 17);  // 30 gray levels, 512 (1 - exp(-3)) = 486.5
}

TEST(AdCensusMatchingCost, MeanAndMaximumOfTheChannels) {
  const AdCensusTables tables = MakeAdCensusTables({});
  const HostImage<Rgb8> left = Row({{30, 0, 7}}), right = Row({{0, 0, 7}});
  HostImage<std::uint64_t> census(1, 1, 0);
  HostCostVolume<std::uint16_t> costs(1, 1, 1);
  ThreadPool threads(1);
  MatchingCost(left.ConstView(), right.ConstView(), census.ConstView(), census.ConstView(), 0,
               ColorDifference::kMean, tables, costs.View(), threads);
  EXPECT_EQ(costs.View()(0, 0, 0), 324);
  MatchingCost(left.ConstView(), right.ConstView(), census.ConstView(), census.ConstView(), 0,
               ColorDifference::kMaximum, tables, costs.View(), threads);
  EXPECT_EQ(costs.View()(0, 0, 0), 487);
}

TEST(AdCensusColor, OfGrayHasEqualChannelsOfEightBits) {
  const HostImage<std::uint16_t> deep(1, 1, 0x1234);
  EXPECT_EQ(RgbImage(deep.ConstView())(0, 0), (Rgb8{0x12, 0x12, 0x12}));
  const HostImage<std::uint8_t> gray(1, 1, 9);
  EXPECT_EQ(RgbImage(gray.ConstView())(0, 0), (Rgb8{9, 9, 9}));
  EXPECT_EQ(ColorDistance({1, 20, 3}, {4, 10, 3}), 10);
}

}  // namespace
}  // namespace parallax::reference::ad_census
