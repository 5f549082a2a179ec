#include "pipeline/metrics/eth3d.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallax/error.h"
#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

// 4x2, seven truth pixels, errors 0 0.5 0.75 hole | 1 2 4.5 (no truth).
const HostImage<float> kEth3dTruth = Map(4, {3, 3, 3, 3, 2, 2, 2, kMissing});
const HostImage<float> kEth3dEstimate = Map(4, {3, 3.5F, 2.25F, kMissing, 3, 4, -2.5F, 1});

TEST(Eth3d, CountsByHandOverEstimatedPixelsOnly) {
  const Eth3dScores s = EvaluateEth3d(kEth3dEstimate.ConstView(), kEth3dTruth.ConstView());
  EXPECT_EQ(s.num_truth, 7);
  EXPECT_DOUBLE_EQ(s.coverage, 6 / 7.0);
  EXPECT_DOUBLE_EQ(s.bad[0], 4 / 6.0);  // 0.5 is not above 0.5
  EXPECT_DOUBLE_EQ(s.bad[1], 2 / 6.0);
  EXPECT_DOUBLE_EQ(s.bad[2], 1 / 6.0);
  EXPECT_DOUBLE_EQ(s.bad[3], 1 / 6.0);
  EXPECT_DOUBLE_EQ(s.bad_or_holes[3], 2 / 7.0);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 8.75 / 6);
  EXPECT_DOUBLE_EQ(s.rms_error_px, std::sqrt((0.25 + 0.5625 + 1 + 4 + 20.25) / 6));
  EXPECT_DOUBLE_EQ(s.quantiles_px.a50, 1);  // element 3 of 0 .5 .75 1 2 4.5
  EXPECT_DOUBLE_EQ(s.quantiles_px.a99, 4.5);
}

TEST(Eth3d, BeyondTheWidthIsNoEstimate) {
  const auto truth = Map(2, {1, 1, 1, 1});
  const auto estimate = Map(2, {2, 2.5F, -2, -2.5F});
  EXPECT_EQ(EvaluateEth3d(estimate.ConstView(), truth.ConstView()).num_estimated, 2);
}

TEST(Eth3d, TheMaskLeavesPixelsOut) {
  const auto mask = Mask(4, {255, 254, 0, 255, 0, 0, 0, 255});
  const Eth3dScores s = EvaluateEth3d(kEth3dEstimate.ConstView(), kEth3dTruth.ConstView(), mask.ConstView());
  EXPECT_EQ(s.num_truth, 2);
  EXPECT_DOUBLE_EQ(s.coverage, 0.5);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 0);
}

TEST(Eth3d, NoEstimateIsTheWorstResultAndNoTruthIsNone) {
  const auto one = Map(1, {1}), none = Map(1, {kMissing});
  const Eth3dScores worst = EvaluateEth3d(none.ConstView(), one.ConstView());
  EXPECT_DOUBLE_EQ(worst.bad[3], 1);
  EXPECT_TRUE(std::isinf(worst.mean_error_px));
  EXPECT_TRUE(std::isinf(worst.quantiles_px.a50));
  EXPECT_DOUBLE_EQ(worst.coverage, 0);
  const Eth3dScores nothing = EvaluateEth3d(one.ConstView(), none.ConstView());
  EXPECT_TRUE(std::isnan(nothing.bad[0]));
  const Eth3dScores frames[] = {nothing, EvaluateEth3d(one.ConstView(), Map(1, {3}).ConstView())};
  EXPECT_DOUBLE_EQ(MeanOf(frames).mean_error_px, 2);
}

TEST(Eth3d, SizesMustAgree) {
  EXPECT_THROW(EvaluateEth3d(Map(2, {1, 2}).ConstView(), Map(1, {1}).ConstView()), InvalidArgument);
}

}  // namespace
}  // namespace parallax
