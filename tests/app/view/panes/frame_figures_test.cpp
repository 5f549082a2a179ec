#include "app/view/panes/frame_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace parallax::app {
namespace {

ShownFrame FrameOf(std::shared_ptr<const HostImage<float>> disparity) {
  ShownFrame frame;
  frame.width = disparity->width(), frame.height = disparity->height();
  frame.a = MakeShownSet(disparity->ConstView(), {}, {}, std::nullopt, {}, disparity);
  return frame;
}

TEST(StageHistory, StagesStackUpToTheFramesTime) {
  StageHistory history;
  StageTimes times;
  times[Stage::kAggregation] = 30;
  times[Stage::kFilter] = 10;
  history.Add(times, 40);
  history.Add({}, 20);
  EXPECT_EQ(history.largest_ms(), 40);
  const HostImage<Rgb8> picture = history.Picture(static_cast<int>(StageHistory::kNumFrames), 40);
  const int last = picture.width() - 1;
  EXPECT_EQ(picture(last - 1, 39), StageColor(Stage::kAggregation));
  EXPECT_EQ(picture(last - 1, 10), StageColor(Stage::kAggregation));
  EXPECT_EQ(picture(last - 1, 9), StageColor(Stage::kFilter));
  EXPECT_EQ(picture(last - 1, 0), StageColor(Stage::kFilter));
  EXPECT_EQ(picture(last, 19), picture(0, 0));  // half as high
  EXPECT_FALSE(picture(last, 20) == picture(0, 0));
  for (int i = 0; i < 200; ++i) history.Add({}, 1);
  EXPECT_EQ(history.size(), StageHistory::kNumFrames);
  EXPECT_EQ(history.largest_ms(), 1);
}

TEST(HistogramOf, SharesAreOfTheFullestBin) {
  auto disparity = std::make_shared<HostImage<float>>(100, 4, 10.0F);
  for (int x = 0; x < 100; ++x) (*disparity)(x, 0) = 20;
  const ValueHistogram histogram = HistogramOf(FrameOf(disparity), 10);
  ASSERT_EQ(histogram.shares.size(), 10u);
  EXPECT_EQ(histogram.shares.front(), 1);
  EXPECT_NEAR(histogram.shares.back(), 1.0 / 3, 1e-12);
  auto none = std::make_shared<HostImage<float>>(5, 4, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(HistogramOf(FrameOf(none), 10).shares.empty());
  EXPECT_EQ(PictureOf(HistogramOf(FrameOf(none), 10), 7, 3).width(), 7);
}

TEST(TemporalNoise, IsTheMedianDeviationOfTheRectanglesPixels) {
  TemporalNoise noise;
  const PixelRectangle rectangle{1, 1, 3, 1};
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    auto disparity = std::make_shared<HostImage<float>>(5, 3, value);  // deviation 1
    (*disparity)(1, 1) = 7;                                            // 0
    (*disparity)(3, 1) = value > 2 ? std::numeric_limits<float>::quiet_NaN() : value;
    noise.Add(FrameOf(disparity), rectangle);
    if (value == 1) {
      EXPECT_FALSE(noise.Deviation_px());
    }
  }
  ASSERT_TRUE(noise.Deviation_px());
  EXPECT_DOUBLE_EQ(*noise.Deviation_px(), 1);
  noise.Add(FrameOf(std::make_shared<HostImage<float>>(5, 3, 1.0F)), PixelRectangle{0, 0, 1, 1});
  EXPECT_EQ(noise.num_frames(), 1u);
  noise.Add(FrameOf(std::make_shared<HostImage<float>>(2, 1, 1.0F)), PixelRectangle{0, 0, 1, 1});
  EXPECT_EQ(noise.num_frames(), 0u);
}

}  // namespace
}  // namespace parallax::app
