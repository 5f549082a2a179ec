// Names of topics and the calibration of their pairs. tests/ros2/ speaks with another vendor's DDS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/live/ros2_node.h"
#include "datasets/live/ros_pair.h"
#include "datasets/source.h"
#include "pipeline/calibration/raw_rig.h"
#include "tests/datasets/test_files.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

RosCameraInfo Camera(double shift) {
  RosCameraInfo info;
  info.width = 8;
  info.height = 4;
  info.model = "plumb_bob";
  info.distortion = {0, 0, 0, 0, 0};
  info.k = {500, 0, 4, 0, 500, 2, 0, 0, 1};
  info.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  info.p = {500, 0, 4, shift, 0, 500, 2, 0, 0, 0, 1, 0};
  return info;
}

StereoFrame FrameOf(const RosPairInfo& info) {
  StereoFrame frame;
  frame.left = HostImage<std::uint8_t>(8, 4);
  frame.right = HostImage<std::uint8_t>(8, 4);
  AddRosCalibration(info, frame);
  return frame;
}

TEST(Ros2Names, AreThoseThatRosAllows) {
  EXPECT_EQ(RosTopicName("stereo/left_1", "x"), "/stereo/left_1");
  for (const char* name : {"", "/", "a//b", "/a/", "/1a", "/a b", "/a-b", "/a,b"})
    EXPECT_THAT(ErrorOf([&] { RosTopicName(name, "x"); }), HasSubstr("is not a name of ROS")) << name;
}

TEST(Ros2Names, AnErrorIsOneLine) {
  for (const std::string keys : {"left=/a\nb", "domain=1\n", "right_info=/x\ny"}) {
    const std::string error = ErrorOf([&] { OpenSource({"ros2:left=/a,right=/b," + keys}); });
    EXPECT_THAT(error, testing::StartsWith("'ros2:left=/a,right=/b,")) << keys;
    EXPECT_THAT(error, testing::Not(HasSubstr("\n"))) << keys;
  }
}

TEST(Ros2Names, LeftAndRightAreTwoTopics) {
  EXPECT_THAT(ErrorOf([] { OpenSource({"ros2:left=/a,right=/a"}); }), HasSubstr("are the same topic"));
  EXPECT_THAT(ErrorOf([] { OpenSource({"ros2:left=/a"}); }), HasSubstr("names no left or no right topic"));
}

TEST(Ros2Names, CalibrationStandsBesideTheImages) {
  EXPECT_EQ(InfoTopicOf("/stereo/left/image_raw"), "/stereo/left/camera_info");
  EXPECT_EQ(InfoTopicOf("/stereo/left/image_raw/compressed"), "/stereo/left/camera_info");
}

TEST(RosPair, RectifiedCamerasGiveARig) {
  const StereoFrame frame = FrameOf({Camera(0), Camera(-50), "/left/image_raw", "its"});
  EXPECT_TRUE(frame.rectified);
  ASSERT_TRUE(frame.rig);
  EXPECT_DOUBLE_EQ(frame.rig->baseline_m, 0.1);
  EXPECT_DOUBLE_EQ(frame.rig->fx_px, 500);
}

TEST(RosPair, OtherCamerasAreRawUnlessTheTopicSaysRect) {
  RosCameraInfo left = Camera(0);
  left.distortion[0] = -0.2;
  const StereoFrame raw = FrameOf({left, Camera(-50), "/left/image_raw", "its"});
  EXPECT_FALSE(raw.rectified);
  ASSERT_NE(raw.raw_rig, nullptr);
  EXPECT_EQ(raw.raw_rig->left.distortion[0], -0.2);
  EXPECT_NEAR(raw.raw_rig->baseline_m(), 0.1, 1e-12);
  EXPECT_TRUE(FrameOf({left, Camera(-50), "/left/image_rect", "its"}).rig);
}

TEST(RosPair, WhatIsMissingOrWrongIsNoted) {
  EXPECT_THAT(FrameOf({Camera(0), std::nullopt, "/l", "its"}).rig_note, HasSubstr("of both cameras"));
  EXPECT_THAT(FrameOf({Camera(0), Camera(50), "/l", "its"}).rig_note, HasSubstr("swapped"));
  RosCameraInfo small = Camera(0);
  small.width = 4;
  EXPECT_THAT(FrameOf({small, Camera(-50), "/l", "its"}).rig_note, HasSubstr("4x4 px"));
  EXPECT_THAT(FrameOf({RosCameraInfo{}, Camera(-50), "/l", "its"}).rig_note, HasSubstr("uncalibrated"));
  RosCameraInfo odd = Camera(0);
  odd.model = "odd";
  odd.distortion[0] = -0.2;
  EXPECT_THAT(ErrorOf([&] { FrameOf({odd, Camera(-50), "/l", "its"}); }), HasSubstr("distortion_model odd"));
}

TEST(Ros2Source, WrongSpecsAreRefusedInOneLine) {
  for (const char* spec :
       {"ros2:", "ros2:left=/a", "ros2:left=/a,right=/a", "ros2:left=/a,right=/b,domain=233",
        "ros2:left=/a,right=/b,colour=1", "ros2:left=/a,right=/b,reliable=2"})
    EXPECT_THAT(ErrorOf([&] { OpenSource({spec}); }), HasSubstr("name topics as ros2:left=")) << spec;
}

}  // namespace
}  // namespace parallax::test
