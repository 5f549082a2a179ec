// RigWatch: rendered drives whose right camera is turned, is knocked, drifts, or stays as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "calibrate/rig_watch.h"
#include "datasets/source.h"
#include "pipeline/calibration/vectors.h"
#include "tests/support/cases.h"
#include "tests/support/turned_camera.h"

namespace parallax {
namespace {

using test::AllCases;
using test::Cases;
using test::Turned;
using ::testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;
constexpr int kEvery = 10;  // frames

// Watches every tenth frame of a drive whose right camera is turned by turn_at(frame).
// watch: used instead of a new one; corrected: gets what it wants to be corrected.
RigWatch Drive(int num_frames, const std::function<Vector3(int frame)>& turn_at,
               const std::function<void(int frame, const RigWatch&)>& see = {}, RigWatch* used = nullptr,
               RightTurn_urad* corrected = nullptr) {
  static std::vector<StereoFrame> pairs;
  if (static_cast<int>(pairs.size()) < num_frames / kEvery) {
    pairs.clear();
    const auto source = OpenSource({"synthetic:drive,width=640,height=240,samples=1,noise=1,frames=" +
                                    std::to_string(num_frames / kEvery)});
    while (source->NextName()) pairs.push_back(source->Read());
  }
  RigWatch own;
  RigWatch& watch = used != nullptr ? *used : own;
  for (int frame = 0; frame < num_frames; frame += kEvery) {
    const StereoFrame& pair = pairs[static_cast<std::size_t>(frame / kEvery)];
    const auto& left = std::get<HostImage<std::uint8_t>>(pair.left);
    const auto right = Turned(std::get<HostImage<std::uint8_t>>(pair.right), *pair.rig, turn_at(frame));
    watch.Add(left.ConstView(), right.ConstView(), *pair.rig,
              corrected != nullptr ? *corrected : RightTurn_urad{});
    if (corrected != nullptr) *corrected = watch.NextTurn();
    if (see) see(frame, watch);
  }
  return watch;
}

// The turn that is corrected comes back as a warp of the next right images.
RightTurn_urad Follow(int num_frames, const std::function<Vector3(int frame)>& turn_at, RigWatch& watch) {
  RightTurn_urad corrected{};
  Drive(
      num_frames,
      [&](int frame) {
        return RotationVectorOf(Transposed(RotationOf(RotationVectorOf(corrected))) *
                                RotationOf(turn_at(frame)));
      },
      {}, &watch, &corrected);
  return corrected;
}
std::function<Vector3(int frame)> KnockedBy(const Vector3& turn) {
  return [turn](int frame) { return frame < 50 ? Vector3{} : turn; };
}

TEST(RigWatch, FindsEveryKnockWithinAHundredFrames) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double degrees : Cases({0.05, -1.0, -0.05, 0.3})) {
      std::array<double, 3> turn{};
      turn[static_cast<std::size_t>(axis)] = degrees * kDegree;
      const auto turn_at = [&](int frame) {
        return frame < 50 ? Vector3{} : Vector3{turn[0], turn[1], turn[2]};
      };
      const RigDrift drift = Drive(150, turn_at).drift();
      SCOPED_TRACE(testing::Message() << "axis " << axis << ", " << degrees << " degrees");
      EXPECT_EQ(drift.num_frames, 15);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(drift.turn[i] / kDegree, turn[i] / kDegree,
                    std::max(4 * drift.sigma[i] / kDegree, 0.02 * std::abs(degrees)))
            << "about " << i << ", sigma " << drift.sigma[i] / kDegree;
        EXPECT_LT(drift.sigma[i] / kDegree, i == 1 ? 0.035 : 0.012);
      }
    }
  }
}

// The farthest points then have disparities below 0.
TEST(RigWatch, FindsDisparitiesThatAreTooSmallFromTheBeginning) {
  const RigWatch watch = Drive(50, [](int) { return Vector3{0, kDegree, 0}; });
  const double shift_px = std::tan(kDegree) * 371.8;  // fx of the drive
  EXPECT_LT(watch.drift().shift_px, shift_px);
  EXPECT_GT(watch.drift().shift_px, 0.5 * shift_px);
  EXPECT_THAT(watch.Fault(), HasSubstr("% too large"));
}

TEST(RigWatch, SaysNothingOfARigThatStaysAsItIs) {
  Drive(
      AllCases() ? 3000 : 200, [](int) { return Vector3{}; },
      [](int frame, const RigWatch& watch) {
        EXPECT_EQ(watch.Fault(), "") << "frame " << frame;
        EXPECT_EQ(watch.NextTurn(), RightTurn_urad{}) << "frame " << frame;
      });
}

TEST(RigWatch, SaysWhatAKnockDoesToRowsAndDepth) {
  const RigWatch watch = Drive(150, [](int frame) {
    return Vector3{0, frame < 50 ? 0 : 1.5 * kDegree, 0.3 * kDegree};
  });
  EXPECT_NEAR(watch.drift().turn[1] / kDegree, 1.5, 0.1);
  EXPECT_THAT(watch.Fault(), HasSubstr("since the run began): rows differ by"));
  EXPECT_THAT(watch.Fault(),
              testing::ContainsRegex("depths at 5 m are 2[3-5] % too large"));  // 0.0262 * 5 / 0.54
}

TEST(RigWatch, FollowsASlowDrift) {
  const auto turn_at = [](int frame) { return Vector3{frame * 3e-4 * kDegree, 0, frame * -3e-4 * kDegree}; };
  const RigDrift drift = Drive(300, turn_at).drift();
  EXPECT_NEAR(drift.turn[0] / kDegree, 0.09, 0.06);
  EXPECT_NEAR(drift.turn[2] / kDegree, -0.09, 0.06);
  RigWatch watch;
  const RightTurn_urad corrected = Follow(300, turn_at, watch);
  EXPECT_NEAR(1e-6 * corrected[0] / kDegree, 0.09, 0.06);
  EXPECT_NEAR(1e-6 * corrected[1] / kDegree, -0.09, 0.06);
}

TEST(RigWatch, FollowsEveryKnockUntilRowsAgree) {
  constexpr double kCorner_px[] = {371.8, 320};  // rows a radian about x and z
  for (int axis = 0; axis < 2; ++axis) {
    // A large turn is followed in steps, a small one hardly stands out of the noise.
    for (const double degrees :
         axis == 0 ? Cases({-1.0, -0.05, 0.05, 0.3, 1.0}) : Cases({0.05, -1.0, -0.05, 0.3, 1.0})) {
      SCOPED_TRACE(testing::Message() << "axis " << axis << ", " << degrees << " degrees");
      const double turn = degrees * kDegree;
      RigWatch watch;
      const RightTurn_urad corrected =
          Follow(250, KnockedBy({axis == 0 ? turn : 0, 0, axis == 1 ? turn : 0}), watch);
      for (int i = 0; i < 2; ++i) {
        const double wanted = i == axis ? turn : 0;
        EXPECT_LT(kCorner_px[i] * std::abs(1e-6 * corrected[static_cast<std::size_t>(i)] - wanted), 0.1)
            << "about " << (i == 0 ? "x" : "z");
      }
      EXPECT_NEAR(watch.drift().turn[axis == 0 ? 0 : 2], turn, 0.1 / 371.8);
      EXPECT_LT(watch.drift().rows_px, 0.1);
      EXPECT_EQ(watch.Fault(), "");
    }
  }
}

TEST(RigWatch, LeavesARigAloneThatStaysAsItIs) {
  RigWatch watch;
  EXPECT_EQ(Follow(100, KnockedBy({}), watch), RightTurn_urad{});
  // A turn about y and another focal length are not corrected.
  RigWatch turned;
  EXPECT_EQ(Follow(150, KnockedBy({0, 0.3 * kDegree, 0}), turned), RightTurn_urad{});
}

TEST(RigWatch, TakesOutAtMostTwoPixelsAtATime) {
  RigWatch watch;
  Drive(
      100,
      [&](int) {
        return Vector3{kDegree, 0, 0};
      },
      [&](int, const RigWatch&) { EXPECT_LE(1e-6 * std::abs(watch.NextTurn()[0]) * 371.8, 2.01); }, &watch);
  EXPECT_GT(1e-6 * watch.NextTurn()[0] * 371.8, 1.9);
}

TEST(RigWatch, LeavesOutFramesWithoutTexture) {
  const HostImage<std::uint8_t> even(320, 240, 100);
  RigWatch watch;
  watch.Add(even.ConstView(), even.ConstView(),
            {.fx_px = 300, .cx_px = 160, .cy_px = 120, .baseline_m = 0.1});
  EXPECT_EQ(watch.drift().num_frames, 0);
  EXPECT_EQ(watch.Fault(), "");
}

}  // namespace
}  // namespace parallax
