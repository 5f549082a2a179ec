#include "pipeline/threads/parallel.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "pipeline/threads/cores_of_loop.h"

namespace parallax {

ThreadPool::ThreadPool(int num_threads) {
  if (num_threads <= 0) num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this] { WorkerLoop(); });
  } catch (const std::exception&) {
    // No more threads, or no memory for them: those that there are do the work, with the same results.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

namespace {

// Waking a thread takes some 40 us, longer than many a gap between two loops: a thread that has nothing to do
// looks out for that long before it sleeps, unless others wait for its core.
constexpr auto kLookOut = std::chrono::microseconds(40);

template <typename Condition>
bool SpinUntil(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

void ThreadPool::Run(int count, const std::function<void(int)>& body) {
  if (count <= 0) return;
  CoresOfLoop cores(num_threads());
  const std::function<void(int)> task = [&](int i) {
    cores.Take();
    body(i);
  };
  {
    const std::scoped_lock lock(mutex_);
    body_ = &task;
    count_ = count;
    num_unfinished_ = count;
    next_ = 0;
    ++generation_;
  }
  start_.notify_all();
  RunTasks();
  SpinUntil([this] { return num_unfinished_.load(std::memory_order_acquire) == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return num_unfinished_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::WorkerLoop() {
  std::uint64_t seen = 0;
  while (true) {
    SpinUntil([&] { return generation_.load(std::memory_order_acquire) != seen; });
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
    }
    RunTasks();
  }
}

void ThreadPool::RunTasks() {
  std::unique_lock lock(mutex_);
  while (next_ < count_) {
    const int task = next_++;
    const auto* body = body_;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*body)(task);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
    if (--num_unfinished_ == 0) done_.notify_all();
  }
}

}  // namespace parallax
