#include "pipeline/metrics/middlebury.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallax/error.h"
#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

MiddleburyScores Evaluate(const HostImage<float>& estimate, const HostImage<float>& truth,
                          const MiddleburyOptions& options = {}, const HostImage<std::uint8_t>& mask = {}) {
  return EvaluateMiddlebury(estimate.ConstView(), truth.ConstView(), mask.ConstView(), options);
}

// 4x3, ten truth pixels, errors: 0 0.5 0.75 | hole 1 2 - | 3 4 4.5 hole, in row order ('-': no truth).
const HostImage<float> kMiddleburyTruth =
    Map(4, {10, 10, 10, kMissing, 20, 20, 20, kMissing, 30, 30, 30, 30});
const HostImage<float> kMiddleburyEstimate =
    Map(4, {10, 10.5F, 9.25F, 5, kMissing, 21, 18, kMissing, 33, 34, 25.5F, kMissing});

TEST(Middlebury, CountsByHand) {
  const MiddleburyScores s = Evaluate(kMiddleburyEstimate, kMiddleburyTruth);
  EXPECT_EQ(s.num_evaluated, 10);
  EXPECT_DOUBLE_EQ(s.evaluated, 10 / 12.0);
  EXPECT_DOUBLE_EQ(s.invalid, 0.2);
  EXPECT_DOUBLE_EQ(s.bad[0], 0.6);  // 0.5 is not above 0.5
  EXPECT_DOUBLE_EQ(s.bad[1], 0.4);  // 1 is not above 1
  EXPECT_DOUBLE_EQ(s.bad[2], 0.3);
  EXPECT_DOUBLE_EQ(s.bad[3], 0.1);
  EXPECT_DOUBLE_EQ(s.totbad[0], 0.8);
  EXPECT_DOUBLE_EQ(s.totbad[3], 0.3);
  EXPECT_DOUBLE_EQ(s.bad_estimated[1], 0.5);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 15.75 / 8);
  EXPECT_DOUBLE_EQ(s.rms_error_px, std::sqrt((0.25 + 0.5625 + 1 + 4 + 9 + 16 + 20.25) / 8));
  EXPECT_DOUBLE_EQ(s.quantiles_px.a50, 2);    // element 4 of 0 .5 .75 1 2 3 4 4.5
  EXPECT_DOUBLE_EQ(s.quantiles_px.a90, 4.5);  // element 7
}

TEST(Middlebury, OnlyPixelsWhoseMaskIs255AreEvaluated) {
  const auto mask = Mask(4, {255, 128, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0});
  const MiddleburyScores s = Evaluate(kMiddleburyEstimate, kMiddleburyTruth, {}, mask);
  EXPECT_EQ(s.num_evaluated, 2);
  EXPECT_DOUBLE_EQ(s.invalid, 0.5);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 0);
}

TEST(Middlebury, ValuesAreClippedToTheRange) {
  MiddleburyOptions options;
  options.max_disparity_px = 12;
  const MiddleburyScores s = Evaluate(Map(3, {-7, 50, kMissing}), Map(3, {0.25F, 12, 3}), options);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 0.125);  // -7 -> 0, 50 -> 12
  EXPECT_DOUBLE_EQ(s.bad[0], 0);
  EXPECT_EQ(s.num_invalid, 1);  // a hole is not clipped
}

// As verged cameras have it: a right estimate below 0 is right.
TEST(Middlebury, TruthBelowZeroMovesTheLowerLimit) {
  const MiddleburyScores s = Evaluate(Map(3, {-9, -20, -50}), Map(3, {-9, 3, kMissing}));
  EXPECT_DOUBLE_EQ(s.mean_error_px, 6);  // -20 -> -9
  EXPECT_DOUBLE_EQ(s.bad[3], 0.5);
}

TEST(Middlebury, RoundsBeforeComparingWhenAsked) {
  MiddleburyOptions options;
  options.round = true;
  EXPECT_DOUBLE_EQ(Evaluate(Map(2, {9.6F, 4.5F}), Map(2, {10, 5}), options).mean_error_px, 0);
  EXPECT_GT(Evaluate(Map(2, {9.6F, 4.5F}), Map(2, {10, 5})).mean_error_px, 0);
}

TEST(Middlebury, ASmallerEstimateIsScaledInSizeAndValue) {
  const auto truth = Map(4, {10, 10, 20, 20, 10, 10, 20, 22});
  MiddleburyOptions options;
  options.max_disparity_px = 9;  // at the estimate's resolution: 18 at the truth's
  const MiddleburyScores s = Evaluate(Map(2, {5, 10}), truth, options);
  EXPECT_EQ(s.num_evaluated, 8);
  EXPECT_DOUBLE_EQ(s.mean_error_px, (2 + 2 + 2 + 4) / 8.0);
  EXPECT_DOUBLE_EQ(Evaluate(Map(1, {2.5F}), Map(4, std::vector<float>(16, 10))).mean_error_px, 0);
}

TEST(Middlebury, AnyThresholdsCanBeAsked) {
  MiddleburyOptions options;
  options.thresholds_px = {0.0F, 10.0F};
  const MiddleburyScores s = Evaluate(Map(2, {1, 2}), Map(2, {1, 3}), options);
  ASSERT_EQ(s.bad.size(), 2U);
  EXPECT_DOUBLE_EQ(s.bad[0], 0.5);
  EXPECT_DOUBLE_EQ(s.bad[1], 0);
}

TEST(Middlebury, EmptyEstimatesAndEmptyTruthAreDefined) {
  const MiddleburyScores holes = Evaluate(Map(1, {kMissing}), Map(1, {1}));
  EXPECT_DOUBLE_EQ(holes.totbad[0], 1);
  EXPECT_TRUE(std::isnan(holes.mean_error_px));
  EXPECT_TRUE(std::isnan(holes.quantiles_px.a50));
  const MiddleburyScores no_truth = Evaluate(Map(1, {1}), Map(1, {kMissing}));
  EXPECT_TRUE(std::isnan(no_truth.bad[0]));
  // A frame counts where it has a figure.
  const MiddleburyScores frames[] = {holes, no_truth, Evaluate(Map(1, {3}), Map(1, {1}))};
  const MiddleburyScores mean = MeanOf(frames);
  for (const double quantile :
       {mean.quantiles_px.a50, mean.quantiles_px.a90, mean.quantiles_px.a95, mean.quantiles_px.a99})
    EXPECT_DOUBLE_EQ(quantile, 2);
  EXPECT_DOUBLE_EQ(mean.totbad[0], 1);
  EXPECT_DOUBLE_EQ(mean.invalid, 0.5);
  EXPECT_DOUBLE_EQ(mean.mean_error_px, 2);
  EXPECT_DOUBLE_EQ(mean.rms_error_px, 2);
}

TEST(Middlebury, TheTruthMustBeOneTwoOrFourTimesAsLarge) {
  EXPECT_THROW(Evaluate(Map(1, {1}), Map(3, {1, 1, 1})), InvalidArgument);
  EXPECT_THROW(Evaluate(Map(1, {1}), Map(2, {1, 1})), InvalidArgument);
  EXPECT_THROW(Evaluate(Map(2, {1, 1}), Map(1, {1})), InvalidArgument);
  EXPECT_THROW(Evaluate(Map(1, {1}), Map(1, {1}), {}, Mask(2, {255, 255})), InvalidArgument);
}

}  // namespace
}  // namespace parallax
