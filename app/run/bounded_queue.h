// Hands values from threads to threads in order, holding at most a fixed number of them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace parallax::app {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. False, and the value is dropped, once the queue is closed.
  bool Push(T value) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
    if (closed_) return false;
    values_.push_back(std::move(value));
    lock.unlock();
    filled_.notify_one();
    return true;
  }

  // Waits for a value. nullopt once the queue is closed and empty.
  std::optional<T> Pop() { return Take(true); }
  // nullopt where there is no value at the moment.
  std::optional<T> TryPop() { return Take(false); }

  // No more values come: Push fails from now on, Pop still hands out what is in.
  void Close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    room_.notify_all();
    filled_.notify_all();
  }

 private:
  std::optional<T> Take(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) filled_.wait(lock, [this] { return closed_ || !values_.empty(); });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    lock.unlock();
    room_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable room_, filled_;
  std::deque<T> values_;
  bool closed_ = false;
};

}  // namespace parallax::app
