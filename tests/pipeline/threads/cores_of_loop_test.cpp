#include "pipeline/threads/cores_of_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "pipeline/threads/parallel.h"

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
thread_local int pretended_core = -1;  // -1: none
}  // namespace

// Replaces the system call, so that the test chooses the core.
extern "C" int sched_getcpu() noexcept {
  unsigned core = 0;
  if (pretended_core >= 0) return pretended_core;
  return syscall(SYS_getcpu, &core, nullptr, nullptr) == 0 ? static_cast<int>(core) : -1;
}
#endif

namespace parallax {
namespace {

#ifdef __linux__

cpu_set_t Cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(0, sizeof(cores), &cores), 0);
  return cores;
}
void StayOn(const cpu_set_t& cores) { EXPECT_EQ(sched_setaffinity(0, sizeof(cores), &cores), 0); }

// Up to two of the cores that this program may use.
std::vector<int> SomeCores() {
  const cpu_set_t cores = Cores();
  std::vector<int> some;
  for (int core = 0; core < 64 && some.size() < 2; ++core) {
    if (CPU_ISSET(core, &cores)) some.push_back(core);
  }
  return some;
}
cpu_set_t SetOf(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return set;
}

// What Take() says to a thread that is on the core of the loop's caller and may use `cores`, a few times: the
// system may move it before it asks.
int TimesMoved(int num_threads, const std::vector<int>& cores, int num_tries) {
  int times = 0;
  std::thread caller([&] {
    StayOn(SetOf({cores.front()}));
    for (int i = 0; i < num_tries; ++i) {
      CoresOfLoop loop(num_threads);
      std::thread([&] {
        StayOn(SetOf(cores));
        if (loop.Take()) ++times;
        const cpu_set_t still = Cores(), before = SetOf(cores);
        EXPECT_TRUE(CPU_EQUAL(&still, &before));
      }).join();
    }
  });
  caller.join();
  return times;
}

TEST(CoresOfLoop, AThreadOnTheCoreOfAnotherGoesToOneThatIsFree) {
  if (SomeCores().size() < 2) GTEST_SKIP() << "this program may use one core only; not tested";
  EXPECT_GT(TimesMoved(2, SomeCores(), 50), 0);
}

TEST(CoresOfLoop, AThreadThatMayUseOneCoreStays) { EXPECT_EQ(TimesMoved(2, {SomeCores().front()}, 5), 0); }

TEST(CoresOfLoop, OfManyThreadsNoneIsMoved) { EXPECT_EQ(TimesMoved(5, SomeCores(), 5), 0); }

TEST(CoresOfLoop, AThreadBeyondTheCountedCoresForgetsTheLoopBefore) {
  alignas(CoresOfLoop) std::byte memory[sizeof(CoresOfLoop)];
  CoresOfLoop* before = nullptr;
  std::thread([&] { before = new (memory) CoresOfLoop(2); }).join();
  pretended_core = 1;
  before->Take();
  std::thread([&] { std::destroy_at(before); }).join();
  std::memset(memory, 1, sizeof(memory));
  pretended_core = 64;
  CoresOfLoop loop(2);
  pretended_core = 2;
  EXPECT_FALSE(CoresOfLoop::Reacquire());
  pretended_core = -1;
  EXPECT_THAT(memory, testing::Each(std::byte{1}));
}

#endif

TEST(CoresOfLoop, OutsideOfTasksThereIsNothingToTake) {
  EXPECT_FALSE(CoresOfLoop::Reacquire());
  ThreadPool outer(2), inner(2);
  for (int round = 0; round < 20; ++round) {
    outer.ParallelFor(1, [&](int) {  // a loop within a task, which is over when the task goes on
      inner.ParallelFor(3, [](int) { CoresOfLoop::Reacquire(); });
      CoresOfLoop::Reacquire();
    });
    EXPECT_FALSE(CoresOfLoop::Reacquire());
  }
}

}  // namespace
}  // namespace parallax
