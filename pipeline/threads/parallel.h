// A fixed set of threads that share loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace parallax {

// Runs loops on a fixed number of threads, the caller's included. One loop at a time; not re-entrant.
class ThreadPool {
 public:
  // num_threads >= 1; 0 = one per hardware thread.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(i) once for every i in [0, count), in no stated order, and returns when all are done. Rethrows
  // the first exception of a body. Allocates nothing.
  template <typename Body>
  void ParallelFor(int count, Body&& body) {
    Run(count, std::ref(body));
  }

 private:
  void Run(int count, const std::function<void(int)>& body);
  void WorkerLoop();
  void RunTasks();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int)>* body_ = nullptr;
  int count_ = 0, next_ = 0;
  std::atomic<int> num_unfinished_ = 0;        // changed under the mutex, read without it
  std::atomic<std::uint64_t> generation_ = 0;  // the same
  std::exception_ptr error_;
  bool stop_ = false;
};

}  // namespace parallax
