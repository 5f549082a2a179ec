// Wakes the one thread that waits for any of several events.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace parallax {

class Wakeup {
 public:
  // Wakes WaitFor, or lets its next call return at once, as an event may have happened. Thread-safe.
  void Notify() {
    {
      const std::scoped_lock lock(mutex_);
      if (is_notified_) return;
      is_notified_ = true;
    }
    notified_.notify_one();
  }
  // Returns once Notify was called since the last call, or when the time is over.
  void WaitFor(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    notified_.wait_for(lock, longest, [this] { return is_notified_; });
    is_notified_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable notified_;
  bool is_notified_ = false;
};

}  // namespace parallax
