#include <gtest/gtest.h>

#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"

namespace parallax::reference::ad_census {
namespace {

// Sums of a row of two pixels with the costs {10, 500} and {400, 20}.
std::vector<int> SumsOf(std::uint8_t left_step, std::uint8_t right_step) {
  HostCostVolume<std::uint16_t> costs(2, 1, 2), sums(2, 1, 2);
  costs.View()(0, 0, 0) = 10, costs.View()(0, 0, 1) = 500;
  costs.View()(1, 0, 0) = 400, costs.View()(1, 0, 1) = 20;
  HostImage<Rgb8> left(2, 1, Rgb8{}), right(2, 1, Rgb8{});
  left(1, 0).g = left_step, right(1, 0).b = right_step;
  ThreadPool threads(1);
  OptimizeScanlines(costs.ConstView(), left.ConstView(), right.ConstView(), 0, 15, MakeAdCensusTables({}),
                    sums.View(), threads);
  return {sums.View().data, sums.View().data + 4};
}

// Up and down, a row of one gives its costs.
TEST(AdCensusScanlines, WithoutSteps) {
  // To the right: {400, 20 + 500 - 10}; to the left: {10 + 400 - 20, 500}.
  EXPECT_EQ(SumsOf(0, 0),
            (std::vector<int>{10 + 390 + 20, 500 + 500 + 1000, 400 + 400 + 800, 510 + 20 + 40}));
  EXPECT_EQ(SumsOf(14, 14), SumsOf(0, 0));
}

TEST(AdCensusScanlines, AStepInOneImageQuartersThePenalties) {
  // To the right: {400, 20 + (10 + 128) - 10}; to the left: {10 + (20 + 128) - 20, 500}.
  EXPECT_EQ(SumsOf(15, 0),
            (std::vector<int>{10 + 138 + 20, 500 + 500 + 1000, 400 + 400 + 800, 148 + 20 + 40}));
}

TEST(AdCensusScanlines, StepsInBothTenthThem) {
  // At d = 0 both step, at d = 1 the partner or its neighbour is outside: no step there.
  EXPECT_EQ(SumsOf(15, 15),
            (std::vector<int>{10 + 61 + 20, 500 + 500 + 1000, 400 + 400 + 800, 148 + 20 + 40}));
}

}  // namespace
}  // namespace parallax::reference::ad_census
