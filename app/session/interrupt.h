// Ctrl-C asks the program to end; frames that were begun are finished first.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace parallax::app {

// While it lives, the first SIGINT or SIGTERM sets requested(); one that comes half a second later or after
// ends the program as usual.
// One at a time.
class InterruptGuard {
 public:
  // Called in a thread of the guard's own: on_request at once, on_deadline when the guard still lives and is
  // armed a patience later. Both may be empty.
  explicit InterruptGuard(std::function<void()> on_request = {}, std::function<void()> on_deadline = {},
                          std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& requested() const;
  // What was interrupted has ended: nothing is called any more. Waits for a call that has begun.
  void Disarm();

 private:
  void Watch(const std::function<void()>& on_request, const std::function<void()>& on_deadline,
             std::chrono::milliseconds patience) const;

  std::thread watcher_;
};

}  // namespace parallax::app
