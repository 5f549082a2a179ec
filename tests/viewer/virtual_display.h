// A screen in memory (Xvfb), and looking at the windows on it as a window manager does.
#pragma once

#include <optional>
#include <string>

#include "tests/support/run_program.h"

namespace parallax::test {

// Starts Xvfb and sets DISPLAY to it; ends it when destroyed.
class VirtualDisplay {
 public:
  VirtualDisplay();
  ~VirtualDisplay();
  VirtualDisplay(const VirtualDisplay&) = delete;
  VirtualDisplay& operator=(const VirtualDisplay&) = delete;
  // Empty when it runs; otherwise why it does not.
  const std::string& problem() const { return problem_; }

 private:
  int process_ = -1;
  std::string problem_;
};

// What windows take for the scaling of the current DISPLAY from now on: 2 is 200 %.
void SetScaling(double scaling);

struct WindowOnDisplay {
  unsigned long id = 0;
  int width = 0, height = 0;  // px
};

// A visible window of this title on the current DISPLAY; waits for it for as long as timeout_s.
std::optional<WindowOnDisplay> FindWindow(const std::string& title, double timeout_s);

// Asks it to close, as its close button does.
void CloseWindow(const WindowOnDisplay& window);

}  // namespace parallax::test
