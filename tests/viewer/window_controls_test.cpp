// Every control of the window's frame, driven by keys and mouse, and what became of it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

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
  DrivenWindow window({"synthetic:drive,width=160,height=48,samples=1,frames=100000", "--paused"});
  EXPECT_EQ(window.State()["paused"], true);
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

// On a display of 200 % nothing is cut off, and the status and the hint lie beside or above each other.
TEST_F(WindowControls, TheStatusAndTheHintHaveRoomAtTwoHundredPercent) {
  test::SetScaling(2);
  DrivenWindow window({"synthetic:drive,width=310,height=94,samples=1", "--size", "1440", "900"});
  ASSERT_EQ(window.State()["window"]["scaling"], 2);
  window.Settle();
  const Json state = window.State();
  const auto frame_of = [&](const char* line) { return state["lines"][line].get<std::vector<int>>(); };
  const std::vector<int> status = frame_of("status"), hint = frame_of("hint"),
                         button = state["controls"]["panel"];
  for (const auto& frame : {status, hint, button}) {
    EXPECT_GE(frame[0], 0);
    EXPECT_LE(frame[0] + frame[2], 1440);
    EXPECT_LE(frame[1] + frame[3], 900);
  }
  EXPECT_GT(hint[2], 0);
  EXPECT_TRUE(status[1] + status[3] <= hint[1] || status[0] + status[2] <= hint[0]);
  EXPECT_TRUE(status[1] + status[3] <= button[1] || status[0] >= button[0] + button[2]);
  EXPECT_EQ(window.Close(), 0);
}

TEST_F(WindowControls, FilledPixelsAreLeftOutUntilTheyAreAskedFor) {
  DrivenWindow window({"synthetic:boxes,width=160,height=120,samples=1", "--paused"});
  window.Settle();
  const Json before = window.State();
  EXPECT_EQ(before["show_filled"], false);
  window.PressKey("i");
  EXPECT_TRUE(window.Await([&](const Json& state) {
    return state["show_filled"] == true && state["cloud"]["num_points"] > before["cloud"]["num_points"];
  }));
  window.PressKey("i");
  EXPECT_TRUE(window.Await(
      [&](const Json& state) { return state["cloud"]["num_points"] == before["cloud"]["num_points"]; }));
  EXPECT_EQ(window.Close(), 0);
}

// A pixel of the pane's picture, from the state.
struct Place {
  int x, y;
};
Place InPane(const Json& state, const char* pane, double u, double v) {
  const std::vector<int> place = state["pictures"][pane]["place"];
  return {place[0] + static_cast<int>(u * place[2]), place[1] + static_cast<int>(v * place[3])};
}

DrivenWindow::Predicate HasPicture(const std::string& pane, const std::string& key, const Json& value) {
  return [=](const Json& state) {
    return state.contains("pictures") && state["pictures"].contains(pane) &&
           state["pictures"][pane][key] == value;
  };
}
DrivenWindow::Predicate HasMode(const std::string& mode) {
  return [=](const Json& state) { return state["pictures"]["mode"] == mode; };
}

TEST_F(WindowControls, PicturesAreChosenBlendedZoomedAndFixed) {
  DrivenWindow window(
      {"synthetic:boxes,width=160,height=120,samples=1", "--paused", "--size", "1200", "600"});
  EXPECT_TRUE(window.Await(HasPicture("first", "view", "left")));
  EXPECT_TRUE(window.Await(HasPicture("second", "view", "disparity")));
  window.PressKey("2");
  EXPECT_TRUE(window.Await(HasPicture("first", "view", "right")));
  window.PressKey("ctrl+6");
  EXPECT_TRUE(window.Await(HasPicture("second", "view", "validity")));
  window.PressKey("v");
  EXPECT_TRUE(window.Await(HasPicture("first", "view", "validity")));
  EXPECT_TRUE(window.Await(HasPicture("second", "view", "right")));
  const char* const views[] = {"left",     "right", "disparity", "depth",      "confidence",
                               "validity", "error", "truth",     "difference", "uncertainty"};
  for (int i = 9; i >= 0; --i) {  // truth and error, since a synthetic scene has truth
    const std::string key = std::to_string((i + 1) % 10);
    if (i == 8) continue;  // A - B wants a second set (TwoSetsAreMatchedOnOneFrame)
    window.PressKey("ctrl+" + key);
    EXPECT_TRUE(window.Await(HasPicture("second", "view", views[i]))) << key;
    window.PressKey(key);
    EXPECT_TRUE(window.Await(HasPicture("first", "view", views[i]))) << key;
  }
  window.PressKey("ctrl+7");
  EXPECT_TRUE(window.Await(HasPicture("second", "view", "error")));
  window.PressKey("ctrl+3");
  for (const char* mode : {"blend", "wipe", "one", "side by side"}) {
    window.PressKey("m");
    EXPECT_TRUE(window.Await(HasMode(mode))) << mode;
  }
  window.PressKey("bracketright");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["pictures"]["position"] > 0.52; }));
  window.PressKey("bracketleft");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["pictures"]["position"] < 0.52; }));

  window.PressKey("s");
  EXPECT_TRUE(window.Await(HasPicture("second", "fixed", true)));
  window.PressKey("s");
  EXPECT_TRUE(window.Await(HasPicture("second", "fixed", false)));

  const auto scale = [](const Json& state) { return state["pictures"]["scale"].get<double>(); };
  const double fitting = scale(window.State());
  const Place place = InPane(window.State(), "first", 0.25, 0.25);
  window.Wheel(place.x, place.y, 3);
  EXPECT_TRUE(window.Await([&](const Json& state) { return scale(state) > 1.5 * fitting; }));
  const Json centre = window.State()["pictures"]["centre"];
  window.Drag(place.x, place.y, place.x + 40, place.y + 30);
  EXPECT_TRUE(window.Await([&](const Json& state) { return state["pictures"]["centre"] != centre; }));
  EXPECT_TRUE(window.State()["picked"].is_null());  // dragging picks nothing
  struct Arrow {
    const char* key;
    std::size_t axis;
    double sign;
  };
  for (const Arrow arrow : {Arrow{"Right", 0, 1}, {"Left", 0, -1}, {"Down", 1, 1}, {"Up", 1, -1}}) {
    const double from = window.State()["pictures"]["centre"][arrow.axis];
    window.PressKey(std::string("ctrl+") + arrow.key);
    EXPECT_TRUE(window.Await([&](const Json& state) {
      return arrow.sign * (state["pictures"]["centre"][arrow.axis].get<double>() - from) > 1;
    })) << arrow.key;
  }
  window.PressKey("x");
  EXPECT_TRUE(window.Await([&](const Json& state) { return scale(state) == 1; }));
  window.PressKey("ctrl+equal");
  EXPECT_TRUE(window.Await([&](const Json& state) { return scale(state) == 1.25; }));
  window.PressKey("ctrl+minus");
  window.PressKey("z");
  EXPECT_TRUE(window.Await([&](const Json& state) { return scale(state) == fitting; }));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

TEST_F(WindowControls, AClickPicksThePixelUnderTheMouseAndADragMarksARectangle) {
  // In a narrower window the line about the pixel wraps, and the picture moves under the mouse.
  DrivenWindow window(
      {"synthetic:boxes,width=160,height=120,samples=1", "--paused", "--size", "1440", "900"});
  const auto is_there = [](const Json& pixel) {
    return pixel.is_object() && std::abs(pixel["x"].get<int>() - 80) < 3 &&
           std::abs(pixel["y"].get<int>() - 90) < 3;
  };
  Place place{};
  EXPECT_TRUE(window.Await([&](const Json& state) {
    if (const Place now = InPane(state, "second", 0.5, 0.75); now.x != place.x || now.y != place.y) {
      place = now;  // laid out anew
      window.Move(place.x, place.y);
      return false;
    }
    return is_there(state["pixel"]);
  }));
  window.Click(place.x, place.y);
  // The state may have shown the pixel at the mouse's former position: the click picks the one shown now.
  EXPECT_TRUE(window.Await(
      [&](const Json& state) { return is_there(state["picked"]) && state["picked"] == state["pixel"]; }));
  const Json picked = window.State()["picked"];
  EXPECT_EQ(picked["z_m"], picked["depth_m"]);
  EXPECT_GT(picked["disparity_px"], 0);
  EXPECT_EQ(window.Close(), 0);
}

TEST_F(WindowControls, ParametersActOnTheFrameThatStandsStillAndAreTakenBackAndSaved) {
  const test::TemporaryFolder folder;
  DrivenWindow window(
      {"synthetic:boxes,width=160,height=120,samples=1", "--paused", "--save-to", folder.path().string()});
  const auto value = [](const Json& state, const char* key) {
    return state["parameters"]["values"][key].get<std::string>();
  };
  const std::string key = "census_transform.window";
  const std::string first = window.State()["parameters"]["selected"];
  window.PressKey("p");
  EXPECT_TRUE(window.Await([&](const Json& state) { return state["parameters"]["selected"] == key; }));
  window.PressKey("shift+p");
  EXPECT_TRUE(window.Await([&](const Json& state) { return state["parameters"]["selected"] == first; }));
  window.PressKey("p");
  EXPECT_TRUE(window.Await([&](const Json& state) { return state["parameters"]["selected"] == key; }));
  const std::string before = value(window.State(), key.c_str());
  const long shown = window.State()["num_shown"];
  window.PressKey("apostrophe");
  EXPECT_TRUE(window.Await(
      [&](const Json& state) { return value(state, key.c_str()) != before && state["num_shown"] > shown; }));
  EXPECT_EQ(window.State()["parameters"]["differs"].size(), 1u);
  window.PressKey("ctrl+s");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["parameters"]["saved"] != ""; }));
  const std::string saved = window.State()["parameters"]["saved"];
  EXPECT_EQ(saved, (folder.path() / "parallax-parameters.yaml").string());
  EXPECT_NE(test::ReadText(saved).find("window: " + value(window.State(), key.c_str())), std::string::npos);
  window.PressKey("ctrl+s");  // never over a file
  EXPECT_TRUE(window.Await([&](const Json& state) { return state["parameters"]["saved"] != saved; }));
  window.PressKey("ctrl+z");
  EXPECT_TRUE(window.Await([&](const Json& state) { return value(state, key.c_str()) == before; }));
  window.PressKey("apostrophe");
  EXPECT_TRUE(window.Await([&](const Json& state) { return value(state, key.c_str()) != before; }));
  window.PressKey("semicolon");
  EXPECT_TRUE(window.Await([&](const Json& state) { return value(state, key.c_str()) == before; }));
  window.PressKey("apostrophe");
  EXPECT_TRUE(window.Await([&](const Json& state) { return value(state, key.c_str()) != before; }));
  window.PressKey("ctrl+r");
  EXPECT_TRUE(window.Await([&](const Json& state) {
    return value(state, key.c_str()) == before && state["parameters"]["differs"].empty();
  }));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

// The keys come faster than the window draws.
TEST_F(WindowControls, ANumberIsTyped) {
  DrivenWindow window({"synthetic:boxes,width=160,height=120,samples=1", "--paused", "--size", "720", "900"});
  window.PressKey("Tab");
  EXPECT_TRUE(window.Await([](const Json& state) {
    return state["controls"].contains("cloud.far") && state["controls"]["cloud.far"][0] < 720;
  }));
  window.Settle();
  window.ClickControl("cloud.far");
  // Of the keys of one drawing ImGui takes the letters first.
  for (const char* keys : {"ctrl+a", "3", "7", "BackSpace", "8", "Return"}) {
    window.Type({keys});
    window.Settle();
  }
  EXPECT_TRUE(window.Await([](const Json& state) { return state["cloud"]["far_m"] == 38.0; }))
      << window.State()["cloud"]["far_m"];
  EXPECT_EQ(window.Close(), 0);  // Q is a key of the window again
  EXPECT_EQ(window.Errors(), "");
}

// An open list once asked for drawings faster than they could be made, until the renderer crashed.
TEST_F(WindowControls, AListStaysOpenAndTakesShortClicksAndTheKeysAfterThem) {
  DrivenWindow window({"synthetic:boxes,width=160,height=120,samples=1", "--paused", "--size", "720", "900"});
  window.PressKey("Tab");
  EXPECT_TRUE(window.Await([](const Json& state) {
    return state["controls"].contains("Parameters.method") && state["controls"]["Parameters.method"][0] < 720;
  }));
  window.Settle();
  const std::vector<int> box = window.State()["controls"]["Parameters.method"];
  const int x = box[0] + box[2] / 2, y = box[1] + box[3] / 2;
  const auto open = [&] {
    const long drawn = window.State()["redraws"];
    window.ShortClick(x, y);
    window.Await([&](const Json& state) { return state["redraws"] >= drawn + 2; });
    window.Settle();
  };
  open();
  const long redraws = window.State()["redraws"];
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(window.State()["redraws"], redraws);  // nothing has changed
  for (int i = 0; i < 30; ++i) window.Move(x + i, y + 3 * i);
  EXPECT_EQ(window.State()["parameters"]["values"]["method"], "sgm");
  window.ShortClick(x, y + 2 * box[3]);  // the second of its entries
  EXPECT_TRUE(
      window.Await([](const Json& state) { return state["parameters"]["values"]["method"] == "ad_census"; }));
  window.Settle();
  open();
  window.ShortClick(x, y + 2 * box[3]);
  EXPECT_EQ(window.Close(), 0);  // at once
  EXPECT_EQ(window.Errors(), "");
}

TEST_F(WindowControls, TwoSetsAreMatchedOnOneFrame) {
  DrivenWindow window({"synthetic:boxes,width=160,height=120,samples=1", "--paused"});
  window.PressKey("ctrl+b");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["parameters"]["compares"] == true; }));
  window.PressKey("ctrl+e");
  EXPECT_TRUE(window.Await([](const Json& state) { return state["parameters"]["changes"] == "B"; }));
  window.PressKey("apostrophe");  // the method of B
  EXPECT_TRUE(
      window.Await([](const Json& state) { return state["parameters"]["values"]["method"] == "ad_census"; }));
  window.PressKey("ctrl+9");
  EXPECT_TRUE(window.Await(HasPicture("second", "view", "difference")));
  window.PressKey("3");
  window.PressKey("b");
  EXPECT_TRUE(window.Await(HasPicture("first", "set", "B")));
  window.PressKey("ctrl+3");
  window.PressKey("shift+b");
  EXPECT_TRUE(window.Await(HasPicture("second", "set", "B")));
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

}  // namespace
}  // namespace parallax::app
