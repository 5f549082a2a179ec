#include "app/view/processor_time.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

namespace parallax::app {
namespace {

// Of the calling thread.
void Compute(double seconds) {
  const auto time_s = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double end = time_s() + seconds;
  while (time_s() < end) continue;
}

// Half of it decides whether it counts: threads of libraries may work for a while after the start, too.
constexpr double kWork_s = 0.4;

TEST(ProcessorTime, ThreadsOfTheNameAndTheirChildrenDoNotCount) {
  const double before = ProcessorTimeOfOtherThreads_s("worker");
  double during = 0;
  std::thread([&] {
    BecomeWorkers("worker", 7);
    std::thread([&] {
      EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())), 7);
      Compute(kWork_s);
      during = ProcessorTimeOfOtherThreads_s("worker");
      EXPECT_GT(ProcessorTimeOfOtherThreads_s("another name"), during + kWork_s / 2);
    }).join();
  }).join();
  EXPECT_LT(during, before + kWork_s / 2);
}

// GStreamer, for example, names its threads after its elements.
TEST(ProcessorTime, RenamedChildrenDoNotCount) {
  const double before = ProcessorTimeOfOtherThreads_s("worker");
  std::promise<void> has_computed, may_end;
  std::thread worker([&] {
    BecomeWorkers("worker", 7);
    std::thread([&] {
      pthread_setname_np(pthread_self(), "queue0:src");
      Compute(kWork_s);
      has_computed.set_value();
      may_end.get_future().wait();
    }).join();
  });
  has_computed.get_future().wait();
  EXPECT_LT(ProcessorTimeOfOtherThreads_s("worker"), before + kWork_s / 2);
  may_end.set_value();
  worker.join();
}

TEST(ProcessorTime, ThereAreProcessorsToUse) {
  EXPECT_GT(ProcessorsToUse(), 0);
  EXPECT_LE(ProcessorsToUse(), std::thread::hardware_concurrency());
}

TEST(ProcessorTime, AShareIsSpentAndComesBack) {
  ProcessorShare share("nobody", 1e-3, 0);
  EXPECT_TRUE(share.MaySpend());  // what went before does not count
  Compute(0.15);
  EXPECT_FALSE(share.MaySpend());
  Compute(0.001);
  EXPECT_FALSE(share.MaySpend());  // too soon to look again
  ProcessorShare large("nobody", 1, 0);
  EXPECT_TRUE(large.MaySpend());
  Compute(0.15);
  EXPECT_TRUE(large.MaySpend());
}

}  // namespace
}  // namespace parallax::app
