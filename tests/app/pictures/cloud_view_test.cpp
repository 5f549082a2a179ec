#include "app/pictures/cloud_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace parallax::app {
namespace {

constexpr float kAspect = 1.5f;

// A wall of points 8 m wide and 4 m high, from 10 to 12 m in front of the camera.
std::vector<Point3f> Wall() {
  std::vector<Point3f> points;
  for (int y = -20; y <= 20; ++y) {
    for (int x = -40; x <= 40; ++x) {
      points.push_back({0.1f * static_cast<float>(x), 0.1f * static_cast<float>(y), x < 0 ? 10.0f : 12.0f});
    }
  }
  return points;
}

TEST(FirstView, LooksForwardFromBehindAndAboveTheCamera) {
  const CloudView view = FirstView(Wall(), kAspect);
  EXPECT_LT(view.eye.z, 0.5f);           // behind what the camera saw
  EXPECT_GT(view.target.z, view.eye.z);  // and looks the way the camera looked
  EXPECT_LT(view.eye.y, view.target.y);  // from above: y points down
  EXPECT_NEAR(view.target.x, 0.0f, 0.01f);
  EXPECT_NEAR(view.target.y, 0.0f, 0.01f);
  EXPECT_TRUE(view.target.z == 10.0f || view.target.z == 12.0f);
}

TEST(FirstView, FarOutliersChangeNothing) {
  std::vector<Point3f> points = Wall();
  const CloudView clean = FirstView(points, kAspect);
  for (int i = 0; i < 30; ++i) points.push_back({1e6f, -1e7f, 1e8f});  // 0.9 %
  const CloudView view = FirstView(points, kAspect);
  EXPECT_NEAR(view.eye.x, clean.eye.x, 0.5f);
  EXPECT_NEAR(view.eye.y, clean.eye.y, 0.5f);
  EXPECT_NEAR(view.eye.z, clean.eye.z, 1.5f);
  EXPECT_NEAR(view.target.z, clean.target.z, 2.01f);
  EXPECT_LE(view.high.z, 12.0f);
  EXPECT_GE(view.low.y, -2.0f);
}

TEST(FirstView, TheWallFillsThePictureButFits) {
  const CloudView view = FirstView(Wall(), kAspect);
  // 4 m high, seen from 12 m away: about 20 degrees; 8 m at an aspect of 1.5: about 25 degrees high.
  EXPECT_GT(view.vertical_fov_deg, 20);
  EXPECT_LT(view.vertical_fov_deg, 32);
}

TEST(FirstView, AWiderCloudNeedsAWiderPictureAndThenMoreDistance) {
  std::vector<Point3f> wide = Wall(), very_wide = Wall();
  for (Point3f& p : wide) p.x *= 1.5f;
  for (Point3f& p : very_wide) p.x *= 10;
  const CloudView wall = FirstView(Wall(), kAspect), wide_wall = FirstView(wide, kAspect);
  EXPECT_GT(wide_wall.vertical_fov_deg, 1.2f * wall.vertical_fov_deg);
  EXPECT_FLOAT_EQ(wide_wall.eye.z, wall.eye.z);
  const CloudView very_wide_wall = FirstView(very_wide, kAspect);
  EXPECT_LT(very_wide_wall.eye.z, wall.eye.z - 10);
  EXPECT_LE(very_wide_wall.vertical_fov_deg, 50);
  EXPECT_TRUE(IsOtherScene(wall, very_wide_wall));
}

TEST(IsOtherScene, NotWhereTheCloudMovesALittle) {
  std::vector<Point3f> moved = Wall();
  for (Point3f& p : moved) p.z *= 1.1f, p.x += 0.5f;
  const CloudView wall = FirstView(Wall(), kAspect);
  EXPECT_FALSE(IsOtherScene(wall, wall));
  EXPECT_FALSE(IsOtherScene(wall, FirstView(moved, kAspect)));
  for (Point3f& p : moved) p.z *= 3, p.x *= 3, p.y *= 3;
  EXPECT_TRUE(IsOtherScene(wall, FirstView(moved, kAspect)));
}

TEST(FirstView, ACloudAroundTheOriginIsSeenFromOutside) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Point3f> points(5000);
  for (Point3f& p : points) p = {normal(random), normal(random), normal(random)};
  const CloudView view = FirstView(points, kAspect);
  EXPECT_LT(view.low.z, 0.0f);
  EXPECT_LT(view.eye.z, view.low.z);  // outside its box
}

TEST(FirstView, SinglePointsAndNonFiniteOnesGiveAFiniteView) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  for (const std::vector<Point3f>& points : {std::vector<Point3f>{{0, 0, 0}},
                                             {{1, 2, 3}},
                                             {{1, 2, 3}, {1, 2, 3}},
                                             {{nan, 0, 1}},
                                             {{0, inf, 1}, {0, 0, 5}}}) {
    const CloudView view = FirstView(points, kAspect);
    for (const float value :
         {view.eye.x, view.eye.y, view.eye.z, view.target.x, view.target.y, view.target.z}) {
      EXPECT_TRUE(std::isfinite(value));
    }
    EXPECT_TRUE(view.eye != view.target);
  }
}

}  // namespace
}  // namespace parallax::app
