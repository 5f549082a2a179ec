#include "pipeline/uncertainty/uncertainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "parallax/error.h"
#include "pipeline/cloud/reprojection.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/metrics/sigma_scores.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Factors that tell every class from every other.
UncertaintyParameters Table() {
  UncertaintyParameters table;
  for (std::size_t i = 0; i < table.confidence_px.size(); ++i)
    table.confidence_px[i] = 1 + static_cast<float>(i) / 16;
  for (std::size_t i = 0; i < table.bend.size(); ++i) table.bend[i] = static_cast<float>(1U << i);
  table.gaps = {1, 128, 1024, 8192, 65536, 524288, 4194304};
  table.rejected = 0.5F;
  return table;
}

DisparityMap EvenMap(int width, int height, std::uint8_t confidence = 0) {
  return {HostImage<float>(width, height, 10), HostImage<std::uint8_t>(width, height, std::uint8_t{0}),
          HostImage<std::uint8_t>(width, height, confidence)};
}

TEST(Uncertainty, FollowsTheConfidence) {
  const UncertaintyParameters table = Table();
  for (int confidence = 0; confidence < 256; ++confidence) {
    const DisparityMap map = EvenMap(5, 5, static_cast<std::uint8_t>(confidence));
    EXPECT_EQ(SigmaOfDisparity(table, map)(2, 2),
              table.confidence_px[static_cast<std::size_t>(std::min(confidence / 20, 10))])
        << confidence;
  }
}

TEST(Uncertainty, FollowsTheBendOfTheSurface) {
  const UncertaintyParameters table = Table();
  const auto at_centre = [&](float before, float at, float after) {
    DisparityMap map = EvenMap(5, 1);
    map.disparity(0, 0) = before, map.disparity(2, 0) = at, map.disparity(4, 0) = after;
    return SigmaOfDisparity(table, map)(2, 0);
  };
  EXPECT_EQ(at_centre(10, 10, 10), 1);
  EXPECT_EQ(at_centre(4, 10, 16), 1) << "a slope is no bend";
  EXPECT_EQ(at_centre(10, 10, 10 + 1.0F / 64), 1);
  EXPECT_EQ(at_centre(10, 10, 10 + 1.0F / 32), 2) << "a bound belongs to the class above it";
  EXPECT_EQ(at_centre(10, 10, 10 - 1.0F / 16), 4) << "both signs";
  EXPECT_EQ(at_centre(10, 10.0625F, 10), 8) << "twice as far as its neighbours";
  EXPECT_EQ(at_centre(10, 10, 10.25F), 16);
  EXPECT_EQ(at_centre(10, 10, 10.5F), 32);
  EXPECT_EQ(at_centre(10, 10, 300), 64);
}

TEST(Uncertainty, TakesTheLargerBendOfRowAndColumn) {
  const UncertaintyParameters table = Table();
  DisparityMap map = EvenMap(5, 5);
  map.disparity(2, 0) = 10.5F;
  map.disparity(0, 2) = 10.25F;
  EXPECT_EQ(SigmaOfDisparity(table, map)(2, 2), 32);
  map.disparity(2, 4) = kNone;  // the column cannot be told
  EXPECT_EQ(SigmaOfDisparity(table, map)(2, 2), 16);
  map.disparity(4, 2) = kNone;  // nor the row
  EXPECT_EQ(SigmaOfDisparity(table, map)(2, 2), 64);
  EXPECT_EQ(SigmaOfDisparity(table, EvenMap(4, 4))(1, 1), 64) << "nothing 2 px away on both sides";
  EXPECT_EQ(SigmaOfDisparity(table, EvenMap(1, 1))(0, 0), 64);
}

TEST(Uncertainty, CountsRejectedPixelsAround) {
  const UncertaintyParameters table = Table();
  DisparityMap map = EvenMap(31, 31);
  // Pixels around the centre, row by row, are rejected one after the other.
  for (int count = 0; count <= 48; ++count) {
    const float gaps = table.gaps[static_cast<std::size_t>((count >= 1) + (count >= 3) + (count >= 5) +
                                                           (count >= 10) + (count >= 20) + (count >= 40))];
    EXPECT_EQ(SigmaOfDisparity(table, map)(15, 15), gaps) << count;
    const int next = count < 24 ? count : count + 1;  // the centre is left out
    if (count < 48) map.validity(12 + next % 7, 12 + next / 7) = kSpeckle | kFilled;
  }
  EXPECT_EQ(SigmaOfDisparity(table, map)(8, 15), 1) << "7 px away nothing is seen";
  map.validity.Fill(kFilled);  // not by itself a rejection
  EXPECT_EQ(SigmaOfDisparity(table, map)(15, 15), 1);
}

TEST(Uncertainty, BordersRepeatTheirPixels) {
  const UncertaintyParameters table = Table();
  DisparityMap map = EvenMap(31, 31);
  map.validity(0, 15) = kOccluded | kFilled;
  EXPECT_EQ(SigmaOfDisparity(table, map)(3, 15), table.gaps[1]) << "once";
  EXPECT_EQ(SigmaOfDisparity(table, map)(1, 15), table.gaps[2]) << "three times";
  EXPECT_EQ(SigmaOfDisparity(table, map)(0, 15), table.gaps[2] * table.rejected) << "four times, and its own";
}

TEST(Uncertainty, AddsTheRigAsAnErrorOfItsOwn) {
  UncertaintyParameters table;
  table.confidence_px.fill(0.375F);
  table.rig_px = 0.5F;
  EXPECT_EQ(SigmaOfDisparity(table, EvenMap(5, 5))(2, 2), 0.625F);  // 3, 4, 5
}

TEST(Uncertainty, IsThereWhereTheDisparityIs) {
  DisparityMap map = EvenMap(9, 7);
  map.disparity(3, 3) = kNone;
  map.validity(3, 3) = kMismatched;
  const HostImage<float> sigma = SigmaOfDisparity({}, map);
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 9; ++x) {
      EXPECT_EQ(!(sigma(x, y) > 0), x == 3 && y == 3);
    }
  }
}

TEST(Uncertainty, OfDepthIsTheFirstOrder) {
  const StereoRig rig{.fx_px = 500, .cx_px = 0, .cy_px = 0, .baseline_m = 0.5, .doffs_px = 20};
  HostImage<float> disparity(3, 1), sigma(3, 1, 0.25F), depth(3, 1);
  disparity(0, 0) = 5, disparity(1, 0) = 80, disparity(2, 0) = kNone;
  DepthFromDisparity(disparity.ConstView(), rig, {}, depth.View());
  const HostImage<float> sigma_m = SigmaOfDepth(sigma.ConstView(), depth.ConstView(), rig);
  EXPECT_EQ(depth(0, 0), 10);
  EXPECT_EQ(sigma_m(0, 0), 100.0F / 250 * 0.25F);
  // Half the difference of the depths one sigma to either side, whatever the offset of the disparities.
  EXPECT_NEAR(sigma_m(1, 0), (250 / 99.75 - 250 / 100.25) / 2, 1e-4);
  EXPECT_TRUE(std::isnan(sigma_m(2, 0)));
  EXPECT_EQ(ValuesOfPoints(sigma_m.ConstView(), depth.ConstView()),
            (std::vector<float>{sigma_m(0, 0), sigma_m(1, 0)}));
}

TEST(Uncertainty, RefusesWhatDoesNotFit) {
  const HostImage<float> two(2, 1, 1), three(3, 1, 1);
  EXPECT_THROW(SigmaOfDepth(two.ConstView(), three.ConstView(), {.fx_px = 1, .baseline_m = 1}),
               InvalidArgument);
  EXPECT_THROW(SigmaOfDepth(two.ConstView(), two.ConstView(), {.fx_px = 1, .baseline_m = 0}),
               InvalidArgument);
  EXPECT_THROW(SigmaOfDepth(two.ConstView(), two.ConstView(), {.fx_px = 0, .baseline_m = 1}),
               InvalidArgument);
  EXPECT_THROW(ValuesOfPoints(two.ConstView(), three.ConstView()), InvalidArgument);
  EXPECT_THROW(EvaluateUncertainty(two.ConstView(), two.ConstView(), three.ConstView()), InvalidArgument);
}

TEST(Uncertainty, EveryBackEndHasTheSameBits) {
  constexpr int kWidth = 97, kHeight = 41;
  std::mt19937 random(7);
  HostImage<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      left(x, y) = static_cast<std::uint8_t>(random());
      right(x, y) = static_cast<std::uint8_t>(x % 3 == 0 ? random() : left(std::min(x + 6, kWidth - 1), y));
    }
  }
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 24;
  for (const bool fills : {false, true}) {
    parameters.filter.fill = fills;
    const auto sigma_by = [&](auto make) {
      DisparityMap map;
      make(parameters, MatcherOptions{.width = kWidth, .height = kHeight, .num_threads = 2})
          ->Compute(left.ConstView(), right.ConstView(), map);
      return SigmaOfDisparity(Table(), map);
    };
    const HostImage<float> reference = sigma_by(MakeReferenceMatcher);
    const HostImage<float> cpu =
        sigma_by([](const Parameters& p, const MatcherOptions& o) { return MakeCpuMatcher(p, o); });
    for (int y = 0; y < kHeight; ++y) {
      ASSERT_EQ(std::memcmp(reference.Row(y), cpu.Row(y), kWidth * sizeof(float)), 0) << "row " << y;
    }
  }
}

TEST(EvaluateUncertainty, CountsErrorsBelowThreePixels) {
  HostImage<float> estimate(6, 1), sigma(6, 1, 1), truth(6, 1, 10);
  const float errors[] = {0.5F, -1, 1.5F, 2.5F, 3, kNone};
  for (int x = 0; x < 6; ++x) estimate(x, 0) = 10 + errors[x];
  sigma(5, 0) = kNone;
  const UncertaintyScores scores =
      EvaluateUncertainty(estimate.ConstView(), sigma.ConstView(), truth.ConstView());
  EXPECT_EQ(scores.within_one, 0.5);  // 0.5 and 1, of four
  EXPECT_EQ(scores.within_two, 0.75);
  EXPECT_EQ(scores.mean_sigma_px, 1);
  truth.Fill(kNone);
  EXPECT_TRUE(
      std::isnan(EvaluateUncertainty(estimate.ConstView(), sigma.ConstView(), truth.ConstView()).within_one));
}

}  // namespace
}  // namespace parallax
