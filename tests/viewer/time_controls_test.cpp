// The row of time and two clouds at once, driven by keys and mouse.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "datasets/formats/cloud_file.h"
#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::DrivenWindow;
using Json = DrivenWindow::Json;

class TimeControls : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
  }
  template <typename T>
  static DrivenWindow::Predicate TimeHas(const std::string& key, T value) {
    return [=](const Json& state) { return state.contains("time") && state["time"][key] == value; };
  }

  test::VirtualDisplay display_;
  test::TemporaryFolder folder_;
};

TEST_F(TimeControls, SliderStepsAndPace) {
  DrivenWindow window(
      {"synthetic:drive,width=160,height=48,samples=1,frames=12", "--paused", "--size", "800", "480"});
  EXPECT_TRUE(window.Await(TimeHas("shown", 0)));
  window.PressKey("Right");
  EXPECT_TRUE(window.Await(TimeHas("shown", 1)));
  window.PressKey("Left");
  EXPECT_TRUE(window.Await(TimeHas("shown", 0)));
  window.PressKey("shift+Right");
  EXPECT_TRUE(window.Await(TimeHas("shown", 10)));
  EXPECT_TRUE(window.Await([](const Json& state) { return state["frame"] == "000010_10"; }));
  window.PressKey("shift+Left");
  EXPECT_TRUE(window.Await(TimeHas("shown", 0)));
  window.PressKey("Right");
  EXPECT_TRUE(window.Await(TimeHas("shown", 1)));
  window.PressKey("Home");
  EXPECT_TRUE(window.Await(TimeHas("shown", 0)));
  window.PressKey("End");
  EXPECT_TRUE(window.Await(TimeHas("shown", 11)));
  window.ClickControl("time", true);
  EXPECT_TRUE(window.Await([](const Json& state) {
    const int shown = state["time"]["shown"];
    return shown > 3 && shown < 8;
  }));
  window.PressKey("o");
  EXPECT_TRUE(window.Await(TimeHas("source_pace", true)));
  window.PressKey("o");
  window.PressKey("space");  // plays to the end
  EXPECT_TRUE(window.Await(TimeHas("at_end", true)));
  EXPECT_EQ(window.State()["paused"], false);
  window.PressKey("space");
  EXPECT_TRUE(window.Await(TimeHas("paused", true)));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

TEST_F(TimeControls, TwoCloudsShowTheirDistance) {
  PointCloud near, far;
  for (int i = 0; i < 400; ++i) {
    const float x = 0.1f * static_cast<float>(i % 20), y = 0.1f * static_cast<float>(i / 20);
    near.points.push_back({x, y, 5});
    far.points.push_back({x, y, x < 1 ? 5.0f : 5.25f});
  }
  WriteCloud(folder_.path() / "a.ply", near);
  WriteCloud(folder_.path() / "b.pcd", far);
  DrivenWindow window({(folder_.path() / "a.ply").string(), (folder_.path() / "b.pcd").string()});
  EXPECT_TRUE(window.Await([](const Json& state) { return state["cloud"]["shown_coloring"] == "distance"; }));
  const Json cloud = window.State()["cloud"];
  EXPECT_EQ(cloud["num_points"], 800);
  EXPECT_NEAR(cloud["scale"][1].get<double>(), 0.25, 0.001);
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

}  // namespace
}  // namespace parallax::app
