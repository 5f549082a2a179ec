#include "pipeline/calibration/rectification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "tests/support/raw_rigs.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

Vector2 Rectified(const Matrix3& rotation, const StereoRig& rig, const Vector3& point) {
  const Vector3 p = rotation * point;
  return {rig.fx_px * p.x / p.z + rig.cx_px, rig.fx_px * p.y / p.z + rig.cy_px};
}

TEST(Rectification, PointsLieOnOneRowAtTheirDepth) {
  for (const RawRig& rig : {test::WideRig(), test::FisheyeRig()}) {
    const Rectification r = MakeRectification(rig);
    EXPECT_LT(DistanceFromRotation(r.rectified_from_left), 1e-12);
    EXPECT_LT(DistanceFromRotation(r.rectified_from_right), 1e-12);
    EXPECT_DOUBLE_EQ(r.rig.baseline_m, rig.baseline_m());
    for (const Vector3 p : {Vector3{0, 0, 2}, Vector3{0.7, -0.4, 1.5}, Vector3{-1, 0.6, 5}}) {
      const Vector2 left = Rectified(r.rectified_from_left, r.rig, p);
      const Vector2 right =
          Rectified(r.rectified_from_right, r.rig, rig.right_from_left * p + rig.translation_m);
      EXPECT_NEAR(left.y, right.y, 1e-9);
      const double z = (r.rectified_from_left * p).z;
      EXPECT_NEAR(left.x - right.x, r.rig.fx_px * r.rig.baseline_m / z, 1e-9);
    }
  }
}

TEST(Rectification, ShowsNoBordersAtZoomOneAndEverythingAtAll) {
  const RawRig rig = test::WideRig();
  const Rectifier usual(rig);
  EXPECT_TRUE(usual.seen()->all);
  EXPECT_EQ(usual.rectification().width_px, rig.left.width_px);
  const Rectifier all(rig, {.zoom = 0});
  EXPECT_FALSE(all.seen()->all);
  // Every pixel of the left image is somewhere in the rectified one.
  const CameraProjection projection(rig.left);
  for (const Vector2 corner :
       {Vector2{0, 0}, Vector2{639, 0}, Vector2{0, 479}, Vector2{639, 479}, Vector2{320, 0}}) {
    const Vector2 p = Rectified(all.rectification().rectified_from_left, all.rectification().rig,
                                *projection.Unproject(corner));
    EXPECT_GE(p.x, -0.5);
    EXPECT_LE(p.x, 639.5);
    EXPECT_GE(p.y, -0.5);
    EXPECT_LE(p.y, 479.5);
  }
  const Rectification twice = MakeRectification(rig, {.width_px = 320, .height_px = 240, .zoom = 2});
  EXPECT_EQ(twice.width_px, 320);
  EXPECT_NEAR(twice.rig.fx_px, usual.rectification().rig.fx_px, 0.02 * twice.rig.fx_px);
  EXPECT_FALSE(Rectifier(rig, {.zoom = 0.5}).seen()->all);
  // It is enough that one of the cameras lacks pixels.
  EXPECT_FALSE(Rectifier(usual, rig, RightTurn_urad{0, 100'000}).seen()->all);
}

TEST(Rectification, RefusesRigsThatCannotWorkAndSaysWhy) {
  const RawRig good = test::WideRig();
  EXPECT_EQ(WhyNotRectifiable(good), "");
  RawRig rig = good;
  rig.translation_m = -rig.translation_m;
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("exchanged"));
  rig.translation_m = {0.001, 0, 0.2};
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("epipole"));
  rig = good;
  rig.translation_m = {0, -0.12, 0};
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("above"));
  rig = good;
  rig.right_from_left = RotationOf({0, 1.2, 0});
  EXPECT_THAT(WhyNotRectifiable(rig), ::testing::AnyOf(HasSubstr("common"), HasSubstr("epipole")));
  rig = good;
  rig.right_from_left = RotationOf({0, 0, 3.1}) * good.right_from_left;
  rig.translation_m = RotationOf({0, 0, 3.1}) * good.translation_m;
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("rotated"));
  EXPECT_THROW(MakeRectification(rig), InvalidArgument);
  EXPECT_THROW(MakeRectification(good, {.zoom = 50}), InvalidArgument);
  EXPECT_THROW(MakeRectification(good, {.width_px = -1}), InvalidArgument);
  rig = good;
  rig.left.width_px = 0;
  EXPECT_THROW(MakeRectification(rig), InvalidArgument);
}

TEST(Rectification, BordersMakeNoDisparity) {
  SeenPixelsOfPair seen;
  seen.left = HostImage<std::uint8_t>(6, 1, 255);
  seen.right = HostImage<std::uint8_t>(6, 1, 255);
  seen.left(5, 0) = 0;
  seen.right(0, 0) = 0;
  DisparityMap map{HostImage<float>(6, 1, 2.0F), HostImage<std::uint8_t>(6, 1, std::uint8_t{kFilled}),
                   HostImage<std::uint8_t>(6, 1, std::uint8_t{9})};
  RemoveUnseen(seen, map);
  EXPECT_EQ(map.disparity(0, 0), 2.0F);  // its match lies outside the right image: the matcher's business
  EXPECT_EQ(map.disparity(1, 0), 2.0F);
  EXPECT_TRUE(std::isnan(map.disparity(2, 0)));  // matches pixel 0, which the right camera did not see
  EXPECT_EQ(map.validity(2, 0), kOutOfRange);
  EXPECT_EQ(map.disparity(3, 0), 2.0F);
  EXPECT_TRUE(std::isnan(map.disparity(5, 0)));
  seen.all = true;
  map.disparity.Fill(1);
  RemoveUnseen(seen, map);
  EXPECT_EQ(map.disparity(5, 0), 1.0F);
}

TEST(Rectification, ARowsEndIsNotTheNextRowsBeginning) {
  // Rows without padding. (0, 1) would match column -1: it stays. As column 64 of row 0 it would match column 63, which
  // was not seen.
  SeenPixelsOfPair seen;
  seen.left = HostImage<std::uint8_t>(64, 2, 255);
  seen.right = HostImage<std::uint8_t>(64, 2, 255);
  seen.right(63, 0) = 0;
  DisparityMap map{HostImage<float>(64, 2, 1.0F), HostImage<std::uint8_t>(64, 2, std::uint8_t{kValid}), {}};
  RemoveUnseen(seen, map);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 64; ++x) EXPECT_EQ(map.disparity(x, y), 1.0F) << x << " " << y;
  }
}

TEST(Rectification, FramesBecomeRectified) {
  StereoFrame frame;
  frame.left = HostImage<std::uint8_t>(640, 480, 7);
  frame.right = HostImage<std::uint8_t>(640, 480, 9);
  frame.rectified = false;
  RawRig rig = test::WideRig();
  rig.left.width_px = rig.left.height_px = rig.right.width_px = rig.right.height_px = 0;  // not told
  frame.raw_rig = std::make_shared<const RawRig>(rig);
  FrameRectifier rectifier;
  rectifier.Rectify(frame);
  EXPECT_TRUE(frame.rectified);
  ASSERT_TRUE(frame.rig);
  EXPECT_NEAR(frame.rig->baseline_m, rig.baseline_m(), 1e-12);
  EXPECT_EQ(std::get<HostImage<std::uint8_t>>(frame.left)(320, 240), 7);
  EXPECT_EQ(std::get<HostImage<std::uint8_t>>(frame.right)(320, 240), 9);
  StereoFrame small;
  small.left = HostImage<std::uint8_t>(64, 48, 7);
  small.right = HostImage<std::uint8_t>(64, 48, 9);
  small.rectified = false;
  small.raw_rig = std::make_shared<const RawRig>(test::WideRig());
  EXPECT_THROW(rectifier.Rectify(small), Error);
}

TEST(Rectification, EachReasonForRefusalIsSaid) {
  const RawRig good = test::WideRig();
  RawRig rig = good;
  rig.right_from_left = RotationOf({1.5, 0, 0});  // looks up
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("85 degrees apart"));
  rig = good;
  rig.left.fx_px = rig.left.fy_px = rig.right.fx_px = rig.right.fy_px = 920;  // each sees 38 x 29 degrees
  rig.right_from_left = RotationOf({0, -0.6, 0});                             // 34 degrees
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("hardly see a common part of the scene ("));
  for (CameraModel RawRig::*camera : {&RawRig::left, &RawRig::right}) {
    RawRig unknown = rig;  // then so is the overlap
    (unknown.*camera).width_px = 0;
    EXPECT_EQ(WhyNotRectifiable(unknown), "");
  }
  rig.right_from_left =
      RotationOf({0.7, 0, 0});  // 40 degrees: above what the left camera sees, as wide as that
  try {
    MakeRectification(rig);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("no common part"));
  }
  rig = good;
  rig.translation_m = {0.06, 0.12, 0};  // to the left, but farther below
  EXPECT_THAT(WhyNotRectifiable(rig), HasSubstr("above the other"));
  for (int CameraModel::*size : {&CameraModel::width_px, &CameraModel::height_px}) {
    for (CameraModel RawRig::*camera : {&RawRig::left, &RawRig::right}) {
      rig = good;
      (rig.*camera).*size = 1;
      EXPECT_THROW(MakeRectification(rig), InvalidArgument);
      EXPECT_THROW(MakeRemapTable(rig.*camera, {}, {}, 9, 9), InvalidArgument);
    }
  }
  EXPECT_THROW(MakeRectification(good, {.height_px = -1}), InvalidArgument);
  EXPECT_THROW(MakeRectification(good, {.zoom = 0.05}), InvalidArgument);
  rig.translation_m.x = std::numeric_limits<double>::infinity();
  EXPECT_THROW(MakeRectification(rig), InvalidArgument);
  SeenPixelsOfPair seen{HostImage<std::uint8_t>(2, 2, 255), HostImage<std::uint8_t>(2, 2, 255)};
  DisparityMap map{HostImage<float>(3, 2, 1.0F), {}, {}};
  EXPECT_THROW(RemoveUnseen(seen, map), InvalidArgument);
}

// Two cameras that are rectified as they are: zoom 2 shows a half of the width and of the height.
TEST(Rectification, TheShareOfTheImagesThatIsKept) {
  RawRig rig;
  rig.left = {.width_px = 640, .height_px = 480, .fx_px = 500, .fy_px = 500, .cx_px = 319.5, .cy_px = 239.5};
  rig.right = rig.left;
  rig.translation_m = {-0.1, 0, 0};
  EXPECT_EQ(KeptShareOf(rig, MakeRectification(rig)).left, 1);
  const KeptShare half = KeptShareOf(rig, MakeRectification(rig, {.zoom = 2}));
  EXPECT_NEAR(half.left, 0.25, 0.01);
  EXPECT_EQ(half.right, half.left);
  // Of 64 columns the right camera has 16 more on its right: 0.75 of its own image is kept.
  rig.right.width_px = 853;
  const KeptShare wider = KeptShareOf(rig, MakeRectification(rig));
  EXPECT_EQ(wider.left, 1);
  EXPECT_NEAR(wider.right, 0.75, 0.01);
}

TEST(Rectification, ATurnOfTheRightCameraHoldsForEveryRigThatFollows) {
  const auto frame_of = [](RawRig rig) {  // at a quarter of its size
    for (CameraModel* camera : {&rig.left, &rig.right}) {
      camera->width_px = 160, camera->height_px = 120;
      for (double* number : {&camera->fx_px, &camera->fy_px, &camera->cx_px, &camera->cy_px}) *number /= 4;
    }
    StereoFrame frame;
    frame.left = HostImage<std::uint8_t>(160, 120, 7);
    frame.right = HostImage<std::uint8_t>(160, 120, 9);
    frame.rectified = false;
    frame.raw_rig = std::make_shared<const RawRig>(rig);
    return frame;
  };
  const StereoFrame wide = frame_of(test::WideRig());
  FrameRectifier rectifier;
  const RightTurn_urad turn{3600, -700};
  rectifier.SetTurn(turn);  // before a rig is known
  const auto turned = rectifier.For(wide);
  EXPECT_EQ(turned->seen()->turn_urad, turn);
  EXPECT_EQ(rectifier.For(wide), turned);
  rectifier.SetTurn(turn);
  EXPECT_EQ(rectifier.For(wide), turned);  // nothing changed
  rectifier.SetTurn({});
  const auto straight = rectifier.For(wide);
  const Rectifier never_turned(*wide.raw_rig);
  const RemapTable& plain = never_turned.right();
  EXPECT_EQ(straight->seen()->turn_urad, RightTurn_urad{});
  EXPECT_EQ(straight->right().x(80, 60), plain.x(80, 60));
  // 3600 urad about x move the rows by 3600e-6 * 116 px, a little less than half a pixel.
  const double rows = (turned->right().y(80, 60) - plain.y(80, 60)) / double{1 << kRemapBits};
  EXPECT_NEAR(std::abs(rows), 0.42, 0.05);
  rectifier.SetTurn(turn);
  StereoFrame fisheye = frame_of(test::FisheyeRig());
  rectifier.Prepare(fisheye);
  EXPECT_FALSE(fisheye.rectified);
  EXPECT_EQ(fisheye.seen->turn_urad, turn);
  StereoFrame rectified;  // has nothing to be done
  rectified.rectified = true;
  rectifier.Prepare(rectified);
  rectifier.Rectify(rectified);
  EXPECT_FALSE(rectified.rig);
  StereoFrame no_rig;
  no_rig.rectified = false;
  EXPECT_EQ(rectifier.For(no_rig), nullptr);
  StereoFrame low = frame_of(test::WideRig());
  low.right = HostImage<std::uint8_t>(160, 110, 9);
  EXPECT_THROW(rectifier.For(low), Error);
}

}  // namespace
}  // namespace parallax
