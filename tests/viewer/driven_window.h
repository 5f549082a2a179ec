// A window that a test drives with xdotool, and whose state it reads from --state-file.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::test {

// The program runs while this lives; a display must be there.
class DrivenWindow {
 public:
  using Json = nlohmann::json;
  using Predicate = std::function<bool(const Json& state)>;

  // `parallax view ARGUMENTS --state-file ...`, until it shows a frame. 800x600 px, if no --size says otherwise: a
  // processor draws it.
  explicit DrivenWindow(std::vector<std::string> arguments);
  ~DrivenWindow();
  DrivenWindow(const DrivenWindow&) = delete;
  DrivenWindow& operator=(const DrivenWindow&) = delete;

  // Whether xdotool is there (Debian: xdotool).
  static bool CanBeDriven();

  // xdotool's names of keys: "space", "ctrl+z", "question".
  void PressKey(const std::string& key);
  // One after the other, at once.
  void Type(std::vector<std::string> keys);
  void Click(int x, int y, int button = 1);
  // Down and up at once, before the window can draw.
  void ShortClick(int x, int y);
  void Move(int x, int y);
  void Drag(int x0, int y0, int x1, int y1, int button = 1);
  void Wheel(int x, int y, int clicks);  // > 0: away from the user
  // On the control of that name in the state's "controls".
  void ClickControl(const std::string& name, bool in_the_middle = false);
  // A short click on a control, then keys, all at once: for many controls one after the other. x, y: from its
  // left end and its top, or from its middle where they are not given.
  void Use(const std::string& name, const std::vector<std::string>& keys = {}, std::optional<int> x = {},
           std::optional<int> y = {});
  // Chooses an entry of a list, from 0.
  void ChooseEntry(const std::string& name, int entry);
  // Writes a number into its field.
  void Enter(const std::string& name, const std::string& number);
  // The controls that were used in one of these ways.
  const std::set<std::string>& used() const { return used_; }

  Json State() const;
  // Waits until the state stays as it is for a while; of frames that go on and on, a few looks.
  void Settle() const;
  // Waits until the state is as wanted, 20 s at most; whether it became so.
  bool Await(const Predicate& wanted) const;
  // The same, and until that is on screen.
  bool AwaitDrawn(const Predicate& wanted) const;
  // Presses Q; the program's exit code.
  int Close();
  std::string Errors() const { return ReadText(folder_.path() / "err.txt"); }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  void Xdotool(const std::vector<std::string>& arguments) const;

  TemporaryFolder folder_;
  int program_ = -1;
  WindowOnDisplay window_;
  std::set<std::string> used_;
  // The state that was read last: while nothing changes it is not parsed again.
  mutable std::string text_;
  mutable Json state_ = Json::object();
};

}  // namespace parallax::test
