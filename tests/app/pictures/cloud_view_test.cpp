#include "app/pictures/cloud_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
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
  // Turned a little, so that what is seen fills the picture.
  EXPECT_NEAR(view.target.x, 0.0f, 0.5f);
  EXPECT_NEAR(view.target.y, 0.0f, 0.5f);
  EXPECT_NEAR(view.target.z, 11.0f, 1.2f);
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

// A street of 12 m between houses of 8 m, seen from 1.65 m above it, as a camera of 80 degrees sees it.
std::vector<Point3f> Street() {
  std::vector<Point3f> points;
  for (int v = 0; v < 60; ++v) {
    for (int u = 0; u < 200; ++u) {
      const float x = 0.84f * (static_cast<float>(u) / 100 - 1), y = 0.26f * (static_cast<float>(v) / 30 - 1);
      float z = 80;
      if (y > 0) z = std::min(z, 1.65f / y);
      if (x != 0) z = std::min(z, 6 / std::abs(x));
      if (z * y > -6.4f) points.push_back({x * z, y * z, z});
    }
  }
  return points;
}

// Share of the columns and rows of the picture, in 40 parts each, in which a point lies.
void CoverageOf(const std::vector<Point3f>& points, const CloudView& view, float aspect, double& columns,
                double& rows) {
  const auto minus = [](Point3f a, Point3f b) { return Point3f{a.x - b.x, a.y - b.y, a.z - b.z}; };
  const auto dot = [](Point3f a, Point3f b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
  const auto unit = [&](Point3f a) {
    const float length = std::sqrt(dot(a, a));
    return Point3f{a.x / length, a.y / length, a.z / length};
  };
  const auto cross = [](Point3f a, Point3f b) {
    return Point3f{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  };
  const Point3f forward = unit(minus(view.target, view.eye)), right = unit(cross(forward, view.up));
  const Point3f down = cross(forward, right);
  const float tangent = std::tan(view.vertical_fov_deg * 3.14159265f / 360);
  std::set<int> in_columns, in_rows;
  for (const Point3f& p : points) {
    const Point3f d = minus(p, view.eye);
    const float z = dot(d, forward), x = dot(d, right) / (z * tangent * aspect),
                y = dot(d, down) / (z * tangent);
    if (z <= 0 || std::abs(x) >= 1 || std::abs(y) >= 1) continue;
    in_columns.insert(static_cast<int>(20 * (x + 1)));
    in_rows.insert(static_cast<int>(20 * (y + 1)));
  }
  columns = static_cast<double>(in_columns.size()) / 40;
  rows = static_cast<double>(in_rows.size()) / 40;
}

TEST(FirstView, AStreetFillsAWidePane) {
  const CloudView view = FirstView(Street(), 2.5f);
  double columns = 0, rows = 0;
  CoverageOf(Street(), view, 2.5f, columns, rows);
  EXPECT_GE(columns, 0.75);
  EXPECT_GE(rows, 0.9);
  EXPECT_LT(view.eye.z, 5);
  EXPECT_LT(view.eye.y, 0);
}

TEST(BirdsEyeView, LooksStraightDownWithWhatIsAheadAbove) {
  const CloudView view = BirdsEyeView(Street(), 1.0f);
  EXPECT_NEAR(view.eye.x, view.target.x, 1e-3f);
  EXPECT_NEAR(view.eye.z, view.target.z, 1e-3f);
  EXPECT_LT(view.eye.y, view.low.y);
  EXPECT_EQ(view.up, (Point3f{0, 0, 1}));
  double columns = 0, rows = 0;
  CoverageOf(Street(), view, 1.0f, columns, rows);
  EXPECT_GE(rows, 0.8);
  EXPECT_EQ(BirdsEyeView(Street(), 2.5f).up, (Point3f{-1, 0, 0}));  // the street along the wide picture
}

TEST(SideView, LooksAcross) {
  const CloudView view = SideView(Street(), 1.5f);
  EXPECT_GT(view.eye.x, view.high.x);
  EXPECT_NEAR(view.eye.z, view.target.z, 1e-3f);
  EXPECT_EQ(view.up, (Point3f{0, -1, 0}));
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
