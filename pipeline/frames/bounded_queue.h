// Passes values between threads in order, holding at most a fixed number of them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace parallax {

// What happens to a value if the queue is full.
enum class WhenFull { kWait, kDropOldest };

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity, WhenFull when_full = WhenFull::kWait)
      : capacity_(capacity), when_full_(when_full) {
    values_.reserve(capacity);
  }

  // Waits for room, or makes it. Once the queue is closed, drops the value and returns false.
  bool Push(T value) {
    std::optional<T> dropped;  // destroyed after the lock is released
    std::unique_lock lock(mutex_);
    if (when_full_ == WhenFull::kWait)
      room_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    if (values_.size() == capacity_) {
      dropped = std::move(values_.front());
      values_.erase(values_.begin());
      ++num_dropped_;
    }
    values_.push_back(std::move(value));
    lock.unlock();
    filled_.notify_one();
    return true;
  }

  // Waits for a value. nullopt once the queue is closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !values_.empty(); });
    return Take(lock);
  }
  // Waits for a value until `end`; nullopt if none came, or if the queue is closed and empty.
  std::optional<T> PopUntil(std::chrono::steady_clock::time_point end) {
    std::unique_lock lock(mutex_);
    filled_.wait_until(lock, end, [this] { return closed_ || !values_.empty(); });
    return Take(lock);
  }
  // Takes the next value without waiting; nullopt if the queue is empty.
  std::optional<T> TryPop() {
    std::unique_lock lock(mutex_);
    return Take(lock);
  }

  // Ends the input: Push fails from now on, Pop still returns the remaining values.
  void Close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    room_.notify_all();
    filled_.notify_all();
  }

  bool IsClosedAndEmpty() const {
    const std::scoped_lock lock(mutex_);
    return closed_ && values_.empty();
  }
  std::size_t num_dropped() const {
    const std::scoped_lock lock(mutex_);
    return num_dropped_;
  }

 private:
  std::optional<T> Take(std::unique_lock<std::mutex>& lock) {
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.erase(values_.begin());
    lock.unlock();
    room_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  const WhenFull when_full_;
  mutable std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::vector<T> values_;  // the oldest first; capacities are small
  std::size_t num_dropped_ = 0;
  bool closed_ = false;
};

}  // namespace parallax
