#include "app/report/error_analysis.h"
#include "tests/support/nan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parallax::app {
namespace {

constexpr bool IsOffByMoreThanOne(float error_px, float /*true_d*/) { return error_px > 1; }

// Truth of 10 px everywhere but in one pixel, a gray image with texture, a rig.
StereoFrame FlatFrame(int width, int height) {
  StereoFrame frame;
  HostImage<std::uint8_t> left(width, height), right(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) left(x, y) = static_cast<std::uint8_t>((x + y) % 2 * 20 + 100);
  }
  frame.left = std::move(left);
  frame.right = std::move(right);
  frame.truth.emplace();
  frame.truth->disparity = HostImage<float>(width, height, 10.0F);
  frame.truth->disparity(0, 0) = kNan;
  frame.rig = StereoRig{.fx_px = 100, .cx_px = 0, .cy_px = 0, .baseline_m = 0.5};
  return frame;
}

HostImage<float> Constant(int width, int height, float d) { return HostImage<float>(width, height, d); }

TEST(ErrorAnalysis, CountsErrorsStrictlyAboveAThreshold) {
  const StereoFrame frame = FlatFrame(4, 2);  // 7 pixels with truth
  HostImage<float> estimate = Constant(4, 2, 10);
  estimate(0, 0) = 99;  // no truth: does not count
  estimate(1, 0) = 11;  // exactly 1 px
  estimate(2, 0) = 12.5F;
  estimate(3, 0) = 500;
  estimate(0, 1) = kNan;  // missing: above every threshold
  const ErrorAnalysis analysis = AnalyseErrors(frame, estimate.ConstView(), {}, &IsOffByMoreThanOne);
  EXPECT_EQ(analysis.NumPixels(), 7);
  EXPECT_EQ(analysis.num_missing, 1);
  EXPECT_NEAR(analysis.PercentAbove(1), 100 * 3 / 7.0, 1e-9);
  EXPECT_NEAR(analysis.PercentAbove(0.5), 100 * 4 / 7.0, 1e-9);
  EXPECT_NEAR(analysis.PercentAbove(3), 100 * 2 / 7.0, 1e-9);
  EXPECT_NEAR(analysis.PercentAbove(1000), 100 * 2 / 7.0, 1e-9);
}

TEST(ErrorAnalysis, DepthComesFromTheRig) {
  const StereoFrame frame = FlatFrame(4, 2);  // 100 * 0.5 / 10 = 5 m
  HostImage<float> estimate = Constant(4, 2, 11);
  estimate(3, 1) = 0;  // wrong: counts as an error in px, not in depth
  const ErrorAnalysis analysis = AnalyseErrors(frame, estimate.ConstView(), {}, &IsOffByMoreThanOne);
  const DistanceBin& five_m = analysis.depths[5];
  EXPECT_EQ(five_m.low, 5);
  EXPECT_EQ(five_m.num_pixels, 7);
  EXPECT_EQ(five_m.num_wrong, 1);
  EXPECT_NEAR(five_m.sum_error_px, 6 * 1 + 10, 1e-6);
  EXPECT_NEAR(five_m.sum_relative_depth_error, 6 / 11.0, 1e-6);  // 50 / 11 m in place of 5
  EXPECT_EQ(analysis.disparities[4].num_pixels, 7);              // from 8 px on
}

TEST(ErrorAnalysis, RegionsAreToldInTheirOrder) {
  StereoFrame frame = FlatFrame(300, 40);
  auto& left = std::get<HostImage<std::uint8_t>>(frame.left);
  frame.truth->nonoccluded = HostImage<std::uint8_t>(300, 40, std::uint8_t{255});
  frame.truth->nonoccluded(5, 5) = 0;
  left(200, 20) = 255;
  frame.truth->disparity(250, 20) = 30;
  for (int y = 0; y < 40; ++y) {
    for (int x = 160; x < 185; ++x) left(x, y) = 100;
  }
  const HostImage<std::uint8_t> regions = RegionsOf(frame.left, *frame.truth);
  const auto at = [&](int x, int y) { return static_cast<Region>(regions(x, y)); };
  EXPECT_EQ(at(5, 5), Region::kOccluded);
  EXPECT_EQ(at(127, 5), Region::kLeftBorder);
  EXPECT_EQ(at(202, 22), Region::kSaturated);
  EXPECT_EQ(at(203, 20), Region::kSmooth);
  EXPECT_EQ(at(254, 24), Region::kDepthEdge);
  EXPECT_EQ(at(255, 20), Region::kSmooth);
  EXPECT_EQ(at(170, 20), Region::kLowTexture);
}

TEST(ErrorAnalysis, FramesAddUp) {
  const StereoFrame frame = FlatFrame(4, 2);
  const HostImage<float> right = Constant(4, 2, 10), wrong = Constant(4, 2, 20);
  ErrorAnalysis sum = AnalyseErrors(frame, right.ConstView(), {}, &IsOffByMoreThanOne);
  sum += AnalyseErrors(frame, wrong.ConstView(), {}, &IsOffByMoreThanOne);
  EXPECT_EQ(sum.NumPixels(), 14);
  EXPECT_DOUBLE_EQ(sum.PercentAbove(1), 50);
  EXPECT_DOUBLE_EQ(sum.regions[static_cast<std::size_t>(Region::kLeftBorder)].Percent(), 50);
}

TEST(SparsificationCurves, AreTheShareOfWrongPixelsAmongTheMostConfident) {
  ConfidenceCounts counts;
  counts.right[200] = 50;
  counts.wrong[200] = 0;
  counts.right[100] = 25;
  counts.wrong[100] = 25;
  const std::vector<double> curve = SparsificationCurve(counts), best = BestSparsificationCurve(counts);
  ASSERT_EQ(curve.size(), 100U);
  EXPECT_DOUBLE_EQ(curve[49], 0);
  EXPECT_NEAR(curve[74], 100 * 12.5 / 75, 1e-9);
  EXPECT_DOUBLE_EQ(curve[99], 25);
  EXPECT_DOUBLE_EQ(best[74], 0);
  EXPECT_DOUBLE_EQ(best[99], 25);
  EXPECT_TRUE(SparsificationCurve({}).empty());
}

}  // namespace
}  // namespace parallax::app
