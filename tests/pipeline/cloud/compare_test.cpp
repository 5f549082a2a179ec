#include "parallax/cloud_measures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/support/cloud_cases.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsNan;
using ::testing::ThrowsMessage;

class CompareTest : public ::testing::Test {
 protected:
  std::unique_ptr<CloudMeasures> measures_ = MakeCpuCloudMeasures(2);
  // To the truth: 0, 1, 3; to the estimate: 0, 2.
  std::vector<Point3f> estimate_ = {{0, 0, 1}, {kNan, 0, 0}, {0, 0, 2}, {3, 0, 1}};
  std::vector<Point3f> truth_ = {{0, 0, 1}, {0, 0, 4}};
};

TEST_F(CompareTest, ByHand) {
  const CloudComparison c = CompareClouds(estimate_, truth_, {.thresholds_m = {1, 2.5, 0.5}}, *measures_);
  EXPECT_THAT(c.estimate_to_truth_m, ElementsAre(0, IsNan(), 1, 3));
  EXPECT_THAT(c.truth_to_estimate_m, ElementsAre(0, 2));
  EXPECT_EQ(c.accuracy.num_points, 3);
  EXPECT_EQ(c.completeness.num_points, 2);
  EXPECT_DOUBLE_EQ(c.accuracy.mean_m, 4.0 / 3);
  EXPECT_DOUBLE_EQ(c.completeness.mean_m, 1);
  EXPECT_DOUBLE_EQ(c.chamfer_sum_m, 7.0 / 3);
  EXPECT_DOUBLE_EQ(c.chamfer_half_m, 7.0 / 6);
  EXPECT_DOUBLE_EQ(c.chamfer_squared_sum_m2, 10.0 / 3 + 2);
  EXPECT_DOUBLE_EQ(c.chamfer_squared_half_m2, 5.0 / 3 + 1);
  EXPECT_DOUBLE_EQ(c.hausdorff_m, 3);
  EXPECT_DOUBLE_EQ(c.completeness.max_m, 2);
  // Elements floor(3 * 0.5) = 1, floor(3 * 0.75) = 2, ... of 0 1 3.
  EXPECT_THAT(c.accuracy.quantiles_m, ElementsAre(1, 3, 3, 3, 3));
  ASSERT_EQ(c.thresholds.size(), 3U);
  EXPECT_DOUBLE_EQ(c.thresholds[0].precision, 1.0 / 3);  // 1 m is not below 1 m
  EXPECT_DOUBLE_EQ(c.thresholds[0].recall, 0.5);
  EXPECT_DOUBLE_EQ(c.thresholds[0].f_score, 0.4);
  EXPECT_DOUBLE_EQ(c.thresholds[1].precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.thresholds[1].recall, 1);
  EXPECT_DOUBLE_EQ(c.thresholds[2].threshold_m, 0.5);
  EXPECT_THAT(c.bins, IsEmpty());
  std::swap(estimate_[0], estimate_[1]);
  EXPECT_THAT(CompareClouds(estimate_, truth_, {}, *measures_).estimate_to_truth_m,
              ElementsAre(IsNan(), 0, 1, 3));
}

TEST(DistanceScores, DoNotDependOnTheOrder) {
  const DistanceScores scores = ScoresOf(std::vector<float>{0, 9, 1, kNan, 4, 2});
  EXPECT_EQ(scores.num_points, 5);
  EXPECT_EQ(scores.max_m, 9);
  EXPECT_THAT(scores.quantiles_m, ElementsAre(2, 4, 9, 9, 9));  // elements 2, 3, 4 of 0 1 2 4 9
}

TEST_F(CompareTest, BinsByDepth) {
  CompareOptions options = {.depth_edges_m = {1, 1.5, 3, 4}};
  const CloudComparison c = CompareClouds(estimate_, truth_, options, *measures_);
  ASSERT_EQ(c.bins.size(), 3U);
  EXPECT_EQ(c.bins[0].from_m, 1);
  EXPECT_EQ(c.bins[0].to_m, 1.5);
  EXPECT_EQ(c.bins[0].accuracy.num_points, 2);
  EXPECT_EQ(c.bins[0].accuracy.mean_m, 1.5);
  EXPECT_EQ(c.bins[0].completeness.mean_m, 0);
  EXPECT_EQ(c.bins[1].accuracy.max_m, 1);
  EXPECT_EQ(c.bins[1].completeness.num_points, 0);
  EXPECT_THAT(c.bins[1].completeness.mean_m, IsNan());
  EXPECT_EQ(c.bins[2].completeness.num_points, 0);  // 4 is not below 4
  options.depth = DepthKind::kRange;                // 1, 2, sqrt(10): the third moves from the first bin
  const CloudComparison by_range = CompareClouds(estimate_, truth_, options, *measures_);
  EXPECT_EQ(by_range.bins[0].accuracy.num_points, 1);
  EXPECT_EQ(by_range.bins[2].accuracy.mean_m, 3);
}

TEST_F(CompareTest, ACloudEqualsItselfAndAShiftIsTheShift) {
  const std::vector<Point3f> cloud = testing::SurfaceCloud(40, 30);
  const CloudComparison same = CompareClouds(cloud, cloud, {}, *measures_);
  EXPECT_EQ(same.chamfer_sum_m, 0);
  EXPECT_EQ(same.hausdorff_m, 0);
  for (const ThresholdScores& t : same.thresholds) EXPECT_EQ(t.f_score, 1);
  std::vector<Point3f> grid, shifted;
  for (int i = 0; i < 100; ++i) {
    grid.push_back({static_cast<float>(i % 10), static_cast<float>(i / 10), 0});
    shifted.push_back({grid.back().x, grid.back().y, 0.25F});
  }
  const CloudComparison moved = CompareClouds(shifted, grid, {.thresholds_m = {0.25, 0.26}}, *measures_);
  EXPECT_EQ(moved.chamfer_half_m, 0.25);
  EXPECT_EQ(moved.chamfer_squared_half_m2, 0.0625);
  EXPECT_EQ(moved.hausdorff_m, 0.25);
  EXPECT_EQ(moved.thresholds[0].f_score, 0);
  EXPECT_EQ(moved.thresholds[1].f_score, 1);
}

TEST_F(CompareTest, SwappingTheCloudsSwapsTheDirections) {
  const auto a = testing::UniformCloud(500, 1), b = testing::UniformCloud(700, 2);
  const CloudComparison ab = CompareClouds(a, b, {}, *measures_), ba = CompareClouds(b, a, {}, *measures_);
  EXPECT_EQ(ab.accuracy.mean_m, ba.completeness.mean_m);
  EXPECT_EQ(ab.accuracy.quantiles_m, ba.completeness.quantiles_m);
  EXPECT_EQ(ab.hausdorff_m, ba.hausdorff_m);
  EXPECT_EQ(ab.thresholds[1].precision, ba.thresholds[1].recall);
}

TEST_F(CompareTest, BadInput) {
  EXPECT_THAT([&] { CompareClouds({}, truth_, {}, *measures_); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the estimate has 0 points")));
  EXPECT_THAT(
      [&] {
        CompareClouds(truth_, std::vector<Point3f>{{kNan, 0, 0}}, {}, *measures_);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("the truth has 1 points, none of them finite")));
  EXPECT_THAT(
      [&] {
        CompareClouds(truth_, std::vector<Point3f>{{0, 0, 1}, {3e38F, 0, 0}}, {}, *measures_);
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("point 1 of the truth is too far away")));
  EXPECT_THROW(CompareClouds(truth_, truth_, {.thresholds_m = {0}}, *measures_), InvalidArgument);
  EXPECT_THROW(CompareClouds(truth_, truth_, {.depth_edges_m = {1, 1}}, *measures_), InvalidArgument);
  EXPECT_THROW(CompareClouds(truth_, truth_, {.depth_edges_m = {1, static_cast<double>(kNan)}}, *measures_),
               InvalidArgument);
}

TEST_F(CompareTest, SignedDepthErrorsByHand) {
  const StereoRig rig = {.fx_px = 10, .cx_px = 2, .cy_px = 1, .baseline_m = 1};
  HostImage<float> truth(5, 3, 2.0F);
  truth(3, 1) = 4;
  truth(4, 1) = kNan;
  truth(0, 0) = 0;
  const std::vector<Point3f> points = {{0, 0, 2.5F},                             // pixel (2, 1)
                                       {0.25F, 0, 2.5F},                         // (3, 1)
                                       {0.125F, 0, 2.5F},                        // half way: (3, 1)
                                       {0.5F, 0, 2.5F},                          // (4, 1): no truth
                                       {1, 0, 2.5F},                             // outside
                                       {0, 0, -2.5F},                            // behind
                                       {-0.5F, -0.25F, 2.5F},                    // (0, 0): truth 0
                                       {kNan, 0, 1},          {0, 0.2F, 1.9F}};  // (2, 2)
  const std::vector<float> errors = SignedDepthErrors(points, truth.ConstView(), rig);
  EXPECT_THAT(errors, ElementsAre(0.5F, -1.5F, -1.5F, IsNan(), IsNan(), IsNan(), IsNan(), IsNan(),
                                  FloatNear(-0.1F, 1e-6F)));
  const SignedErrorScores scores = SignedScoresOf(errors);
  EXPECT_EQ(scores.num_points, 4);
  EXPECT_NEAR(scores.bias_m, -0.65, 1e-6);
  EXPECT_NEAR(scores.mean_abs_m, 0.9, 1e-6);
  EXPECT_NEAR(scores.rms_m, std::sqrt((0.25 + 2.25 + 2.25 + 0.01) / 4), 1e-6);
  EXPECT_NEAR(scores.median_m, -0.1, 1e-6);  // element 2 of -1.5 -1.5 -0.1 0.5
  EXPECT_NEAR(scores.median_abs_m, 1.5, 1e-6);
  EXPECT_THAT(SignedScoresOf({}).bias_m, IsNan());
  EXPECT_THROW(SignedDepthErrors(points, truth.ConstView(), {}), InvalidArgument);
}

}  // namespace
}  // namespace parallax
