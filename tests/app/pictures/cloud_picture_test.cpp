#include "app/pictures/cloud_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "app/pictures/colormap.h"
#include "parallax/error.h"

namespace parallax::app {
namespace {

// A wall of 4 m x 2 m, 5 m in front of the camera, its left half in front of its right half by a metre.
std::vector<Point3f> Wall() {
  std::vector<Point3f> points;
  for (int y = -20; y <= 20; ++y) {
    for (int x = -40; x <= 40; ++x) {
      points.push_back({0.05F * static_cast<float>(x), 0.05F * static_cast<float>(y), x < 0 ? 5.0F : 6.0F});
    }
  }
  return points;
}

// Share of the picture above the scale that shows a colour.
double ShareOf(const HostImage<Rgb8>& picture, Rgb8 color) {
  std::size_t count = 0;
  const int height = picture.height() - 80;
  for (int y = 0; y < height; ++y)
    count += static_cast<std::size_t>(std::count(picture.Row(y), picture.Row(y) + picture.width(), color));
  return static_cast<double>(count) / static_cast<double>(height * picture.width());
}

const ValueScale kScale{"error, m", 0, 1, false};

TEST(CloudPicture, PointsShowTheirColoursAndFillThePicture) {
  const std::vector<Point3f> points = Wall();
  std::vector<float> values, spacing(points.size(), 0.06F);
  for (const Point3f& p : points) values.push_back(p.x < 0 ? 0.0F : 1.0F);
  CloudPictureOptions options;
  options.spacing_m = spacing;
  const HostImage<Rgb8> picture = CloudPicture(points, values, kScale, options);
  EXPECT_EQ(picture.width(), 1280);
  EXPECT_EQ(picture.height(), 800);
  EXPECT_GT(ShareOf(picture, ColorOf(0)), 0.2);
  EXPECT_GT(ShareOf(picture, ColorOf(1)), 0.1);
  // Low values are those on the left.
  const auto is_left = [&](Rgb8 color) {
    double sum = 0, count = 0;
    for (int x = 0; x < picture.width(); ++x) {
      if (picture(x, 400) == color) sum += x, ++count;
    }
    return sum / count < 640;
  };
  EXPECT_TRUE(is_left(ColorOf(0)));
  EXPECT_FALSE(is_left(ColorOf(1)));
}

TEST(CloudPicture, TheNearerPointHidesTheOther) {
  std::vector<Point3f> points(2, {0, 0, 5});
  points[1].z = 5.0001F;
  const std::vector<float> spacing(2, 1);
  CloudPictureOptions options;
  options.spacing_m = spacing;
  const double near_low =
      ShareOf(CloudPicture(points, std::vector<float>{0, 1}, kScale, options), ColorOf(0));
  const double far_low = ShareOf(CloudPicture(points, std::vector<float>{1, 0}, kScale, options), ColorOf(0));
  EXPECT_GT(near_low, 4 * far_low);
}

TEST(CloudPicture, NoValueIsGrayAndLinesAreInFront) {
  const std::vector<Point3f> points = Wall();
  const std::vector<float> values(points.size(), std::numeric_limits<float>::quiet_NaN()),
      spacing(points.size(), 0.06F);
  CloudPictureOptions options;
  options.spacing_m = spacing;
  options.lines = {{{-1.8F, 0.1F, 7}, {1.8F, 0.1F, 7}}};  // behind the wall
  const HostImage<Rgb8> picture = CloudPicture(points, values, kScale, options);
  EXPECT_GT(ShareOf(picture, kNoValueColor), 0.3);
  EXPECT_GT(ShareOf(picture, {255, 255, 255}), 0.001);
}

TEST(CloudPicture, AnyCloudGivesAPicture) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const std::vector<Point3f>& points : {std::vector<Point3f>{{0, 0, 0}},
                                             {{1, 2, 3}, {1, 2, 3}},
                                             {{nan, 0, 1}, {0, 0, 5}, {inf, 0, 1}},
                                             {{0, 0, -5}, {1, 1, -6}},
                                             {{1e30F, 0, 1e30F}, {0, 0, 1}, {-1e30F, 1, 1}}}) {
    const std::vector<float> values(points.size(), 0.5F), spacing(points.size(), 0.1F);
    CloudPictureOptions options;
    options.spacing_m = spacing;
    EXPECT_FALSE(CloudPicture(points, values, kScale, options).Empty());
    options.spacing_m = {};
    EXPECT_FALSE(CloudPicture(points, values, kScale, options).Empty());
  }
  EXPECT_THROW(CloudPicture({}, {}, kScale, {}), InvalidArgument);
}

}  // namespace
}  // namespace parallax::app
