#include "pipeline/cloud/reprojection.h"

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

TEST(DepthFromDisparity, ARigWithoutBaselineOrFocalLengthIsRefused) {
  StereoRig rig = kRig;
  rig.fx_px = 0;
  EXPECT_THROW(Depth(ImageOf<float>({{1.0F}}), rig), InvalidArgument);
  rig = kRig;
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

// A map with gaps, wider than any vector, of odd size: one thread or several, the same bits as by hand.
TEST(Reprojection, EveryPixelByTheFormulaWithAnyNumberOfThreads) {
  const StereoRig rig{
      .fx_px = 721.5377, .cx_px = 30.25, .cy_px = 17.75, .baseline_m = 0.5372, .doffs_px = 1.5};
  const ReprojectionParameters limits{2.0F, 60.0F};
  const auto disparity = test::ImageFrom<float>(77, 41, [](int x, int y) {
    return (x * 7 + y * 3) % 11 == 0 ? kNone : static_cast<float>((x * 31 + y * 17) % 1009) / 4.0F - 20.0F;
  });
  const auto gray = test::ImageFrom<std::uint8_t>(
      77, 41, [](int x, int y) { return static_cast<std::uint8_t>(x + 3 * y); });
  std::vector<Point3f> points;
  std::vector<Rgb8> colors;
  HostImage<float> expected(77, 41);
  for (int y = 0; y < 41; ++y) {
    for (int x = 0; x < 77; ++x) {
      const float shifted = disparity(x, y) + 1.5F;
      const float z = static_cast<float>(721.5377 * 0.5372) / shifted;
      const bool inside = shifted > 0 && z >= 2.0F && z <= 60.0F;
      expected(x, y) = inside ? z : kNone;
      if (!inside) continue;
      const float column = (static_cast<float>(x) - 30.25F) * z, row = (static_cast<float>(y) - 17.75F) * z;
      points.push_back({column / 721.5377F, row / 721.5377F, z});
      colors.push_back({gray(x, y), gray(x, y), gray(x, y)});
    }
  }
  ASSERT_GT(points.size(), 300U);
  ASSERT_LT(points.size(), 2900U);
  const auto check = [&](ThreadPool* threads) {
    HostImage<float> depth(77, 41);
    DepthFromDisparity(disparity.ConstView(), rig, limits, depth.View(), threads);
    for (int y = 0; y < 41; ++y) {
      for (int x = 0; x < 77; ++x) {
        EXPECT_TRUE(depth(x, y) == expected(x, y) || (std::isnan(depth(x, y)) && std::isnan(expected(x, y))))
            << x << ", " << y;
      }
    }
    const PointCloud cloud = CloudFromDepth(depth.ConstView(), gray.ConstView(), rig, threads);
    EXPECT_EQ(cloud.points, points);
    EXPECT_EQ(cloud.colors, colors);
  };
  check(nullptr);
  for (const int num_threads : {1, 3, 7}) {
    ThreadPool threads(num_threads);
    check(&threads);
  }
}

}  // namespace
}  // namespace parallax
