#include "tests/viewer/driven_window.h"
#include "tests/support/built_paths.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace parallax::test {
namespace {

constexpr double kTimeout_s = 40;

}  // namespace

bool DrivenWindow::CanBeDriven() { return RunProgram("/usr/bin/xdotool", {"version"}).exit_code == 0; }

DrivenWindow::DrivenWindow(std::vector<std::string> arguments) {
  const std::string state = (folder_.path() / "state.json").string();
  std::string title = "parallax";  // and what is shown
  for (const std::string& argument : arguments) {
    if (argument.starts_with("--")) break;
    title += " " + argument;
  }
  arguments.insert(arguments.begin(), "view");
  arguments.insert(arguments.end(), {"--state-file", state});
  if (std::find(arguments.begin(), arguments.end(), "--size") == arguments.end())
    arguments.insert(arguments.end(), {"--size", "800", "600"});
  program_ = StartProgram(kProgram, arguments, folder_.path() / "out.txt", folder_.path() / "err.txt");
  if (const auto window = FindWindow(title, kTimeout_s)) window_ = *window;
  Await([](const Json& shown) { return shown.value("num_shown", 0) > 0; });
  Settle();  // laid out for it, too
  // Keys go to the window under the mouse where no window manager gives them away.
  Move(window_.width / 2, window_.height / 2);
}

DrivenWindow::~DrivenWindow() {
  if (program_ < 0) return;
  kill(program_, SIGKILL);
  WaitForProgram(program_);
}

void DrivenWindow::Xdotool(const std::vector<std::string>& arguments) const {
  RunProgram("/usr/bin/xdotool", arguments);
}

void DrivenWindow::PressKey(const std::string& key) { Xdotool({"key", key}); }

void DrivenWindow::Type(std::vector<std::string> keys) {
  keys.insert(keys.begin(), {"key", "--delay", "1"});
  Xdotool(keys);
}

void DrivenWindow::Move(int x, int y) {
  Xdotool({"mousemove", "--window", std::to_string(window_.id), std::to_string(x), std::to_string(y)});
}

// Between two steps the window draws: a button is pressed where the mouse was seen before.
void DrivenWindow::Click(int x, int y, int button) {
  const std::string name = std::to_string(button);
  Move(x, y);
  Xdotool({"sleep", "0.3", "mousedown", name, "sleep", "0.5", "mouseup", name, "sleep", "0.3"});
}

void DrivenWindow::ShortClick(int x, int y) {
  Move(x, y);
  Xdotool({"sleep", "0.3", "click", "1"});
}

void DrivenWindow::Drag(int x0, int y0, int x1, int y1, int button) {
  const std::string name = std::to_string(button);
  Move(x0, y0);
  Xdotool({"sleep", "0.15", "mousedown", name, "sleep", "0.15"});
  Move((x0 + x1) / 2, (y0 + y1) / 2);
  Xdotool({"sleep", "0.1"});
  Move(x1, y1);
  Xdotool({"sleep", "0.15", "mouseup", name, "sleep", "0.15"});
}

void DrivenWindow::Wheel(int x, int y, int clicks) {
  Move(x, y);
  for (int i = 0; i < std::abs(clicks); ++i) Xdotool({"click", clicks > 0 ? "4" : "5", "sleep", "0.05"});
}

void DrivenWindow::ClickControl(const std::string& name, bool in_the_middle) {
  const Json state = State();
  if (!state.contains("controls") || !state["controls"].contains(name)) return;
  const std::vector<int> frame = state["controls"][name];
  used_.insert(name);
  // Near its left end: a box with words does not reach as far as its frame.
  const int middle = frame[3] / 2;
  Click(frame[0] + (in_the_middle ? frame[2] / 2 : std::min(middle, frame[2] / 2)), frame[1] + middle);
}

void DrivenWindow::Use(const std::string& name, const std::vector<std::string>& keys, std::optional<int> x,
                       std::optional<int> y) {
  const Json state = State();
  if (!state.contains("controls") || !state["controls"].contains(name)) return;
  const std::vector<int> frame = state["controls"][name];
  const auto on_screen = [scaling = state["window"]["scaling"].get<double>()](int px) {
    return static_cast<int>(px * scaling);
  };
  used_.insert(name);
  std::vector<std::string> words = {"mousemove", "--window", std::to_string(window_.id),
                                    std::to_string(frame[0] + (x ? on_screen(*x) : frame[2] / 2)),
                                    std::to_string(frame[1] + (y ? on_screen(*y) : frame[3] / 2))};
  words.insert(words.end(), {"sleep", "0.04", "click", "1"});
  Xdotool(words);
  // The button is seen down, and seen up again where the mouse is. Before, keys would not reach it.
  const auto await_redraws = [&](long more) {
    const long wanted = state.value("redraws", 0L) + more;
    Await([&](const Json& now) { return now.value("redraws", 0L) >= wanted; });
  };
  await_redraws(2);
  if (keys.empty()) return;
  words = {"key", "--delay", "1"};
  words.insert(words.end(), keys.begin(), keys.end());
  Xdotool(words);
  await_redraws(3);
}

void DrivenWindow::ChooseEntry(const std::string& name, int entry) {
  const Json state = State();
  if (!state.contains("controls") || !state["controls"].contains(name)) return;
  const std::vector<int> box = state["controls"][name];
  Use(name);
  Settle();  // its list is open
  // Entries are lower than the box, whose text has more room around it.
  const int first = box[1] + 3 * box[3] / 2 - static_cast<int>(4 * state["window"]["scaling"].get<double>()),
            pitch = box[3] - 2;
  ShortClick(box[0] + box[2] / 2, first + entry * pitch);
}

void DrivenWindow::Enter(const std::string& name, const std::string& number) {
  std::vector<std::string> keys;  // over what it holds, all of which a click has chosen
  for (const char c : number) keys.push_back(c == '.' ? "period" : c == '-' ? "minus" : std::string(1, c));
  keys.push_back("Return");
  Use(name, keys, 10);
}

void DrivenWindow::Settle() const {
  constexpr int kMostLooks = 10;
  Json before, now = State();
  for (int i = 0; i < kMostLooks && now != before; ++i) {
    before = std::move(now);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    now = State();
  }
}

DrivenWindow::Json DrivenWindow::State() const {
  std::string text = ReadText(folder_.path() / "state.json");
  if (text != text_) {
    text_ = std::move(text);
    state_ = Json::parse(text_, nullptr, false);
    if (!state_.is_object()) state_ = Json::object();
  }
  return state_;
}

bool DrivenWindow::Await(const Predicate& wanted) const {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(kTimeout_s / 2);
  while (!wanted(State())) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
  return true;
}

bool DrivenWindow::AwaitDrawn(const Predicate& wanted) const {
  return Await([&](const Json& state) { return state.value("drawn", false) && wanted(state); });
}

int DrivenWindow::Close() {
  PressKey("q");
  return WaitForProgram(std::exchange(program_, -1));
}

}  // namespace parallax::test
