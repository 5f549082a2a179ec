// Checks the display before Open3D opens a window.
#pragma once

namespace parallax::app {

struct DisplayInfo {
  bool draws_in_software = false;  // no graphics processor: Mesa's llvmpipe or similar
};
// Throws Error with the remedy if there is no display or it offers no OpenGL 4.1. Without this check, Open3D
// would end the process or read a null pointer.
DisplayInfo CheckDisplay();

// While it lives, what the process prints to standard output is dropped: the rendering engine announces its
// version there when it starts, where results belong. Not thread-safe.
class SilencedOutput {
 public:
  SilencedOutput();
  ~SilencedOutput();
  SilencedOutput(const SilencedOutput&) = delete;
  SilencedOutput& operator=(const SilencedOutput&) = delete;

 private:
  int saved_ = -1;
};

}  // namespace parallax::app
