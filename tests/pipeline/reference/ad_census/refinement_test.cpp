#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"
#include "tests/pipeline/reference/ad_census/gray_samples.h"

namespace parallax::reference::ad_census {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Pixels without a value have the bit fault.
DisparityMap MapOf(int width, const std::vector<float>& values, std::uint8_t fault = kMismatched) {
  const int height = static_cast<int>(values.size()) / width;
  DisparityMap map{{width, height}, {width, height, kValid}, {width, height, 0}};
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    const float value = values[static_cast<std::size_t>(i)];
    map.disparity(i % width, i / width) = value;
    if (std::isnan(value)) map.validity(i % width, i / width) = fault;
  }
  return map;
}

// --- voting -------------------------------------------------------------------
class AdCensusVoting : public ::testing::Test {
 protected:
  AdCensusVoting() { parameters_.voting_iterations = 1, parameters_.voting_min_votes = 1; }
  // Arms of one row reach reach pixels.
  DisparityMap Voted(const std::vector<float>& values, std::uint8_t reach) {
    const int width = static_cast<int>(values.size());
    HostImage<Arms> arms(width, 1);
    for (int x = 0; x < width; ++x)
      arms(x, 0) = {std::min(reach, static_cast<std::uint8_t>(x)),
                    std::min(reach, static_cast<std::uint8_t>(width - 1 - x)), 0, 0};
    DisparityMap map = MapOf(width, values);
    ThreadPool threads(1);
    VoteInRegions(arms.ConstView(), -2, 16, parameters_, map, threads);
    return map;
  }
  AdCensusParameters parameters_;
};

TEST_F(AdCensusVoting, TheCommonestWins) {
  const DisparityMap map = Voted({-1, -1, kNone, 4, -1}, 4);
  EXPECT_EQ(map.disparity(2, 0), -1);
  EXPECT_EQ(map.validity(2, 0), kMismatched | kFilled);
  EXPECT_EQ(map.disparity(3, 0), 4);  // has a value of its own
}
TEST_F(AdCensusVoting, TheLowestOfEqualOnes) { EXPECT_EQ(Voted({5, kNone, 3}, 2).disparity(1, 0), 3); }
TEST_F(AdCensusVoting, MoreThanTheVotesAndTheShareAreNeeded) {
  parameters_.voting_min_percent = 50;
  EXPECT_TRUE(std::isnan(Voted({5, kNone, 3}, 2).disparity(1, 0)));  // one of two is no more than a half
  EXPECT_EQ(Voted({5, kNone, 5}, 2).disparity(1, 0), 5);
  parameters_.voting_min_votes = 2;
  EXPECT_TRUE(std::isnan(Voted({5, kNone, 5}, 2).disparity(1, 0)));
}
TEST_F(AdCensusVoting, VotesAreThoseOfTheIterationBefore) {
  const std::vector<float> row = {5, 5, kNone, kNone, kNone};
  EXPECT_TRUE(std::isnan(Voted(row, 2).disparity(3, 0)));
  parameters_.voting_iterations = 2;
  EXPECT_EQ(Voted(row, 2).disparity(3, 0), 5);
  EXPECT_TRUE(std::isnan(Voted(row, 2).disparity(4, 0)));
}

// --- interpolation ------------------------------------------------------------
TEST(AdCensusInterpolation, OccludedTakesTheLowestMismatchedTheMostSimilar) {
  const HostImage<Rgb8> color = Gray(3, {100, 101, 150});
  ThreadPool threads(1);
  DisparityMap occluded = MapOf(3, {5, kNone, 2}, kOccluded), mismatched = MapOf(3, {5, kNone, 2});
  Interpolate(color.ConstView(), occluded, threads);
  Interpolate(color.ConstView(), mismatched, threads);
  EXPECT_EQ(occluded.disparity(1, 0), 2);
  EXPECT_EQ(occluded.validity(1, 0), kOccluded | kFilled);
  EXPECT_EQ(mismatched.disparity(1, 0), 5);
  DisparityMap outside = MapOf(3, {5, kNone, 2}, kOutOfRange);
  Interpolate(color.ConstView(), outside, threads);
  EXPECT_EQ(outside.disparity(1, 0), 5);
}

TEST(AdCensusInterpolation, LooksAlongSixteenDirections) {
  const HostImage<Rgb8> color = Gray(5, std::vector<int>(25, 0));
  int num_found = 0;
  for (int v = 0; v < 5; ++v) {
    for (int u = 0; u < 5; ++u) {
      std::vector<float> values(25, kNone);
      values[static_cast<std::size_t>(5 * v + u)] = 7;
      DisparityMap map = MapOf(5, values);
      ThreadPool threads(1);
      Interpolate(color.ConstView(), map, threads);
      num_found += !std::isnan(map.disparity(2, 2)) && (u != 2 || v != 2);
    }
  }
  EXPECT_EQ(num_found, 24);  // the whole square of 5 x 5 around it: eight nearest, sixteen beyond
}

TEST(AdCensusInterpolation, NothingFoundStays) {
  DisparityMap map = MapOf(2, {kNone, kNone});
  ThreadPool threads(1);
  Interpolate(Gray(2, {0, 0}).ConstView(), map, threads);
  EXPECT_TRUE(std::isnan(map.disparity(0, 0)));
  EXPECT_EQ(map.validity(0, 0), kMismatched);
}

// --- discontinuities ------------------------------------------------------------
TEST(AdCensusDiscontinuities, APixelAtAnEdgeTakesTheCheaperDisparityBesideIt) {
  HostCostVolume<std::uint16_t> sums(3, 1, 8);
  std::fill_n(sums.View().data, 24, std::uint16_t{100});
  sums.View()(0, 0, 6) = 50;   // at an edge
  sums.View()(2, 0, 6) = 100;  // not cheaper
  DisparityMap map = MapOf(3, {3, 6, 2});
  ThreadPool threads(1);
  AdjustDiscontinuities(sums.ConstView(), 0, map, threads);
  EXPECT_EQ(map.disparity(0, 0), 6);
  EXPECT_EQ(map.disparity(1, 0), 6);
  EXPECT_EQ(map.disparity(2, 0), 2);
  map = MapOf(3, {5, 6, 5});  // steps of 1 are no edges
  AdjustDiscontinuities(sums.ConstView(), 0, map, threads);
  EXPECT_EQ(map.disparity(0, 0), 5);
}

// --- sub-pixel --------------------------------------------------------------------
TEST(AdCensusSubpixel, RefinesMinimaOnly) {
  HostCostVolume<std::uint16_t> sums(4, 1, 3);
  for (int x = 0; x < 4; ++x) {
    sums.View()(x, 0, 0) = 30, sums.View()(x, 0, 1) = 10, sums.View()(x, 0, 2) = 20;
  }
  sums.View()(3, 0, 0) = 9;
  DisparityMap map = MapOf(4, {6, 5, kNone, 6});
  ThreadPool threads(1);
  RefineSubpixel(sums.ConstView(), 5, Subpixel::kParabola, map, threads);
  EXPECT_FLOAT_EQ(map.disparity(0, 0), 6 + 10.0F / 60.0F);  // (20 - 10) / (2 (20 + 10))
  EXPECT_EQ(map.disparity(1, 0), 5);                        // the first disparity
  EXPECT_TRUE(std::isnan(map.disparity(2, 0)));
  EXPECT_EQ(map.disparity(3, 0), 6);  // no minimum
}

}  // namespace
}  // namespace parallax::reference::ad_census
