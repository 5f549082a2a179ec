#include "pipeline/frames/worker_pool.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace parallax {

WorkerPool::WorkerPool(int most_writing, int most_reading)
    : most_threads_(static_cast<std::size_t>(std::max({most_writing, most_reading, 1}))) {
  LaneOf(TaskKind::kWriting).most = static_cast<std::size_t>(std::max(most_writing, 1));
  LaneOf(TaskKind::kReading).most = static_cast<std::size_t>(std::max(most_reading, 1));
}

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  task_waits_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Do(TaskKind kind, Task task) {
  const std::scoped_lock lock(mutex_);
  Lane& lane = LaneOf(kind);
  lane.waiting.push_back(std::move(task));
  if (!lane.has_next()) return;
  try {
    CallOne();
  } catch (...) {
    lane.waiting.pop_back();
    throw;
  }
}

std::size_t WorkerPool::Drop(TaskKind kind) {
  std::vector<Task> dropped;  // is destroyed after the lock is released
  const std::scoped_lock lock(mutex_);
  dropped.swap(LaneOf(kind).waiting);
  return dropped.size();
}

WorkerPool::Lane* WorkerPool::Next() {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& some) { return some.has_next(); });
  return lane == lanes_.end() ? nullptr : &*lane;
}

void WorkerPool::CallOne() {
  if (num_idle_ > num_called_) {
    ++num_called_;
    task_waits_.notify_one();
  }
  if (threads_.size() == most_threads_ || ends_) return;
  try {
    threads_.emplace_back([this] { Work(); });
  } catch (const std::exception&) {  // no thread or no memory
    if (threads_.empty()) throw;     // else the others do the work
  }
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Lane* const lane = Next();
    if (lane == nullptr) {
      if (ends_) return;  // what waits is done by those at work
      ++num_idle_;
      task_waits_.wait(lock, [this] { return num_called_ > 0 || ends_; });
      --num_idle_;
      if (num_called_ > 0) --num_called_;
      continue;
    }
    Task task = std::move(lane->waiting.front());
    lane->waiting.erase(lane->waiting.begin());
    ++lane->num_running;
    if (Next() != nullptr && num_idle_ > num_called_) CallOne();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --lane->num_running;
  }
}

}  // namespace parallax
