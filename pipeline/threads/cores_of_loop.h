// Keeps the few threads that share a loop on separate cores.
#pragma once

#include <atomic>
#include <cstdint>

namespace parallax {

// Linux wakes a thread on the core of the thread that wakes it. If few cores share a cache and are busy, it
// looks for no other: two threads that wait for each other in turns then share a core for milliseconds, while
// another core is idle. On other systems, and in loops of more than a few threads, this does nothing.
class CoresOfLoop {
 public:
  // The caller's thread takes its current core.
  explicit CoresOfLoop(int num_threads);
  ~CoresOfLoop();
  CoresOfLoop(const CoresOfLoop&) = delete;
  CoresOfLoop& operator=(const CoresOfLoop&) = delete;

  // Called before a task by the thread that runs it. If another thread of the loop has its core, it moves to
  // a free one, if there is one among those that it may use. Returns whether it moved.
  bool Take();
  // The same within a task, for a thread that has slept and may have woken on another core; does nothing
  // outside tasks.
  static bool Reacquire();

 private:
  bool Leave(std::uint64_t taken);

  const bool looks_;
  const std::uint64_t number_;
  std::atomic<std::uint64_t> taken_ = 0;  // one bit for each core
};

}  // namespace parallax
