#include "pipeline/metrics/kitti2012.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallax/error.h"
#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

// 4x3, ten truth pixels. Errors by pixel (F: filled from the row, with the error after filling):
//   0      1      1.5   (no truth)
//   2.5    F 8    0     (no truth)
//   3      4.5    F 4.5 5
const HostImage<float> kKittiTruth = Map(4, {10, 10, 10, kMissing, 20, 20, 12, kMissing, 30, 30, 30, 30});
const HostImage<float> kKittiEstimate =
    Map(4, {10, 11, 8.5F, 99, 22.5F, kMissing, 12, kMissing, 33, 34.5F, kMissing, 35});

TEST(Kitti2012, CountsFilledAndEstimatedPixelsByHand) {
  // The gap in row 1 takes min(22.5, 12) = 12 (error 8), the one in row 2 min(34.5, 35) = 34.5 (error 4.5).
  const Kitti2012Scores s = EvaluateKitti2012(kKittiEstimate.ConstView(), kKittiTruth.ConstView());
  EXPECT_EQ(s.num_truth, 10);
  EXPECT_EQ(s.num_estimated, 8);
  EXPECT_DOUBLE_EQ(s.density, 0.8);
  // Errors of all:       0 1 1.5 2.5 8 0 3 4.5 4.5 5; strictly above the threshold.
  EXPECT_DOUBLE_EQ(s.outliers[0], 0.7);
  EXPECT_DOUBLE_EQ(s.outliers[1], 0.6);
  EXPECT_DOUBLE_EQ(s.outliers[2], 0.4);  // 3 is not above 3
  EXPECT_DOUBLE_EQ(s.outliers[3], 0.4);
  EXPECT_DOUBLE_EQ(s.outliers[4], 0.1);  // 5 is not above 5
  EXPECT_DOUBLE_EQ(s.mean_error_px, 3.0F);
  // Errors of estimated: 0 1 1.5 2.5 0 3 4.5 5.
  EXPECT_DOUBLE_EQ(s.outliers_estimated[0], 5 / 8.0);
  EXPECT_DOUBLE_EQ(s.outliers_estimated[2], 2 / 8.0);
  EXPECT_DOUBLE_EQ(s.mean_error_estimated_px, 17.5F / 8);
  // Holes as outliers: two more of ten.
  EXPECT_DOUBLE_EQ(s.outliers_or_holes[2], 0.4);
  EXPECT_DOUBLE_EQ(s.outliers_or_holes[4], 0.2);
}

TEST(Kitti2012, TheMaskLeavesPixelsOut) {
  const auto mask = Mask(4, {255, 255, 128, 255, 0, 0, 0, 0, 0, 0, 0, 0});
  const Kitti2012Scores s =
      EvaluateKitti2012(kKittiEstimate.ConstView(), kKittiTruth.ConstView(), mask.ConstView());
  EXPECT_EQ(s.num_truth, 2);
  EXPECT_DOUBLE_EQ(s.outliers[0], 0);
  EXPECT_DOUBLE_EQ(s.mean_error_px, 0.5);
}

TEST(Kitti2012, AnEmptyEstimateIsMinusOneEverywhere) {
  const auto truth = Map(2, {0.5F, 4});
  const Kitti2012Scores s = EvaluateKitti2012(Map(2, {kMissing, kMissing}).ConstView(), truth.ConstView());
  EXPECT_DOUBLE_EQ(s.outliers[0], 1);  // errors 1.5 and 5
  EXPECT_DOUBLE_EQ(s.outliers[1], 0.5);
  EXPECT_DOUBLE_EQ(s.outliers[4], 0);
  EXPECT_DOUBLE_EQ(s.outliers_estimated[0], 0);
  EXPECT_DOUBLE_EQ(s.outliers_or_holes[4], 1);
  EXPECT_DOUBLE_EQ(s.density, 0);
}

TEST(Kitti2012, WithoutTruthThereIsNoRateAndNoWeightInTheMean) {
  const auto none = Map(1, {kMissing});
  const auto one = Map(1, {1});
  const Kitti2012Scores empty = EvaluateKitti2012(one.ConstView(), none.ConstView());
  EXPECT_TRUE(std::isnan(empty.outliers[0]));
  EXPECT_TRUE(std::isnan(empty.density));
  const Kitti2012Scores frames[] = {empty, EvaluateKitti2012(one.ConstView(), one.ConstView())};
  EXPECT_DOUBLE_EQ(MeanOf(frames).density, 1);
  EXPECT_TRUE(std::isnan(MeanOf(std::span(frames, 1)).density));
}

TEST(Kitti2012, TheTotalIsTheMeanOfRatesNotOfPixels) {
  const auto large = Map(4, {1, 1, 1, 1});
  const auto wrong = Map(1, {9});
  const Kitti2012Scores frames[] = {EvaluateKitti2012(large.ConstView(), large.ConstView()),
                                    EvaluateKitti2012(wrong.ConstView(), Map(1, {1}).ConstView())};
  const Kitti2012Scores mean = MeanOf(frames);
  EXPECT_DOUBLE_EQ(mean.outliers[2], 0.5);
  EXPECT_DOUBLE_EQ(mean.mean_error_px, 4);
  EXPECT_EQ(mean.num_truth, 5);
  EXPECT_EQ(mean.num_frames, 2);
}

TEST(Kitti2012, SizesMustAgree) {
  EXPECT_THROW(EvaluateKitti2012(Map(2, {1, 2}).ConstView(), Map(1, {1, 2}).ConstView()), InvalidArgument);
  EXPECT_THROW(
      EvaluateKitti2012(Map(2, {1, 2}).ConstView(), Map(2, {1, 2}).ConstView(), Mask(1, {255}).ConstView()),
      InvalidArgument);
}

}  // namespace
}  // namespace parallax
