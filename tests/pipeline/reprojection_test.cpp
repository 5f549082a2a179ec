#include "pipeline/reprojection.h"

#include <gtest/gtest.h>

#include "tests/support/images.h"

namespace parallax {
namespace {

using test::ImageOf;
using test::kNone;

constexpr StereoRig kRig{.fx_px = 700, .cx_px = 1, .cy_px = 0, .baseline_m = 0.5, .doffs_px = 0};

HostImage<float> Depth(const HostImage<float>& disparity, const StereoRig& rig,
                       ReprojectionParameters limits = {}) {
  HostImage<float> depth(disparity.width(), disparity.height());
  DepthFromDisparity(disparity.ConstView(), rig, limits, depth.View());
  return depth;
}

TEST(DepthFromDisparity, FocalLengthTimesBaselineOverDisparity) {
  const auto depth = Depth(ImageOf<float>({{35, 70, kNone, 0, -5}}), kRig);
  EXPECT_EQ(depth(0, 0), 10.0F);
  EXPECT_EQ(depth(1, 0), 5.0F);
  for (int x = 2; x < 5; ++x) EXPECT_TRUE(std::isnan(depth(x, 0)));  // none, infinity, behind the camera
}

TEST(DepthFromDisparity, DoffsAndLimits) {
  StereoRig rig = kRig;
  rig.doffs_px = 35;
  EXPECT_EQ(Depth(ImageOf<float>({{0.0F}}), rig)(0, 0), 10.0F);
  EXPECT_TRUE(std::isnan(Depth(ImageOf<float>({{35.0F}}), kRig, {10.5F, 100.0F})(0, 0)));
  EXPECT_TRUE(std::isnan(Depth(ImageOf<float>({{35.0F}}), kRig, {0.1F, 9.5F})(0, 0)));
  EXPECT_EQ(Depth(ImageOf<float>({{35.0F}}), kRig, {10.0F, 10.0F})(0, 0), 10.0F);  // limits are inclusive
}

TEST(DepthFromDisparity, ARigWithoutBaselineIsRefused) {
  StereoRig rig = kRig;
  rig.baseline_m = 0;
  EXPECT_THROW(Depth(ImageOf<float>({{1.0F}}), rig), InvalidArgument);
}

TEST(CloudFromDepth, PointsInReadingOrderWithTheLeftImagesColours) {
  const auto depth = ImageOf<float>({{10, kNone, 7}, {kNone, 14, kNone}});
  const auto color = ImageOf<Rgb8>({{{1, 2, 3}, {}, {4, 5, 6}}, {{}, {7, 8, 9}, {}}});
  const PointCloud cloud = CloudFromDepth(depth.ConstView(), color.ConstView(), kRig);
  ASSERT_EQ(cloud.size(), 3U);
  EXPECT_EQ(cloud.points[0], (Point3f{-10.0F / 700.0F, 0, 10}));
  EXPECT_EQ(cloud.points[1], (Point3f{7.0F / 700.0F, 0, 7}));
  EXPECT_EQ(cloud.points[2], (Point3f{0, 14.0F / 700.0F, 14}));
  EXPECT_EQ(cloud.colors[1], (Rgb8{4, 5, 6}));
  EXPECT_EQ(cloud.colors[2], (Rgb8{7, 8, 9}));
}

TEST(CloudFromDepth, GrayAndSizes) {
  const auto gray = ImageOf<std::uint16_t>({{0x1234}});
  EXPECT_EQ(CloudFromDepth(ImageOf<float>({{1.0F}}).ConstView(), gray.ConstView(), kRig).colors[0],
            (Rgb8{0x12, 0x12, 0x12}));
  EXPECT_THROW(CloudFromDepth(ImageOf<float>({{1.0F, 2.0F}}).ConstView(), gray.ConstView(), kRig),
               InvalidArgument);
}

}  // namespace
}  // namespace parallax
