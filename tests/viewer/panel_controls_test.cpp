// Every control that is used with the mouse, and what became of it: those of the panel, one for each parameter
// of the table among them, and those beside the pictures and below them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/view/controls/parameter_session.h"
#include "app/view/panes/pane_choices.h"
#include "config/parameter_text.h"
#include "config/parameters_yaml.h"
#include "tests/support/plain_parameters.h"
#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::app {
namespace {

using test::DrivenWindow;
using Json = DrivenWindow::Json;

class PanelControls : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
  }
  test::VirtualDisplay display_;
  test::TemporaryFolder folder_;
};

// state[a][b] == value, or state[a][b][c].
DrivenWindow::Predicate Is(const std::string& a, const std::string& b, const Json& value) {
  return [=](const Json& state) { return state.contains(a) && state[a].contains(b) && state[a][b] == value; };
}
DrivenWindow::Predicate Is(const std::string& a, const std::string& b, const std::string& c,
                           const Json& value) {
  return [=](const Json& state) {
    return state.contains(a) && state[a].contains(b) && state[a][b].contains(c) && state[a][b][c] == value;
  };
}
DrivenWindow::Predicate IsOpen(const std::string& section, bool open) {
  return [=](const Json& state) {
    const Json& names = state["panel"]["open"];
    return (std::find(names.begin(), names.end(), section) != names.end()) == open;
  };
}

// At its top, where the section folds and unfolds.
void UseHeading(DrivenWindow& window, const std::string& name) { window.Use(name, {}, 40, 12); }

// --- parameters ------------------------------------------------------------------

enum class Widget { kBox, kList, kNumber };
struct Setting {
  Widget widget = Widget::kNumber;
  std::string value;
  int entry = 0;  // of a list
};

// Another value than that of the parameter, which goes with all the others.
std::optional<Setting> OtherValue(const Parameters& parameters, const std::string& key) {
  std::vector<Setting> candidates;
  VisitParameters(parameters, [&](const ParameterInfo& info, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if (info.key != key) return;
    if constexpr (std::is_same_v<Value, bool>) {
      candidates.push_back({Widget::kBox, value ? "false" : "true"});
    } else if constexpr (std::is_enum_v<Value>) {
      for (int i : {0, 1, 2}) {
        if (i < static_cast<int>(std::size(EnumNames(Value{}))))
          candidates.push_back(
              {Widget::kList, std::string(EnumNames(Value{})[static_cast<std::size_t>(i)]), i});
      }
    } else {
      for (const double other : {7.0, 5.0, 4.0, 3.0, 1.0, 0.5, 0.0, info.max}) {  // short to type
        if (other < info.min || other > info.max) continue;
        Parameters with = parameters;
        SetParameter(with, key, fmt::format("{}", static_cast<Value>(other)));
        candidates.push_back({Widget::kNumber, ParameterText(with, key)});
      }
    }
  });
  for (const Setting& candidate : candidates) {
    Parameters with = parameters;
    if (candidate.value == ParameterText(parameters, key)) continue;
    if (!SetParameter(with, key, candidate.value) && Validate(with).empty()) return candidate;
  }
  return std::nullopt;
}

TEST_F(PanelControls, EveryParameterOfTheTableIsSetByItsControl) {
  test::SetScaling(0.5);  // fewer pixels, which a processor draws
  DrivenWindow window({"synthetic:boxes,width=64,height=48,samples=1", "--paused", "--size", "260", "800",
                       "--set", "matching_cost.num_disparities=16"});
  window.PressKey("Tab");
  EXPECT_TRUE(window.AwaitDrawn(Is("panel", "shown", true)));
  for (const char* section : {"Pictures", "Cloud"}) {  // there is room for the parameters of a stage then
    UseHeading(window, std::string("panel.") + section);
    EXPECT_TRUE(window.AwaitDrawn(IsOpen(section, false))) << section;
  }
  const Json at_first = window.State()["parameters"]["values"];
  ASSERT_EQ(at_first.size(), ParameterKeys().size());
  Parameters wanted = test::PlainParameters();
  for (const std::string& key : ParameterKeys())
    ASSERT_FALSE(SetParameter(wanted, key, at_first[key].get<std::string>())) << key;

  std::map<Widget, int> num;
  std::size_t num_changed = 0;
  std::string open_stage;
  for (const std::string& key : ParameterKeys()) {
    const std::string stage = key.find('.') == std::string::npos ? "" : key.substr(0, key.find('.'));
    for (const std::string& heading : {open_stage, stage}) {  // closes one and opens the other
      if (stage == open_stage || heading.empty()) continue;
      const long drawn = window.State()["redraws"];
      UseHeading(window, "Parameters." + heading);
      EXPECT_TRUE(window.AwaitDrawn([&](const Json& state) { return state["redraws"] > drawn + 2; }));
    }
    open_stage = stage;
    const Json before = window.State();
    ASSERT_EQ(before["parameters"]["values"][key], ParameterText(wanted, key)) << key;
    const std::string name = "Parameters." + key;
    if (!ParameterSession::WhyFixed(key).empty()) {  // it cannot be changed, as its tooltip says
      window.Enter(name, "2");
      EXPECT_EQ(window.State()["parameters"]["values"][key], at_first[key]);
      continue;
    }
    const std::optional<Setting> setting = OtherValue(wanted, key);
    ASSERT_TRUE(setting) << key;
    if (setting->widget == Widget::kBox) window.Use(name, {}, 10);
    if (setting->widget == Widget::kList) window.ChooseEntry(name, setting->entry);
    if (setting->widget == Widget::kNumber) window.Enter(name, setting->value);
    // It holds, and the frame that stands still is matched anew with it.
    const long shown = before["num_shown"];
    ASSERT_TRUE(window.AwaitDrawn([&](const Json& state) {
      return state["parameters"]["values"][key] == setting->value && state["num_shown"] > shown;
    })) << key
        << " = " << setting->value << ", but " << window.State()["parameters"]["values"][key] << " "
        << window.State()["status"];
    ++num[setting->widget];
    ASSERT_FALSE(SetParameter(wanted, key, setting->value));
    EXPECT_EQ(window.State()["parameters"]["differs"].size(), ++num_changed) << key;
  }
  for (const Widget widget : {Widget::kBox, Widget::kList, Widget::kNumber}) EXPECT_GT(num[widget], 4);
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

// --- everything else --------------------------------------------------------------

TEST_F(PanelControls, EveryButtonBoxListSliderAndNumberActs) {
  DrivenWindow window({"synthetic:drive,width=160,height=48,samples=1,frames=6", "--paused", "--size", "640",
                       "800", "--set", "matching_cost.num_disparities=32", "--save-to",
                       folder_.path().string()});
  const auto expect = [&](const DrivenWindow::Predicate& wanted, const std::string& what) {
    EXPECT_TRUE(window.AwaitDrawn(wanted)) << what << ": " << window.State().dump();
  };
  // A busy machine loses a click now and then: what had no effect is done once more.
  const auto act = [&](const std::function<void()>& action, const DrivenWindow::Predicate& wanted,
                       const std::string& what) {
    action();
    if (window.AwaitDrawn(wanted)) return;
    action();
    expect(wanted, what);
  };
  const auto click = [&](const std::string& name, const DrivenWindow::Predicate& wanted) {
    act([&] { window.Use(name, {}, 10); }, wanted, name);
  };
  const auto choose = [&](const std::string& name, int entry, const DrivenWindow::Predicate& wanted) {
    act([&] { window.ChooseEntry(name, entry); }, wanted, name);
  };
  const auto enter = [&](const std::string& name, const std::string& number,
                         const DrivenWindow::Predicate& wanted) {
    act([&] { window.Enter(name, number); }, wanted, name);
  };
  const auto press = [&](const std::string& key, const DrivenWindow::Predicate& wanted) {
    act([&] { window.PressKey(key); }, wanted, key);
  };

  click("panel", Is("panel", "shown", true));
  const auto fold = [&](const char* section, bool open) {
    act([&] { UseHeading(window, std::string("panel.") + section); }, IsOpen(section, open), section);
  };
  for (const char* section : {"Cloud", "Pictures", "Parameters"}) fold(section, false);
  fold("Figures", true);
  fold("Figures", false);
  for (const char* section : {"Cloud", "Pictures", "Parameters"}) fold(section, true);
  // The cloud.
  choose("cloud.coloring", 1, Is("cloud", "shown_coloring", "depth"));
  window.Use("cloud.point_size", {}, 5);
  expect([](const Json& state) { return state["cloud"]["point_size"] < 2; }, "cloud.point_size");
  enter("cloud.near", "8", Is("cloud", "near_m", 8.0));
  enter("cloud.far", "9", Is("cloud", "far_m", 9.0));
  click("cloud.camera", Is("cloud", "frustum", false));
  click("cloud.grid", Is("cloud", "grid", false));
  click("cloud.ruler", Is("cloud", "ruler", "used", true));
  const auto looks = [](std::size_t axis, double sign) {
    return [=](const Json& state) { return sign * state["cloud"]["forward"][axis].get<double>() > 0.8; };
  };
  click("cloud.above", looks(1, 1));
  click("cloud.side", looks(0, -1));
  click("cloud.first", looks(2, 1));
  click("cloud.side", looks(0, -1));
  click("reset_view", looks(2, 1));

  // Two sets, of which one is another.
  click("Parameters.compare", Is("parameters", "compares", true));
  choose("Parameters.set", 1, Is("parameters", "changes", "B"));
  choose("Parameters.method", 1, Is("parameters", "values", "method", "ad_census"));
  click("Parameters.undo", Is("parameters", "values", "method", "sgm"));
  choose("Parameters.method", 1, Is("parameters", "values", "method", "ad_census"));
  click("Parameters.reset_parameters", Is("parameters", "values", "method", "sgm"));
  choose("Parameters.method", 1, Is("parameters", "values", "method", "ad_census"));
  const std::string saved = (folder_.path() / "parallax-parameters.yaml").string();
  click("Parameters.save_parameters", Is("parameters", "saved", saved));
  EXPECT_NE(test::ReadText(saved).find("method: ad_census"), std::string::npos);

  // The pictures.
  choose("pane.first.view", 2, Is("pictures", "first", "view", "disparity"));
  choose("pane.first.set", 1, Is("pictures", "first", "set", "B"));
  choose("pane.second.set", 1, Is("pictures", "second", "set", "B"));
  choose("pane.second.view", 1, Is("pictures", "second", "view", "right"));
  const std::pair<const char*, const char*> views[] = {
      {"disparity", "3"}, {"depth", "4"}, {"difference", "9"}, {"uncertainty", "0"}};
  for (const auto& [view, key] : views) {
    press(key, Is("pictures", "first", "view", view));
    const std::string row = std::string("Pictures.") + view;
    click(row + ".fixed", Is("pictures", "first", "fixed", true));
    enter(row + ".low", "3", Is("pictures", "first", "low", 3.0));
    enter(row + ".high", "8", Is("pictures", "first", "high", 8.0));
    click(row + ".fixed", Is("pictures", "first", "fixed", false));
  }
  window.Use("Pictures.position", {}, 5);
  expect([](const Json& state) { return state["pictures"]["position"] < 0.1; }, "Pictures.position");
  for (const int mode : {0, 2, 3})
    choose("Pictures.mode", mode, Is("pictures", "mode", kPaneModeNames[static_cast<std::size_t>(mode)]));

  // Time.
  click("forward", Is("time", "shown", 1));
  click("back", Is("time", "shown", 0));
  click("step", Is("time", "shown", 1));
  window.Use("time");
  expect([](const Json& state) { return state["time"]["shown"] > 1; }, "time");
  click("pace", Is("time", "source_pace", true));
  click("pause", Is("time", "paused", false));

  const std::vector<int> place = window.State()["pictures"]["first"]["place"];
  const int line =
      place[0] + static_cast<int>(window.State()["pictures"]["position"].get<double>() * place[2]);
  window.Drag(line, place[1] + place[3] / 2, place[0] + place[2] / 2, place[1] + place[3] / 2);
  expect([](const Json& state) { return std::abs(state["pictures"]["position"].get<double>() - 0.5) < 0.1; },
         "the line of wipe");
  // None is left out.
  const Json controls = window.State()["controls"];
  for (const auto& [name, frame] : controls.items()) {
    const bool is_parameter = name.starts_with("Parameters.");  // EveryParameterOfTheTableIsSetByItsControl
    EXPECT_TRUE(is_parameter || window.used().contains(name)) << name;
  }
  EXPECT_EQ(window.Close(), 0);
  EXPECT_EQ(window.Errors(), "");
}

}  // namespace
}  // namespace parallax::app
