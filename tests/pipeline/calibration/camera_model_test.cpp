#include "pipeline/calibration/camera_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "parallax/error.h"
#include "pipeline/calibration/raw_rig.h"

namespace parallax {
namespace {

CameraModel Camera(LensModel lens, std::array<double, 8> k) {
  return {.width_px = 640,
          .height_px = 480,
          .fx_px = 500,
          .fy_px = 510,
          .cx_px = 318,
          .cy_px = 242,
          .lens = lens,
          .distortion = k};
}

TEST(CameraModel, ProjectsAsWorkedByHand) {
  // x = 0.5, y = 0.25: r^2 = 0.3125.
  const Vector3 point{1, 0.5, 2};
  const auto plain = CameraProjection(Camera(LensModel::kPinhole, {})).Project(point);
  ASSERT_TRUE(plain);
  EXPECT_DOUBLE_EQ(plain->x, 500 * 0.5 + 318);
  EXPECT_DOUBLE_EQ(plain->y, 510 * 0.25 + 242);
  // s = 1 - 0.2 * 0.3125 = 0.9375; x' = 0.46875 + 2 * 0.01 * 0.125 + 0.02 * (0.3125 + 0.5)
  const auto bent = CameraProjection(Camera(LensModel::kPlumbBob, {-0.2, 0, 0.01, 0.02})).Project(point);
  ASSERT_TRUE(bent);
  EXPECT_NEAR(bent->x, 500 * (0.46875 + 0.0025 + 0.01625) + 318, 1e-9);
  EXPECT_NEAR(bent->y, 510 * (0.234375 + 0.01 * (0.3125 + 0.125) + 2 * 0.02 * 0.125) + 242, 1e-9);
  // A fisheye without coefficients: the radius is the angle, here 45 degrees along x.
  const auto fish = CameraProjection(Camera(LensModel::kFisheye, {})).Project({3, 0, 3});
  ASSERT_TRUE(fish);
  EXPECT_NEAR(fish->x, 500 * std::numbers::pi / 4 + 318, 1e-9);
  EXPECT_NEAR(fish->y, 242, 1e-12);
}

TEST(CameraModel, UnprojectIsTheInverse) {
  for (const CameraModel& camera :
       {Camera(LensModel::kPinhole, {}), Camera(LensModel::kPlumbBob, {-0.37, 0.2, 0.002, 0.001, -0.07}),
        Camera(LensModel::kPlumbBob, {0.3, -0.1, 0, 0.001, 0.05, 0.2, -0.05, 0.01}),
        Camera(LensModel::kFisheye, {0.01, -0.02, 0.005, -0.001})}) {
    const CameraProjection projection(camera);
    for (int y = 0; y < 480; y += 53) {
      for (int x = 0; x < 640; x += 49) {
        const auto ray = projection.Unproject({static_cast<double>(x), static_cast<double>(y)});
        ASSERT_TRUE(ray) << NameOf(camera.lens) << " " << x << " " << y;
        EXPECT_NEAR(Length(*ray), 1, 1e-12);
        const auto pixel = projection.Project(*ray);
        ASSERT_TRUE(pixel);
        EXPECT_NEAR(pixel->x, x, 1e-6);
        EXPECT_NEAR(pixel->y, y, 1e-6);
      }
    }
  }
}

TEST(CameraModel, ShowsNothingTwice) {
  // r (1 - 0.3 r^2) turns at r = 1.054: what lies further out would come in again.
  const CameraProjection projection(Camera(LensModel::kPlumbBob, {-0.3}));
  EXPECT_TRUE(projection.Project({1, 0, 1}));
  EXPECT_FALSE(projection.Project({1.2, 0, 1}));
  EXPECT_FALSE(projection.Unproject({500 * 0.75 + 318, 242}));
  EXPECT_FALSE(projection.Project({0, 0, -1}));
  // A fisheye sees behind itself.
  EXPECT_TRUE(CameraProjection(Camera(LensModel::kFisheye, {})).Project({1, 0, -0.5}));
}

TEST(CameraModel, TheViewGrowsAtMostFiveTimesAsFastAsThePixel) {
  // The slope 1 - 0.9 r^2 is a fifth at r = 0.942809, where r (1 - 0.3 r^2) = 0.691393, and 0 at r = 1.054093, where it
  // is 0.702728. In between the view's radius is 0.942809 + 5 (pixel's radius - 0.691393).
  const CameraProjection projection(Camera(LensModel::kPlumbBob, {-0.3}));
  const auto radius_at = [&](double distorted) {
    const Vector3 ray = projection.ViewRay({500 * distorted + 318, 242});
    EXPECT_NEAR(Length(ray), 1, 1e-12);
    EXPECT_NEAR(ray.y, 0, 1e-12);
    return ray.x / ray.z;
  };
  EXPECT_NEAR(radius_at(0.5 * (1 - 0.3 * 0.25)), 0.5, 1e-9);
  EXPECT_NEAR(radius_at(0.691393), 0.942809, 1e-4);
  EXPECT_NEAR(radius_at(0.7), 0.985843, 1e-4);
  EXPECT_NEAR(radius_at(0.702728), 0.999484, 1e-4);
  EXPECT_NEAR(radius_at(0.8), 0.999484, 1e-4);  // no further where the model has turned back
}

// What no lens shows, and the ends of the models.
TEST(CameraModel, WhatIsNotSeen) {
  const CameraProjection plain(Camera(LensModel::kPinhole, {})), fish(Camera(LensModel::kFisheye, {})),
      bent(Camera(LensModel::kPlumbBob, {-0.2}));
  for (const CameraProjection* camera : {&plain, &fish, &bent}) {
    for (const Vector2 nowhere : {Vector2{std::nan(""), 0}, Vector2{0, std::nan("")}})
      EXPECT_FALSE(camera->Unproject(nowhere));
  }
  EXPECT_FALSE(plain.Project({0, 0, 0}));
  EXPECT_FALSE(plain.Project({13, 0, 1}));   // 85.6 degrees: kWidestRadius is 12
  EXPECT_FALSE(fish.Project({1, 0, -1.1}));  // 137.7 degrees: kWidestAngle is 135
  EXPECT_TRUE(fish.Project({1.1, 0, -1}));
  EXPECT_FALSE(fish.Unproject({318 + 500 * 2.4, 242}));  // 2.4 > 3/4 pi
  // r (1 - 0.2 r^2) is at most 0.86, where 0.6 r^2 = 1.
  EXPECT_TRUE(bent.Unproject({318 + 500 * 0.85, 242}));
  EXPECT_FALSE(bent.Unproject({318 + 500 * 0.87, 242}));
  // On the axis.
  const auto ahead = fish.Unproject({318, 242});
  ASSERT_TRUE(ahead);
  EXPECT_EQ(ahead->z, 1);
  ProjectionSlopes slopes;
  ASSERT_TRUE(fish.Project({0, 0, 2}, &slopes));
  EXPECT_DOUBLE_EQ(slopes.x_by_point.x, 0.5);
  EXPECT_DOUBLE_EQ(slopes.y_by_point.y, 0.5);
  EXPECT_EQ(slopes.x_by_point.y, 0);
  // Beyond the model's end the view stays at that end.
  const Vector3 ray = fish.ViewRay({318 + 500 * 3, 242});
  EXPECT_NEAR(std::atan2(ray.x, ray.z), 0.75 * std::numbers::pi, 1e-6);
}

TEST(CameraModel, RotationVectorsAndBack) {
  for (const Vector3 v : {Vector3{0, 0, 0}, Vector3{1e-9, 0, 0}, Vector3{0.3, -0.2, 0.9},
                          Vector3{0, std::numbers::pi, 0}, Vector3{3.1, 0.2, -0.1},
                          Vector3{0, std::numbers::pi - 5e-7, 0}, Vector3{5e-7 - std::numbers::pi, 0, 0}}) {
    const Matrix3 r = RotationOf(v);
    EXPECT_LT(DistanceFromRotation(r), 1e-12);
    const Vector3 back = RotationVectorOf(r);
    EXPECT_NEAR(Length(back), Length(v), 1e-6);
    const Matrix3 again = RotationOf(back);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(again.m[i], r.m[i], 1e-12);
  }
  // A quarter turn about z takes x to y.
  const Vector3 y = RotationOf({0, 0, std::numbers::pi / 2}) * Vector3{1, 0, 0};
  EXPECT_NEAR(y.y, 1, 1e-15);
  Matrix3 rounded = RotationOf({0.3, -0.2, 0.9});
  for (double& m : rounded.m) m = std::round(m * 1e3) / 1e3;
  EXPECT_LT(DistanceFromRotation(NearestRotation(rounded)), 1e-12);
}

TEST(CameraModel, RefusesWhatIsNone) {
  CameraModel camera = Camera(LensModel::kPinhole, {});
  camera.fx_px = 0;
  EXPECT_THROW(CameraProjection{camera}, InvalidArgument);
  for (double CameraModel::*number :
       {&CameraModel::fx_px, &CameraModel::fy_px, &CameraModel::cx_px, &CameraModel::cy_px}) {
    camera = Camera(LensModel::kPinhole, {});
    camera.*number = std::numeric_limits<double>::infinity();
    EXPECT_THROW(CameraProjection{camera}, InvalidArgument);
  }
  for (int CameraModel::*size : {&CameraModel::width_px, &CameraModel::height_px}) {
    camera = Camera(LensModel::kPinhole, {});
    camera.*size = -1;
    EXPECT_THROW(CameraProjection{camera}, InvalidArgument);
  }
  camera = Camera(LensModel::kPlumbBob, {0, 0, 0, 0, 0, 0, 0, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_THROW(CameraProjection{camera}, InvalidArgument);
  camera = Camera(LensModel::kPinhole, {});
  camera.fy_px = -1;
  EXPECT_THROW(CameraProjection{camera}, InvalidArgument);
  RawRig rig{Camera(LensModel::kPinhole, {}), Camera(LensModel::kPinhole, {}), {}, {}};
  EXPECT_THROW(CheckRawRig(rig, "rig"), InvalidArgument);  // no baseline
  rig.translation_m = {-0.1, 0, 0};
  EXPECT_NO_THROW(CheckRawRig(rig, "rig"));
  rig.left.fy_px = 0.5;
  EXPECT_NO_THROW(CheckRawRig(rig, "rig"));
  for (CameraModel RawRig::*side : {&RawRig::left, &RawRig::right}) {
    RawRig without = rig;
    (without.*side).fx_px = 0;
    EXPECT_THROW(CheckRawRig(without, "rig"), InvalidArgument);
  }
  rig.right_from_left.m[8] = -1;
  EXPECT_THROW(CheckRawRig(rig, "rig"), InvalidArgument);  // a mirror
}

}  // namespace
}  // namespace parallax
