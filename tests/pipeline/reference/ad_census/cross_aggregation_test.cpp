#include <gtest/gtest.h>

#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"
#include "tests/pipeline/reference/ad_census/gray_samples.h"

namespace parallax::reference::ad_census {
namespace {

HostImage<Arms> ArmsOf(const HostImage<Rgb8>& color, const AdCensusParameters& parameters = {}) {
  HostImage<Arms> arms(color.width(), color.height());
  ThreadPool threads(1);
  GrowArms(color.ConstView(), parameters, arms.View(), threads);
  return arms;
}

TEST(AdCensusArms, EndAtADifferenceOfTheThreshold) {
  EXPECT_EQ(ArmsOf(Gray(4, {100, 119, 120, 100}))(0, 0).right, 1);  // 120 - 100 is not below 20
  EXPECT_EQ(ArmsOf(Gray(3, {100, 119, 100}))(0, 0).right, 2);       // down by 19 from its neighbour
  EXPECT_EQ(ArmsOf(Gray(3, {100, 119, 99}))(0, 0).right, 1);        // down by 20 from its neighbour
  EXPECT_EQ(ArmsOf(Gray(1, {100, 110, 119, 130}))(0, 3), (Arms{0, 0, 1, 0}));
}

TEST(AdCensusArms, TakeTheStrictThresholdBeyondTheStrictLength) {
  AdCensusParameters parameters;
  parameters.arm_length_strict = 2;
  EXPECT_EQ(ArmsOf(Gray(5, {100, 110, 110, 105, 106}), parameters)(0, 0).right, 3);
  EXPECT_EQ(ArmsOf(Gray(5, {100, 110, 110, 110, 100}), parameters)(0, 0).right, 2);
}

TEST(AdCensusArms, StayShorterThanTheLengthAndInside) {
  const HostImage<Arms> arms = ArmsOf(Gray(40, std::vector<int>(40, 7)));
  EXPECT_EQ(arms(0, 0), (Arms{0, 33, 0, 0}));
  EXPECT_EQ(arms(38, 0), (Arms{33, 1, 0, 0}));
}

std::vector<int> Aggregated(const HostImage<Rgb8>& color, const std::vector<int>& values, int iterations,
                            HostImageView<const Arms> arms_right = {}) {
  HostCostVolume<std::uint16_t> costs(color.width(), color.height(), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    costs.View().data[i] = static_cast<std::uint16_t>(values[i]);
  const HostImage<Arms> arms = ArmsOf(color);
  ThreadPool threads(1);
  AggregateOverCrosses(arms.ConstView(), arms_right, 0, iterations, costs.View(), threads);
  return {costs.View().data, costs.View().data + values.size()};
}

TEST(AdCensusAggregation, MeansRoundHalvesToEven) {
  EXPECT_EQ(Aggregated(Gray(3, {0, 0, 0}), {0, 3, 9}, 1), (std::vector<int>{4, 4, 4}));
  EXPECT_EQ(Aggregated(Gray(2, {0, 0}), {1, 2}, 1), (std::vector<int>{2, 2}));
  EXPECT_EQ(Aggregated(Gray(2, {0, 0}), {2, 3}, 1), (std::vector<int>{2, 2}));
}

// a b     all alike but the last one
// c E
TEST(AdCensusAggregation, RowsFirstThenColumnsFirst) {
  const HostImage<Rgb8> color = Gray(2, {0, 0, 0, 200});
  // a and c: (a + b) + c; b: a + b.
  EXPECT_EQ(Aggregated(color, {3, 6, 12, 7}, 1), (std::vector<int>{7, 4, 7, 7}));
  // a and b: (a + c) + b; c: a + c.
  EXPECT_EQ(Aggregated(color, {3, 6, 12, 7}, 2), (std::vector<int>{6, 6, 7, 7}));
}

TEST(AdCensusAggregation, ArmsOfBothImagesAreTheShorterOnes) {
  HostImage<Arms> right(3, 1, Arms{});
  right(0, 0).right = 1;
  EXPECT_EQ(Aggregated(Gray(3, {0, 0, 0}), {0, 4, 9}, 1, right.ConstView()), (std::vector<int>{2, 4, 9}));
}

}  // namespace
}  // namespace parallax::reference::ad_census
