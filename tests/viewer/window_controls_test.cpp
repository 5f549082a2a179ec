// Every control of the window's frame, driven by keys and mouse, and what became of it.
#include <gtest/gtest.h>

#include <string>

#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::DrivenWindow;
using Json = DrivenWindow::Json;

class WindowControls : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
  }
  test::VirtualDisplay display_;
};

// A predicate: state[key] == value.
template <typename T>
DrivenWindow::Predicate Has(const std::string& key, T value) {
  return [=](const Json& state) { return state.contains(key) && state[key] == value; };
}

TEST_F(WindowControls, PauseStepPanelAndListByKeysAndButtons) {
  DrivenWindow window({"synthetic:drive,width=160,height=48,frames=100000", "--paused"});
  EXPECT_TRUE(window.Await(Has("paused", true)));
  window.PressKey("n");
  EXPECT_TRUE(window.Await(Has("num_shown", 2)));
  window.ClickControl("step");
  EXPECT_TRUE(window.Await(Has("num_shown", 3)));
  EXPECT_EQ(window.State()["last_command"], "step");
  window.PressKey("space");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["num_shown"] > 10; }));
  window.ClickControl("pause");
  EXPECT_TRUE(window.Await(Has("paused", true)));

  const auto panel_shown = [](bool shown) {
    return [shown](const Json& state) { return state["panel"]["shown"] == shown; };
  };
  const bool first = window.State()["panel"]["shown"];
  window.PressKey("Tab");
  EXPECT_TRUE(window.Await(panel_shown(!first)));
  window.ClickControl("panel");
  EXPECT_TRUE(window.Await(panel_shown(first)));

  window.PressKey("question");
  EXPECT_TRUE(window.Await(Has("help", true)));
  window.PressKey("Escape");
  EXPECT_TRUE(window.Await(Has("help", false)));
  window.PressKey("F1");
  EXPECT_TRUE(window.Await(Has("help", true)));
  window.PressKey("F1");
  EXPECT_TRUE(window.Await(Has("help", false)));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

}  // namespace
}  // namespace parallax::app
