// Keeps the few threads that share a loop on cores of their own.
#pragma once

#include <atomic>
#include <cstdint>

namespace parallax {

// Linux wakes a thread where the one runs that wakes it, and where few cores share a cache and are busy it looks
// for no other: two threads that wait for each other in turns then share a core for milliseconds, while another
// has nothing to do. Elsewhere, and in loops of more than a few threads, this does nothing.
class CoresOfLoop {
 public:
  // The caller's thread takes the core that it is on.
  explicit CoresOfLoop(int num_threads);
  ~CoresOfLoop();
  CoresOfLoop(const CoresOfLoop&) = delete;
  CoresOfLoop& operator=(const CoresOfLoop&) = delete;

  // Before a task, of the thread that does it. Where another thread of the loop has its core, it goes to one that
  // none has, if there is one among those that it may use. Whether it went.
  bool Take();
  // The same, within a task, of a thread that has slept and may have woken elsewhere; outside of tasks nothing.
  static bool TakeAgain();

 private:
  bool Leave(std::uint64_t taken);

  const bool looks_;
  const std::uint64_t number_;
  std::atomic<std::uint64_t> taken_ = 0;  // a bit a core
};

}  // namespace parallax
