// Properties of lens models and of the rectified view over many random lenses. PARALLAX_LENSES sets their number.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "pipeline/calibration/rectification.h"
#include "pipeline/calibration/rectifier.h"
#include "tests/support/random_lenses.h"

namespace parallax::test {
namespace {

constexpr int kWidth = 160, kHeight = 120;

int NumLenses() {
  const char* number = std::getenv("PARALLAX_LENSES");
  return number != nullptr ? std::atoi(number) : 100;
}

std::string TextOf(const CameraModel& c) {
  std::string text =
      "f " + std::to_string(c.fx_px) + " c " + std::to_string(c.cx_px) + " " + std::to_string(c.cy_px);
  for (const double k : c.distortion) text += " " + std::to_string(k);
  return std::string(NameOf(c.lens)) + " " + text;
}

// What a lens projects it unprojects, and the other way round.
TEST(RandomLens, UnprojectIsTheInverseOfProject) {
  for (int i = 0; i < NumLenses(); ++i) {
    Random random(static_cast<std::uint32_t>(i));
    const CameraModel camera = RandomLens(random, kWidth, kHeight);
    const CameraProjection projection(camera);
    for (int k = 0; k < 50; ++k) {
      const double angle = random.Uniform(0, 2 * std::numbers::pi), radius = random.Uniform(0, 1.5);
      const Vector3 ray = Normalized({radius * std::cos(angle), radius * std::sin(angle), 1});
      const auto pixel = projection.Project(ray);
      if (!pixel) continue;
      const auto back = projection.Unproject(*pixel);
      ASSERT_TRUE(back) << i << " " << TextOf(camera) << " radius " << radius << " angle " << angle;
      const auto again = projection.Project(*back);
      ASSERT_TRUE(again);
      EXPECT_LT(std::hypot(again->x - pixel->x, again->y - pixel->y), 1e-6) << i << " " << TextOf(camera);
      // Where a pixel moves fast with the ray, the ray is known well.
      const Vector3 near_ray =
          Normalized({(radius + 1e-4) * std::cos(angle), (radius + 1e-4) * std::sin(angle), 1});
      const auto near_pixel = projection.Project(near_ray);
      if (near_pixel &&
          std::hypot(near_pixel->x - pixel->x, near_pixel->y - pixel->y) > 1e-5 * camera.fx_px) {
        EXPECT_LT(Length(*back - ray), 1e-6) << i << " " << TextOf(camera) << " radius " << radius;
      }
    }
    for (int k = 0; k < 20; ++k) {
      const Vector2 pixel{random.Uniform(0, kWidth - 1), random.Uniform(0, kHeight - 1)};
      const auto ray = projection.Unproject(pixel);
      if (!ray) continue;
      const auto back = projection.Project(*ray);
      ASSERT_TRUE(back) << i << " " << TextOf(camera);
      EXPECT_LT(std::hypot(back->x - pixel.x, back->y - pixel.y), 1e-6) << i << " " << TextOf(camera);
    }
  }
}

TEST(RandomLens, SlopesAreThoseOfDifferences) {
  for (int i = 0; i < 50; ++i) {
    Random random(static_cast<std::uint32_t>(i));
    const CameraModel camera = RandomLens(random, kWidth, kHeight);
    const CameraProjection projection(camera);
    const Vector3 point{random.Uniform(-0.2, 0.2), random.Uniform(-0.2, 0.2), random.Uniform(1, 2)};
    ProjectionSlopes slopes;
    ASSERT_TRUE(projection.Project(point, &slopes));
    constexpr double kStep = 1e-6;
    const auto expect_slope = [&](const CameraModel& more, const CameraModel& less, const Vector3& step,
                                  const Vector2& slope) {
      const auto a = CameraProjection(more).Project(point + step),
                 b = CameraProjection(less).Project(point - step);
      EXPECT_NEAR((a->x - b->x) / (2 * kStep * camera.fx_px), slope.x, 1e-6) << TextOf(camera);
      EXPECT_NEAR((a->y - b->y) / (2 * kStep * camera.fy_px), slope.y, 1e-6) << TextOf(camera);
    };
    expect_slope(camera, camera, {kStep, 0, 0}, {slopes.x_by_point.x, slopes.y_by_point.x});
    expect_slope(camera, camera, {0, kStep, 0}, {slopes.x_by_point.y, slopes.y_by_point.y});
    expect_slope(camera, camera, {0, 0, kStep}, {slopes.x_by_point.z, slopes.y_by_point.z});
    for (std::size_t k = 0; k < (camera.lens == LensModel::kFisheye ? 4U : 8U); ++k) {
      CameraModel more = camera, less = camera;
      more.distortion[k] += kStep;
      less.distortion[k] -= kStep;
      expect_slope(more, less, {}, slopes.by_distortion[k]);
    }
  }
}

RawRig RandomLensRig(Random& random) {
  RawRig rig;
  rig.left = RandomLens(random, kWidth, kHeight);
  rig.right = rig.left;  // cameras of one kind
  rig.right.cx_px += random.Normal(2);
  rig.right.cy_px += random.Normal(2);
  rig.right_from_left = RotationOf({random.Normal(0.03), random.Normal(0.05), random.Normal(0.03)});
  rig.translation_m = -(rig.right_from_left * Vector3{0.1, random.Normal(0.003), random.Normal(0.003)});
  return rig;
}

// The view holds no unseen pixels, and a small change of the rig changes it a little.
TEST(RandomLens, TheViewIsSeenAndChangesSmoothly) {
  int num_views = 0;
  for (int i = 0; i < NumLenses(); ++i) {
    Random random(static_cast<std::uint32_t>(i));
    const RawRig rig = RandomLensRig(random);
    if (!WhyNotRectifiable(rig).empty()) continue;
    ++num_views;
    const Rectifier rectifier(rig);
    const Rectification& view = rectifier.rectification();
    EXPECT_TRUE(rectifier.seen()->all) << i << " " << TextOf(rig.left) << " | " << TextOf(rig.right);
    const KeptShare kept = KeptShareOf(rig, view);
    EXPECT_GT(kept.left, 0.1) << i << " " << TextOf(rig.left);
    RawRig changed = rig;
    for (CameraModel* camera : {&changed.left, &changed.right}) {
      camera->cx_px += random.Uniform(-0.025, 0.025);
      camera->cy_px += random.Uniform(-0.025, 0.025);
      camera->fx_px *= 1 + random.Uniform(-1e-4, 1e-4);
      const double r2 = std::pow(std::hypot(kWidth, kHeight) / 2 / camera->fx_px, 2);
      double power = 1;
      for (const std::size_t k : {0U, 1U, 4U})
        camera->distortion[k] += random.Uniform(-1e-4, 1e-4) / (power *= r2);
    }
    if (!WhyNotRectifiable(changed).empty()) continue;
    const Rectification other = MakeRectification(changed);
    constexpr double kMost = 0.01;  // a jump moves the view by 10 % and more
    EXPECT_LT(std::abs(other.rig.cx_px - view.rig.cx_px), kMost * kWidth) << i << " " << TextOf(rig.left);
    EXPECT_LT(std::abs(other.rig.cy_px - view.rig.cy_px), kMost * kWidth) << i << " " << TextOf(rig.left);
    EXPECT_LT(std::abs(other.rig.fx_px / view.rig.fx_px - 1), kMost) << i << " " << TextOf(rig.left);
  }
  EXPECT_GT(num_views, NumLenses() * 3 / 4);
}

// A webcam whose model ends at the border of the image, or just inside.
TEST(RandomLens, TheViewOfAWideWebcamDoesNotJump) {
  std::array<double, 2> last{};
  for (double cx = 325; cx <= 340; cx += 1) {
    RawRig rig;
    rig.left = {.width_px = 640,
                .height_px = 480,
                .fx_px = 421,
                .fy_px = 421,
                .cx_px = cx,
                .cy_px = 240,
                .lens = LensModel::kPlumbBob,
                .distortion = {-0.42, 0.23, 0, 0, -0.07}};
    rig.right = rig.left;
    rig.translation_m = {-0.06, 0, 0};
    const Rectifier rectifier(rig);
    const Rectification& view = rectifier.rectification();
    EXPECT_TRUE(rectifier.seen()->all) << cx;
    EXPECT_NEAR(view.rig.cx_px, 319.5, 60) << cx;
    EXPECT_GT(KeptShareOf(rig, view).left, 0.6) << cx;
    if (cx > 325) {
      EXPECT_NEAR(view.rig.cx_px, last[0], 8) << cx;
      EXPECT_NEAR(view.rig.fx_px, last[1], 8) << cx;
    }
    last = {view.rig.cx_px, view.rig.fx_px};
  }
}

}  // namespace
}  // namespace parallax::test
