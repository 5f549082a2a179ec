// The truth of synthetic scenes, against cases worked by hand and against the images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "datasets/synthetic/named_scenes.h"
#include "datasets/synthetic/ray_caster.h"
#include "datasets/synthetic/spec.h"
#include "tests/datasets/synthetic_frames.h"

namespace parallax {
namespace {

using namespace synthetic;
using test::RenderFrame;

StereoRig RigByHand() { return {.fx_px = 100, .cx_px = 20, .cy_px = 10, .baseline_m = 0.5, .doffs_px = 0}; }

Object Facing(Vector3 center_m, double half_width_m, double half_height_m, std::uint8_t id) {
  Object o;  // axes x, y, z: parallel to the images
  o.center_m = center_m;
  o.half_m = {half_width_m, half_height_m, 0};
  o.id = id;
  return o;
}

// A rectangle 1 m wide, 10 m away, before a wall at 25 m: f b = 50 px m, so 5 px before 2 px.
// It spans X -0.5..0.5, that is x = 15..25 in the left image, y = 5..15.
TEST(SyntheticTruth, RectangleBeforeAWallByHand) {
  Scene scene;
  scene.rig = RigByHand();
  scene.objects = {Facing({0, 0, 25}, 100, 100, 0), Facing({0, 0, 10}, 0.499, 0.499, 7)};
  ThreadPool pool(1);
  const GroundTruth truth = RenderTruth(scene, 41, 21, pool);
  for (int y = 0; y < 21; ++y) {
    for (int x = 0; x < 41; ++x) {
      const bool in_front = x > 15 && x < 25 && y > 5 && y < 15;
      ASSERT_FLOAT_EQ(truth.disparity(x, y), in_front ? 5.F : 2.F) << x << ' ' << y;
      ASSERT_EQ(truth.objects(x, y), in_front ? 7 : 0) << x << ' ' << y;
      // In the right image the rectangle covers x = 10.01..19.99. The wall's pixel x is seen at x - 2, so it
      // is hidden for x = 13..21, of which 13, 14 and 15 are wall in the left image.
      const bool hidden = !in_front && y > 5 && y < 15 && x >= 13 && x <= 21;
      const bool outside = static_cast<float>(x) < truth.disparity(x, y);
      ASSERT_EQ(truth.nonoccluded(x, y), hidden || outside ? 0 : 255) << x << ' ' << y;
    }
  }
}

// Eight cars come towards the camera 38 m apart, at its speed of 0.8 m a frame: 190 frames later all are where they
// were, and each has come again from afar once.
TEST(SyntheticDrive, OncomingCarsComeAgainAfter190Frames) {
  const auto cars_at = [](int frame) {
    std::map<int, std::vector<double>> places_m;
    for (const Object& o : BuildDrive(ParseSpec("drive"), frame).objects) {
      if (o.id >= 2 && o.id < 10) places_m[o.id].push_back(o.center_m.z);
    }
    return places_m;
  };
  for (const int frame : {0, 33, 77}) {
    const auto before = cars_at(frame), after = cars_at(frame + 190);
    EXPECT_GE(before.size(), 3U);  // 150 m are in view
    ASSERT_EQ(before.size(), after.size());
    for (const auto& [id, places_m] : before) {
      ASSERT_TRUE(after.contains(id)) << id;
      EXPECT_THAT(after.at(id), ::testing::Pointwise(::testing::DoubleNear(1e-6), places_m)) << id;
    }
  }
}

// Sphere of radius 1 m, 5 m away on the axis: nearest point at 4 m, 50 / 4 = 12.5 px.
TEST(SyntheticTruth, SphereByHand) {
  Scene scene;
  scene.rig = RigByHand();
  Object sphere;
  sphere.shape = Shape::kSphere;
  sphere.center_m = {0, 0, 5};
  sphere.half_m = {1, 1, 1};
  sphere.id = 3;
  scene.objects = {sphere};
  ThreadPool pool(1);
  const GroundTruth truth = RenderTruth(scene, 41, 21, pool);
  EXPECT_FLOAT_EQ(truth.disparity(20, 10), 12.5F);
  EXPECT_TRUE(std::isnan(truth.disparity(41 - 1, 20)));  // sky has no disparity, ...
  EXPECT_EQ(truth.nonoccluded(40, 20), 0);               // ... is nothing to be matched, ...
  EXPECT_EQ(truth.objects(40, 20), 0);                   // ... and no object
  // Pixel (30, 10): ray (0.1, 0, 1); |t r - c| = 1: 1.01 t^2 - 10 t + 24 = 0.
  EXPECT_FLOAT_EQ(truth.disparity(30, 10),
                  static_cast<float>(50 / ((10 - std::sqrt(100 - 4 * 1.01 * 24)) / 2.02)));
  EXPECT_EQ(truth.objects(30, 10), 3);
}

// A cube of 2 m, not turned, front face at 4 m; and the same one turned by 90 degrees about z.
TEST(SyntheticTruth, BoxByHand) {
  Scene scene;
  scene.rig = RigByHand();
  Object box;
  box.shape = Shape::kBox;
  box.center_m = {0, 0, 5};
  box.half_m = {1, 0.1, 1};
  scene.objects = {box};
  ThreadPool pool(1);
  EXPECT_FLOAT_EQ(RenderTruth(scene, 41, 21, pool).disparity(35, 10), 12.5F);
  EXPECT_TRUE(std::isnan(RenderTruth(scene, 41, 21, pool).disparity(20, 17)));
  std::swap(scene.objects[0].axis[0], scene.objects[0].axis[1]);
  EXPECT_FLOAT_EQ(RenderTruth(scene, 41, 21, pool).disparity(20, 17), 12.5F);
  EXPECT_TRUE(std::isnan(RenderTruth(scene, 41, 21, pool).disparity(35, 10)));
}

TEST(SyntheticTruth, DoffsShiftsTheDisparity) {
  Scene scene;
  scene.rig = RigByHand();
  scene.rig.doffs_px = 3;
  scene.objects = {Facing({0, 0, 10}, 100, 100, 0)};
  ThreadPool pool(1);
  EXPECT_FLOAT_EQ(RenderTruth(scene, 41, 21, pool).disparity(20, 10), 2.F);
}

TEST(SyntheticTruth, PlanesHaveTheRigsDisparity) {
  const StereoFrame frame = RenderFrame("planes,width=120,height=90,objects=0,seed=3");
  SyntheticSpec spec = ParseSpec("planes,width=120,height=90,objects=0,seed=3");
  const Scene scene = BuildScene(spec, 0);
  const double expected = frame.rig->fx_px * frame.rig->baseline_m / scene.objects.at(0).center_m.z;
  for (const int x : {0, 60, 119}) {
    for (const int y : {0, 45, 89})
      EXPECT_FLOAT_EQ(frame.truth->disparity(x, y), static_cast<float>(expected));
  }
}

TEST(SyntheticTruth, SlantedPlaneIsAffine) {
  for (const int seed : {1, 2, 3, 4}) {
    const StereoFrame frame =
        RenderFrame("slanted,width=201,height=101,objects=0,seed=" + std::to_string(seed));
    const auto& d = frame.truth->disparity;
    const double at_0 = d(0, 0), slope_x = (d(200, 0) - at_0) / 200, slope_y = (d(0, 100) - at_0) / 100;
    EXPECT_GT(std::fabs(slope_x), 0.005);
    EXPECT_GT(std::fabs(slope_y), 0.005);
    for (int y = 0; y < d.height(); ++y) {
      for (int x = 0; x < d.width(); ++x) {
        ASSERT_NEAR(d(x, y), at_0 + slope_x * x + slope_y * y, 1e-5) << x << ' ' << y << " seed " << seed;
      }
    }
  }
}

TEST(SyntheticTruth, ShiftIsExactByConstruction) {
  for (const int shift : {0, 1, 17, -5, 70}) {
    const StereoFrame frame = RenderFrame("shift,width=61,height=13,shift=" + std::to_string(shift));
    const auto &left = test::Gray(frame.left), &right = test::Gray(frame.right);
    for (int y = 0; y < 13; ++y) {
      for (int x = 0; x < 61; ++x) {
        const bool inside = right.View().Contains(x - shift, y);
        ASSERT_EQ(frame.truth->disparity(x, y), static_cast<float>(shift));
        ASSERT_EQ(frame.truth->nonoccluded(x, y), inside ? 255 : 0);
        if (!inside) continue;
        ASSERT_EQ(left(x, y), right(x - shift, y)) << x << ' ' << y << " shift " << shift;
      }
    }
  }
}

TEST(SyntheticTruth, StaysBelowTheNumberOfDisparities) {
  for (const std::string scene : {"planes", "slanted", "spheres", "boxes", "drive"}) {
    for (const std::string size : {"width=160,height=60", "width=40,height=90"}) {
      for (const int disparities : {1, 7, 64}) {
        for (const int seed : {1, 2, 3}) {
          const StereoFrame frame =
              RenderFrame(scene + "," + size + ",samples=1,disparities=" + std::to_string(disparities) +
                          ",seed=" + std::to_string(seed));
          ASSERT_EQ(frame.num_disparities_hint, disparities);
          for (int y = 0; y < frame.truth->disparity.height(); ++y) {
            for (int x = 0; x < frame.truth->disparity.width(); ++x) {
              const float d = frame.truth->disparity(x, y);
              ASSERT_TRUE(std::isnan(d) || (d > 0 && d < static_cast<float>(disparities)))
                  << d << " at " << x << ' ' << y << " of " << scene << ' ' << size << " seed " << seed;
            }
          }
        }
      }
    }
  }
}

// The occlusion mask against an independent answer: every left pixel is thrown into the right image; it is
// hidden where a clearly nearer one lands on both sides of its place, and visible where no nearer one lands
// within a pixel and a half.
TEST(SyntheticTruth, OcclusionMaskAgreesWithAZBuffer) {
  for (const std::string scene : {"planes", "slanted", "spheres", "boxes", "drive"}) {
    const StereoFrame frame = RenderFrame(scene + ",width=321,height=121,samples=1,seed=5");
    const auto& d = frame.truth->disparity;
    std::size_t num_hidden = 0, num_visible = 0, wrong_hidden = 0, wrong_visible = 0;
    for (int y = 0; y < d.height(); ++y) {
      for (int x = 0; x < d.width(); ++x) {
        if (std::isnan(d(x, y))) continue;
        const double x_right = x - static_cast<double>(d(x, y));
        const bool outside = x_right < 0 || x_right > d.width() - 1;
        bool nearer_before = false, nearer_behind = false, nearer_around = false;
        for (int other = 0; other < d.width(); ++other) {
          const double distance = other - static_cast<double>(d(other, y)) - x_right;
          nearer_around |= d(other, y) > d(x, y) + 0.25F && std::fabs(distance) < 1.5;
          if (!(d(other, y) > d(x, y) + 1.F)) continue;
          nearer_before |= distance > -1 && distance <= 0;
          nearer_behind |= distance < 1 && distance >= 0;
        }
        const bool mask_visible = frame.truth->nonoccluded(x, y) == 255;
        if (outside || (nearer_before && nearer_behind)) {
          ++num_hidden;
          wrong_hidden += mask_visible;
        } else if (!nearer_around && x_right < d.width() - *frame.num_disparities_hint) {
          // (Farther right, something may hide it that is outside the left image.)
          ++num_visible;
          wrong_visible += !mask_visible;
        }
      }
    }
    EXPECT_GT(num_hidden, 500U) << scene;
    EXPECT_GT(num_visible, 10000U) << scene;
    // Two nearer pixels may belong to different surfaces with a gap between them; and what hides a place in
    // the right image may itself be hidden in the left one.
    EXPECT_LE(wrong_hidden, num_hidden / 200) << scene << ' ' << wrong_hidden << " of " << num_hidden;
    EXPECT_LE(wrong_visible, num_visible / 300) << scene << ' ' << wrong_visible << " of " << num_visible;
  }
}

// Left and right agree: the right image, read at x - d, shows what the left one shows at x.
TEST(SyntheticTruth, WarpedRightImageIsTheLeftOne) {
  struct Case {
    std::string spec;
    double max_mean_error;
  };
  const std::string small = ",width=414,height=125";
  for (const Case& c : {Case{"planes" + small, 1.5}, Case{"slanted" + small, 1}, Case{"spheres" + small, 1},
                        Case{"boxes" + small, 1}, Case{"drive,width=621,height=188", 1}}) {
    const StereoFrame frame = RenderFrame(c.spec);
    const auto &left = test::Gray(frame.left), &right = test::Gray(frame.right);
    double sum = 0, sum_shifted = 0, num_far_off = 0, count = 0;
    for (int y = 0; y < left.height(); ++y) {
      for (int x = 0; x < left.width(); ++x) {
        if (frame.truth->nonoccluded(x, y) != 255) continue;
        const double x_right = x - static_cast<double>(frame.truth->disparity(x, y));
        const double error = std::fabs(test::Interpolated(right, x_right, y) - left(x, y));
        sum += error;
        // Half a pixel off must be seen, or the test would prove nothing about sub-pixels.
        sum_shifted += std::fabs(test::Interpolated(right, std::max(0.0, x_right - 0.5), y) - left(x, y));
        num_far_off += error > 25;
        ++count;
      }
    }
    EXPECT_LT(sum / count, c.max_mean_error) << c.spec;
    EXPECT_GT(sum_shifted, 2.5 * sum) << c.spec;
    EXPECT_LT(num_far_off / count, 0.005) << c.spec;
    RecordProperty("mean_error_" + c.spec.substr(0, c.spec.find(',')), std::to_string(sum / count));
  }
}

}  // namespace
}  // namespace parallax
