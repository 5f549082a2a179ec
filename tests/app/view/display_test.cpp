#include "app/view/display.h"
#include "tests/support/nan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parallax::app {
namespace {

TEST(DisplayImage, GrayAndColorPassUnchanged) {
  HostImage<std::uint8_t> gray(3, 2, std::uint8_t{7});
  gray(2, 1) = 255;
  const HostImage<Rgb8> from_gray = DisplayImage(gray.ConstView());
  EXPECT_EQ(from_gray(0, 0), (Rgb8{7, 7, 7}));
  EXPECT_EQ(from_gray(2, 1), (Rgb8{255, 255, 255}));
  HostImage<Rgb8> color(2, 1, Rgb8{1, 2, 3});
  EXPECT_EQ(DisplayImage(color.ConstView())(1, 0), (Rgb8{1, 2, 3}));
}

TEST(DisplayImage, SixteenBitsAreStretchedAndOutliersClipped) {
  HostImage<std::uint16_t> image(1000, 1);
  for (int x = 0; x < 1000; ++x) image(x, 0) = static_cast<std::uint16_t>(1000 + x);
  image(0, 0) = 0;
  image(999, 0) = 65535;
  const HostImage<Rgb8> shown = DisplayImage(image.ConstView());
  EXPECT_EQ(shown(0, 0).r, 0);
  EXPECT_EQ(shown(999, 0).r, 255);
  EXPECT_NEAR(shown(500, 0).r, 127, 2);
  HostImage<std::uint16_t> flat(4, 4, std::uint16_t{500});
  EXPECT_EQ(DisplayImage(flat.ConstView())(2, 2).r, 0);  // nothing to stretch
}

TEST(AddCloud, WithARigPointsAreMetric) {
  HostImage<float> disparity(2, 1);
  disparity(0, 0) = 20, disparity(1, 0) = kNan;
  const HostImage<Rgb8> colors(2, 1, Rgb8{9, 8, 7});
  const StereoRig rig{.fx_px = 100, .cx_px = 0, .cy_px = 0, .baseline_m = 0.5, .doffs_px = 0};
  ViewerFrame shown;
  AddCloud({.disparity = disparity.ConstView(), .colors = colors.ConstView()}, rig, {}, shown);
  ASSERT_EQ(shown.cloud_frame->cloud.size(), 1u);
  EXPECT_FLOAT_EQ(shown.cloud_frame->cloud.points[0].z, 2.5f);  // 100 * 0.5 / 20
  EXPECT_EQ(shown.cloud_frame->cloud.colors[0], (Rgb8{9, 8, 7}));
  EXPECT_EQ(shown.cloud_caption, "cloud of 1 points");
}

TEST(AddCloud, WithoutCalibrationSaysSoAndDropsDisparitiesBelowOnePixel) {
  HostImage<float> disparity(4, 1);
  disparity(0, 0) = 0.25f, disparity(1, 0) = 2, disparity(2, 0) = 4, disparity(3, 0) = -3;
  const HostImage<std::uint8_t> gray(4, 1, std::uint8_t{50});
  ViewerFrame shown;
  AddCloud({.disparity = disparity.ConstView(), .colors = gray.ConstView()}, std::nullopt, {}, shown);
  ASSERT_EQ(shown.cloud_frame->cloud.size(), 2u);
  EXPECT_FLOAT_EQ(shown.cloud_frame->cloud.points[0].z, 0.2f);  // 4 * 0.1 / 2
  EXPECT_NE(shown.cloud_caption.find("no calibration"), std::string::npos);
}

TEST(AddCloud, AnEmptyCloudIsNamed) {
  ViewerFrame shown;
  AddCloud(CloudFrame{}, shown);
  EXPECT_EQ(shown.cloud_caption, "cloud: no point");
}

}  // namespace
}  // namespace parallax::app
