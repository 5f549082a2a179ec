#include "app/view/cloud/label_room.h"

#include <gtest/gtest.h>

#include <vector>

namespace parallax::app {
namespace {

// Points at z = 1 are seen at x, y of -1 .. 1 over a pane of 400x200 px, y upwards.
constexpr CloudProjection kProjection{
    .clip_from_cloud = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, .width = 400, .height = 200};

WantedText At(float x, float y, const char* text = "10 m", bool gives_way = true) {
  return {{{x, y, 1}, text}, gives_way};
}
std::vector<bool> RoomOf(const std::vector<WantedText>& texts, const std::vector<Point3f>& points = {},
                         float scaling = 1) {
  return HaveRoom(texts, points, kProjection, scaling);
}
using Room = std::vector<bool>;

TEST(LabelRoom, TheEarlierOfTwoThatOverlapStays) {
  EXPECT_EQ(RoomOf({At(0, 0), At(0.1F, 0), At(0.5F, 0)}), (Room{true, false, true}));
}

TEST(LabelRoom, WhatDoesNotGiveWayComesFirst) {
  EXPECT_EQ(RoomOf({At(0, 0), At(0, 0, "A", false)}), (Room{false, true}));
  EXPECT_EQ(RoomOf({At(0, 0, "A", false), At(0, 0, "B", false)}), (Room{true, true}));
}

TEST(LabelRoom, TwiceTheScalingTakesTwiceTheRoom) {
  const std::vector<WantedText> texts{At(0, 0), At(0.25F, 0)};  // 50 px apart
  EXPECT_EQ(RoomOf(texts), (Room{true, true}));
  EXPECT_EQ(RoomOf(texts, {}, 2), (Room{true, false}));
}

TEST(LabelRoom, NotOverTheCloudNorCutOffNorBehindTheEye) {
  const std::vector<Point3f> cloud(9, Point3f{0.05F, -0.05F, 1}), single(1, Point3f{0.05F, -0.05F, 1});
  EXPECT_EQ(RoomOf({At(0, 0)}, cloud), (Room{false}));
  EXPECT_EQ(RoomOf({At(0, 0)}, single), (Room{true}));
  EXPECT_EQ(RoomOf({At(0, 0, "A", false)}, cloud), (Room{true}));
  EXPECT_EQ(RoomOf({At(0.95F, 0), At(0, -0.95F), At(-1, 0)}), (Room{false, false, false}));
  EXPECT_EQ(RoomOf({{{{0, 0, -1}, "10 m"}, true}}), (Room{false}));
}

}  // namespace
}  // namespace parallax::app
