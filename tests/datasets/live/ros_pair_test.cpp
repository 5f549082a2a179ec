#include "datasets/live/ros_pair.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

TEST(RosPair, ARectifiedRigIsTakenFromTheProjections) {
  StereoFrame frame;
  frame.left = HostImage<std::uint8_t>(64, 48);
  RosCameraInfo left;
  left.width = 64;
  left.height = 48;
  left.p = {50, 1, 31, 0, 2, 52, 23, 0, 0, 0, 1, 0};
  RosCameraInfo right = left;
  right.p[2] = 33;
  right.p[3] = -25;
  AddRosCalibration({left, right, "/left/image_rect", "the recording's"}, frame);
  ASSERT_TRUE(frame.rig) << frame.rig_note;
  EXPECT_EQ(frame.rig->fx_px, 50);
  EXPECT_EQ(frame.rig->cx_px, 31);
  EXPECT_EQ(frame.rig->cy_px, 23);
  EXPECT_EQ(frame.rig->baseline_m, 0.5);
  EXPECT_EQ(frame.rig->doffs_px, 2);
}

}  // namespace
}  // namespace parallax
