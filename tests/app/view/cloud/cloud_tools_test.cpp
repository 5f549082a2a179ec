#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "app/view/cloud/cloud_lines.h"
#include "app/view/cloud/ground.h"
#include "app/view/cloud/point_pick.h"
#include "app/view/cloud/ruler.h"
#include "parallax/error.h"
#include "pipeline/cloud/cpu_cloud_measures.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

// A street: a plane that falls away to the right, with walls on both sides.
std::vector<Point3f> Street() {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> one(0, 1);
  std::vector<Point3f> points;
  for (int i = 0; i < 6000; ++i) {
    const float x = -6 + 12 * one(random), z = 4 + 40 * one(random);
    const float ground = 1.65f + 0.05f * x - 0.02f * z;
    if (i % 2 == 0) {
      points.push_back({x, ground, z});
    } else {
      points.push_back({x < 0 ? -6.0f : 6.0f, ground - 5 * one(random), z});
    }
  }
  return points;
}

TEST(FindGround, FindsATiltedStreetAndNoneInAWall) {
  const std::optional<Ground> ground = FindGround(Street());
  ASSERT_TRUE(ground);
  EXPECT_NEAR(ground->y_m, 1.65f, 0.05f);
  EXPECT_NEAR(ground->slope_x, 0.05f, 0.01f);
  EXPECT_NEAR(ground->slope_z, -0.02f, 0.003f);
  EXPECT_NEAR(ground->HeightOf({0, -0.35f, 0}), 2, 0.05f);
  std::vector<Point3f> wall;
  for (int i = 0; i < 5000; ++i)
    wall.push_back({0.01f * static_cast<float>(i % 100), 0.02f * static_cast<float>(i / 100), 5});
  EXPECT_FALSE(FindGround(wall));
  EXPECT_FALSE(FindGround(std::vector<Point3f>(10, {0, 1, 2})));
  EXPECT_FALSE(FindGround(std::vector<Point3f>(1000, {0, 1, 2})));
  EXPECT_NEAR(LevelBelow(wall).y_m, 0.98f, 0.03f);
  EXPECT_EQ(LevelBelow(std::vector<Point3f>{}).y_m, 0);
}

TEST(GridLines, AreRoundMetresOnTheGround) {
  const CloudLines grid = GridLines({.slope_x = 0, .slope_z = 0.1f, .y_m = 1}, {-6, -3, 4}, {6, 1, 44});
  EXPECT_EQ(GridStep({-6, -3, 4}, {6, 1, 44}), 5);
  ASSERT_FALSE(grid.lines.empty());
  for (const CloudLine& line : grid.lines) {
    for (const Point3f p : {line.from, line.to}) {
      EXPECT_NEAR(p.y, 1 + 0.1f * p.z, 1e-5f);
      EXPECT_EQ(std::fmod(p.x, 5.0f), 0);
      EXPECT_EQ(std::fmod(p.z, 5.0f), 0);
    }
  }
  EXPECT_EQ(grid.texts.front().text, "5 m");
  for (std::size_t i = 0; i < grid.texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {  // none lies on another
      const Point3f a = grid.texts[i].at, b = grid.texts[k].at;
      EXPECT_TRUE(a.x != b.x || a.z != b.z) << grid.texts[i].text << " and " << grid.texts[k].text;
    }
  }
  EXPECT_LE(GridLines({}, {-1e9f, 0, 1}, {1e9f, 0, 1e9f}).lines.size(), 82u);
  EXPECT_GT(GridLines({}, {1, 2, 3}, {1, 2, 3}).lines.size(), 0u);  // a cloud of one point
}

TEST(FrustumLines, CornersAreThoseOfThePicture) {
  const StereoRig rig{.fx_px = 100, .cx_px = 49.5, .cy_px = 24.5, .baseline_m = 0.5, .doffs_px = 0};
  const CloudLines frustum = FrustumLines(rig, 100, 50, 2);
  float right = 0, bottom = 0;
  for (const CloudLine& line : frustum.lines) {
    for (const Point3f p : {line.from, line.to}) right = std::max(right, p.x), bottom = std::max(bottom, p.y);
  }
  EXPECT_FLOAT_EQ(right, 1);
  EXPECT_FLOAT_EQ(bottom, 0.5f);
  EXPECT_TRUE(FrustumLines({}, 100, 50, 2).lines.empty());
}

// Looks along z with a right angle of view; 200 x 100 px.
constexpr CloudProjection kAlongZ{{0.5f, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, -0.1f, 0, 0, 1, 0}, 200, 100};

TEST(PickPoint, TakesTheNearestSurfaceUnderTheMouse) {
  const std::vector<Point3f> points = {{0, 0, 10}, {0.01f, 0, 2}, {0.02f, 0, 2.01f}, {1, 0, 5}, {0, 0, -3}};
  const std::optional<PanePoint> middle = Project(kAlongZ, points[0]);
  ASSERT_TRUE(middle);
  EXPECT_FLOAT_EQ(middle->x, 100);
  EXPECT_FLOAT_EQ(middle->y, 50);
  EXPECT_FALSE(Project(kAlongZ, points[4]));
  EXPECT_EQ(PickPoint(points, {}, kAlongZ, 100.2f, 50, 4), 1u);
  EXPECT_EQ(PickPoint(points, {}, kAlongZ, 101, 50, 4), 2u);
  EXPECT_EQ(PickPoint(points, {}, kAlongZ, 110, 50, 4), 3u);
  EXPECT_FALSE(PickPoint(points, {}, kAlongZ, 150, 50, 4));
  const std::vector<std::int32_t> only = {0, 3};
  EXPECT_EQ(PickPoint(points, only, kAlongZ, 100, 50, 4), 0u);
}

std::shared_ptr<const CloudFrame> FrameOf(std::vector<Point3f> points) {
  auto frame = std::make_shared<CloudFrame>();
  frame->cloud.points = std::move(points);
  return frame;
}

TEST(Ruler, MeasuresAroundACornerAndAcrossGapsByVoxels) {
  const std::unique_ptr<CloudMeasures> measures = MakeCpuCloudMeasures(1);
  // Two walls that meet in a right angle, 1 m each.
  std::vector<Point3f> points;
  for (int i = 0; i <= 50; ++i) {
    for (int j = 0; j <= 10; ++j) {
      const float along = 0.02f * static_cast<float>(i), up = 0.02f * static_cast<float>(j);
      points.push_back({along, up, 0});
      if (i > 0) points.push_back({0, up, along});
    }
  }
  const auto at = [&](Point3f wanted) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] == wanted) return i;
    }
    return points.size();
  };
  const std::size_t from = at({1, 0, 0}), to = at({0, 0, 1});
  ASSERT_LT(std::max(from, to), points.size());
  const RulerLength length = Ruler().Measure(FrameOf(points), from, to, *measures);
  EXPECT_FLOAT_EQ(length.straight_m, std::sqrt(2.0f));
  ASSERT_TRUE(length.geodesic_m);
  EXPECT_NEAR(*length.geodesic_m, 2, 0.05f);
  EXPECT_EQ(length.note, "");
  ASSERT_GT(length.path.size(), 10u);
  EXPECT_EQ(length.path.front(), points[from]);
  EXPECT_EQ(length.path.back(), points[to]);

  std::vector<Point3f> apart = points;
  for (const Point3f& p : points) apart.push_back({p.x + 1.3f, p.y, p.z});
  const RulerLength across = Ruler().Measure(FrameOf(apart), from, from + points.size(), *measures);
  ASSERT_TRUE(across.geodesic_m);
  ASSERT_TRUE(across.voxel_m);
  EXPECT_NE(across.note.find("over voxels of"), std::string::npos);

  std::vector<Point3f> with_hole = points;
  with_hole.insert(with_hole.begin(), {std::nanf(""), 0, 0});
  EXPECT_EQ(Ruler().Measure(FrameOf(with_hole), from + 1, to + 1, *measures).geodesic_m, length.geodesic_m);

  const std::vector<Point3f> few = {{0, 0, 1}, {3, 4, 1}};
  const RulerLength of_few = Ruler().Measure(FrameOf(few), 0, 1, *measures);
  EXPECT_FLOAT_EQ(of_few.straight_m, 5);
  EXPECT_FALSE(of_few.geodesic_m);
  EXPECT_NE(of_few.note.find("needs more points than 2"), std::string::npos) << of_few.note;
}

}  // namespace
}  // namespace parallax::app
