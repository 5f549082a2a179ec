// A screen in memory (Xvfb), and looking at the windows on it as a window manager does.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/run_program.h"

namespace parallax::test {

// Starts Xvfb and sets DISPLAY to it; ends it when destroyed. What windows remember lies in a folder of its
// own (XDG_STATE_HOME).
class VirtualDisplay {
 public:
  VirtualDisplay();
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;
  // Empty when it runs; otherwise why it does not.
  const std::string& problem() const { return problem_; }
  std::filesystem::path memory_file() const { return state_.path() / "parallax" / "window"; }

 private:
  int process_ = -1;
  std::string problem_;
  TemporaryFolder state_;
};

struct WindowOnDisplay {
  unsigned long id = 0;
  int width = 0, height = 0;  // px
};

// A visible window of this title on the current DISPLAY; waits for it for as long as timeout_s.
std::optional<WindowOnDisplay> FindWindow(const std::string& title, double timeout_s);

// Asks it to close, as its close button does.
void CloseWindow(const WindowOnDisplay& window);

}  // namespace parallax::test
