// A thread for jobs that take longer than a redraw. It runs only the latest of the waiting jobs of a kind.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace parallax::app {

class LatestJobs {
 public:
  LatestJobs() : thread_([this] { Work(); }) {}
  // Finishes the current job and begins no other.
  ~LatestJobs() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  LatestJobs(const LatestJobs&) = delete;
  LatestJobs& operator=(const LatestJobs&) = delete;

  // Replaces a waiting job of that kind. job must not throw.
  void Put(int kind, std::function<void()> job) {
    const std::scoped_lock lock(mutex_);
    waiting_[kind] = std::move(job);
    changed_.notify_all();
  }
  // Whether a job waits or runs.
  bool IsBusy() const {
    const std::scoped_lock lock(mutex_);
    return working_ || !waiting_.empty();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (ended_) return;
      const std::function<void()> job = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      working_ = true;
      lock.unlock();
      job();
      lock.lock();
      working_ = false;
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::function<void()>> waiting_;  // lower kinds first
  bool working_ = false, ended_ = false;
  std::thread thread_;  // last member: the thread uses the others
};

}  // namespace parallax::app
