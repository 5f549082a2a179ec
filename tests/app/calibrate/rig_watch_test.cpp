// RigWatch: rendered drives whose right camera is turned, is knocked, drifts, or stays as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "calibrate/gray_mat.h"
#include "calibrate/rig_watch.h"
#include "datasets/source.h"
#include "pipeline/calibration/vectors.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;
constexpr int kEvery = 10;  // frames

// The image of a camera turned by `turn`, a rotation vector: points p of the camera's frame become R p.
HostImage<std::uint8_t> Turned(const HostImage<std::uint8_t>& image, const StereoRig& rig,
                               const Vector3& turn) {
  const cv::Mat from = GrayMat(image.ConstView());
  const Matrix3 r = RotationOf(turn);
  const double cx = rig.cx_px + rig.doffs_px;
  const cv::Matx33d k(rig.fx_px, 0, cx, 0, rig.fx_px, rig.cy_px, 0, 0, 1);
  cv::Matx33d rotation;
  for (int i = 0; i < 3; ++i) {
    const Vector3 column = r * Vector3{i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0};
    rotation(0, i) = column.x;
    rotation(1, i) = column.y;
    rotation(2, i) = column.z;
  }
  cv::Mat to;
  cv::warpPerspective(from, to, k * rotation * k.inv(), from.size(), cv::INTER_CUBIC, cv::BORDER_REFLECT);
  HostImage<std::uint8_t> result(image.width(), image.height());
  for (int y = 0; y < to.rows; ++y) std::copy_n(to.ptr(y), to.cols, &result(0, y));
  return result;
}

// Watches every tenth frame of a drive whose right camera is turned by turn_at(frame).
RigWatch Drive(int num_frames, const std::function<Vector3(int frame)>& turn_at,
               const std::function<void(int frame, const RigWatch&)>& see = {}) {
  static std::vector<StereoFrame> pairs;
  if (static_cast<int>(pairs.size()) < num_frames / kEvery) {
    pairs.clear();
    const auto source = OpenSource({"synthetic:drive,width=640,height=240,samples=1,noise=1,frames=" +
                                    std::to_string(num_frames / kEvery)});
    while (source->NextName()) pairs.push_back(source->Read());
  }
  RigWatch watch;
  for (int frame = 0; frame < num_frames; frame += kEvery) {
    const StereoFrame& pair = pairs[static_cast<std::size_t>(frame / kEvery)];
    const auto& left = std::get<HostImage<std::uint8_t>>(pair.left);
    const auto right = Turned(std::get<HostImage<std::uint8_t>>(pair.right), *pair.rig, turn_at(frame));
    watch.Add(left.ConstView(), right.ConstView(), *pair.rig);
    if (see) see(frame, watch);
  }
  return watch;
}

TEST(RigWatch, FindsEveryKnockWithinAHundredFrames) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double degrees : {-1.0, -0.05, 0.05, 0.3}) {
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
  const char* num_frames = std::getenv("PARALLAX_RIG_FRAMES");  // more than the usual
  Drive(
      num_frames != nullptr ? std::atoi(num_frames) : 400, [](int) { return Vector3{}; },
      [](int frame, const RigWatch& watch) { EXPECT_EQ(watch.Fault(), "") << "frame " << frame; });
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
