// Ctrl-C asks the program to end; frames in progress are finished first.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace parallax::app {

// During its lifetime the first SIGINT or SIGTERM sets requested(); another one, at least half a second
// later, ends the program as usual. Only one may exist.
class InterruptGuard {
 public:
  // Both are called in the guard's own thread: on_request at once, on_deadline if the guard is still alive
  // and armed when `patience` has passed. Both may be empty.
  explicit InterruptGuard(std::function<void()> on_request = {}, std::function<void()> on_deadline = {},
                          std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const std::atomic<bool>& requested() const;
  // To be called when the interrupted work has ended: neither function is called any more. Waits for a call
  // in progress.
  void Disarm();

 private:
  void Watch(const std::function<void()>& on_request, const std::function<void()>& on_deadline,
             std::chrono::milliseconds patience) const;

  std::thread watcher_;
};

}  // namespace parallax::app
