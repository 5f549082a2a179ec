// A pool of threads that read and write frames.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace parallax {

enum class TaskKind { kWriting, kReading };

// One pool reads and writes, with at most one thread per core, so that no core idles while there is work. Writing has
// priority: it finishes frames and frees their memory.
class WorkerPool {
 public:
  using Task = std::function<void()>;  // throws nothing, and does not wait for another task

  // The most tasks of each kind that run at the same time. The larger number is the size of the pool; each
  // of the first tasks starts one of its threads.
  WorkerPool(int most_writing, int most_reading);
  // Waits for the end of every submitted task.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Tasks of a kind start in the order in which they come. Throws std::system_error if the system gives no
  // thread at all.
  void Do(TaskKind kind, Task task);
  // Drops the tasks that have not started; returns their number.
  std::size_t Drop(TaskKind kind);

 private:
  struct Lane {
    std::size_t most = 1, num_running = 0;
    std::vector<Task> waiting;  // the oldest first
    bool has_next() const { return !waiting.empty() && num_running < most; }
  };
  Lane& LaneOf(TaskKind kind) { return lanes_[static_cast<std::size_t>(kind)]; }
  Lane* Next();    // with a task that can start; null if there is none
  void CallOne();  // lets one more thread look for a task
  void Work();

  std::mutex mutex_;
  std::condition_variable task_waits_;
  std::array<Lane, 2> lanes_;                  // in the order of TaskKind, which is their precedence
  std::size_t num_idle_ = 0, num_called_ = 0;  // sleeping threads, and those of them that were told to wake
  bool ends_ = false;
  const std::size_t most_threads_;
  std::vector<std::thread> threads_;
};

}  // namespace parallax
