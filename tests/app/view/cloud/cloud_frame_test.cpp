#include "app/view/cloud/cloud_frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "app/view/cloud/shown_cloud.h"
#include "parallax/disparity_map.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "pipeline/cloud/reprojection.h"
#include "tests/support/nan.h"

namespace parallax::app {
namespace {

constexpr StereoRig kRig{.fx_px = 97.3, .cx_px = 15.2, .cy_px = 9.9, .baseline_m = 0.53, .doffs_px = 0.7};

// Holes where x + y is a multiple of 3.
HostImage<float> Disparity() {
  HostImage<float> disparity(32, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 32; ++x) {
      disparity(x, y) =
          (x + y) % 3 == 0 ? kNan : 3.0f + 0.37f * static_cast<float>(x) + 0.11f * static_cast<float>(y);
    }
  }
  return disparity;
}

CloudFrame Frame() {
  const HostImage<float> disparity = Disparity();
  HostImage<float> truth(32, 20, 5.0f);
  truth(4, 0) = kNan;
  HostImage<std::uint8_t> confidence(32, 20), gray(32, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 32; ++x)
      confidence(x, y) = static_cast<std::uint8_t>(x + y), gray(x, y) = static_cast<std::uint8_t>(4 * x);
  }
  return MakeCloudFrame({.disparity = disparity.ConstView(),
                         .colors = gray.ConstView(),
                         .confidence = confidence.ConstView(),
                         .truth = truth.ConstView()},
                        kRig, {});
}

TEST(CloudFrame, PixelsAndPointsFindEachOtherAndAgreeToTheBitWithTheDepth) {
  const CloudFrame frame = Frame();
  HostImage<float> depth_m(32, 20);
  DepthFromDisparity(Disparity().ConstView(), kRig, {}, depth_m.View());
  std::size_t num_points = 0;
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 32; ++x) {
      const std::optional<std::size_t> point = PointOfPixel(frame, x, y);
      ASSERT_EQ(point.has_value(), !std::isnan(depth_m(x, y))) << x << ", " << y;
      if (!point) continue;
      ++num_points;
      EXPECT_EQ(frame.cloud.points[*point].z, depth_m(x, y));
      EXPECT_EQ(frame.cloud.colors[*point].r, 4 * x);
      EXPECT_EQ(frame.confidence[*point], static_cast<float>(x + y));
      EXPECT_EQ(PixelOfPoint(frame, *point), (Pixel{x, y}));
    }
  }
  EXPECT_EQ(num_points, frame.cloud.size());
  EXPECT_FALSE(PointOfPixel(frame, -1, 3));
  EXPECT_FALSE(PointOfPixel(frame, 32, 3));
  EXPECT_FALSE(PixelOfPoint(frame, frame.cloud.size()));
  EXPECT_TRUE(std::isnan(frame.errors_px[*PointOfPixel(frame, 4, 0)]));
  EXPECT_FLOAT_EQ(frame.errors_px[*PointOfPixel(frame, 1, 0)], 5 - 3.37f);
}

TEST(CloudFrame, WithoutAnyValueIsEmpty) {
  const HostImage<float> disparity(5, 4, kNan);
  const HostImage<std::uint8_t> gray(5, 4, std::uint8_t{0});
  const CloudFrame frame =
      MakeCloudFrame({.disparity = disparity.ConstView(), .colors = gray.ConstView()}, kRig, {});
  EXPECT_EQ(frame.cloud.size(), 0u);
  EXPECT_FALSE(PointOfPixel(frame, 2, 2));
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures(1);
  for (int coloring = 0; coloring <= static_cast<int>(CloudColoring::kDistance); ++coloring) {
    const ShownCloud shown =
        ShowCloud(std::make_shared<const CloudFrame>(MakeCloudFrame(
                      {.disparity = disparity.ConstView(), .colors = gray.ConstView()}, kRig, {})),
                  {.coloring = static_cast<CloudColoring>(coloring)}, *measures);
    EXPECT_TRUE(shown.points.empty());
    EXPECT_TRUE(shown.colors.colors.empty());
  }
}

TEST(ShowCloud, DrawsWhatIsFiniteAndInRange) {
  auto frame = std::make_shared<CloudFrame>();
  frame->cloud.points = {{0, 0, 1}, {0, kNan, 2}, {1, 0, 5}, {2, 0, 9}};
  frame->cloud.colors = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures(1);
  const ShownCloud shown = ShowCloud(frame, {.near_m = 2, .far_m = 9}, *measures);
  ASSERT_EQ(shown.points.size(), 2u);
  EXPECT_EQ(shown.IndexInFrame(0), 2u);
  EXPECT_EQ(shown.IndexInFrame(1), 3u);
  EXPECT_EQ(shown.colors.colors[0], (Rgb8{3, 3, 3}));
  EXPECT_EQ(ShowCloud(frame, {.near_m = 100}, *measures).points.size(), 0u);
}

TEST(CloudFrame, WithoutFilledPixels) {
  const HostImage<float> disparity(4, 3, 5.0F);
  HostImage<std::uint8_t> gray(4, 3, std::uint8_t{9}), validity(4, 3, std::uint8_t{kValid});
  gray(3, 1) = 77;
  validity(2, 1) = kMismatched | kFilled;
  const auto make = [&] {
    return std::make_shared<const CloudFrame>(MakeCloudFrame({.disparity = disparity.ConstView(),
                                                              .colors = gray.ConstView(),
                                                              .confidence = gray.ConstView(),
                                                              .validity = validity.ConstView()},
                                                             kRig, {}));
  };
  const std::shared_ptr<const CloudFrame> measured = WithoutFilled(make());
  EXPECT_EQ(measured->cloud.size(), 11u);
  EXPECT_FALSE(PointOfPixel(*measured, 2, 1));
  ASSERT_EQ(PointOfPixel(*measured, 3, 1), 6u);
  EXPECT_EQ(measured->cloud.colors[6].r, 77);
  EXPECT_EQ(measured->confidence[6], 77);
  EXPECT_TRUE(measured->errors_px.empty());
  validity(2, 1) = kValid;
  const std::shared_ptr<const CloudFrame> whole = make();
  EXPECT_EQ(WithoutFilled(whole), whole);
}

TEST(ColorCloud, EveryColoringHasAScaleOrSaysWhyNot) {
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures(1);
  const auto frame = std::make_shared<const CloudFrame>(Frame());
  for (int i = 0; i <= static_cast<int>(CloudColoring::kDistance); ++i) {
    const auto coloring = static_cast<CloudColoring>(i);
    const CloudColors colors = ColorCloud(*frame, coloring, {}, *measures);
    ASSERT_EQ(colors.colors.size(), frame->cloud.size()) << i;
    if (coloring == CloudColoring::kImage) {
      EXPECT_FALSE(colors.scale);
      EXPECT_EQ(colors.note, "");
    } else if (coloring == CloudColoring::kDistance) {
      EXPECT_FALSE(colors.scale);
      EXPECT_EQ(colors.note, "there is no second cloud");
    } else {
      EXPECT_TRUE(colors.scale) << i;
      EXPECT_NE(colors.colors.front(), colors.colors.back()) << i;
    }
  }
}

TEST(ColorCloud, ACloudOfOnePointHasAColorWhateverIsAskedFor) {
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures(1);
  CloudFrame frame;
  frame.cloud.points = {{1, 2, 3}};
  for (int i = 0; i <= static_cast<int>(CloudColoring::kDistance); ++i) {
    EXPECT_EQ(ColorCloud(frame, static_cast<CloudColoring>(i), {}, *measures).colors.size(), 1u) << i;
  }
}

}  // namespace
}  // namespace parallax::app
