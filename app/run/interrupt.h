// Ctrl-C as a wish to end, not an end.
#pragma once

#include <atomic>

namespace parallax::app {

// While it lives, the first SIGINT or SIGTERM sets requested(); a second one ends the program as usual.
// One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& requested() const;
};

}  // namespace parallax::app
