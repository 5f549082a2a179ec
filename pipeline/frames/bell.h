// Wakes the one thread that waits for any of several things.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace parallax {

class Bell {
 public:
  // From any thread: what was waited for may have come.
  void Ring() {
    {
      const std::scoped_lock lock(mutex_);
      if (has_rung_) return;
      has_rung_ = true;
    }
    rung_.notify_one();
  }
  // Returns once it has rung since the last call, or when the time is over.
  void WaitFor(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, longest, [this] { return has_rung_; });
    has_rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  bool has_rung_ = false;
};

}  // namespace parallax
