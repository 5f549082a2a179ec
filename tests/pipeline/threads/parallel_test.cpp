#include "pipeline/threads/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace parallax {
namespace {

TEST(ThreadPool, EveryTaskRunsOnce) {
  for (const int num_threads : {1, 2, 7}) {
    ThreadPool threads(num_threads);
    EXPECT_EQ(threads.num_threads(), num_threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> runs(101);
      threads.ParallelFor(101, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& count : runs) ASSERT_EQ(count, 1);
    }
    threads.ParallelFor(0, [](int) { FAIL(); });
  }
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolGoesOn) {
  ThreadPool threads(3);
  EXPECT_THROW(threads.ParallelFor(20,
                                   [](int i) {
                                     if (i == 13) throw std::runtime_error("13");
                                   }),
               std::runtime_error);
  std::atomic<int> runs = 0;
  threads.ParallelFor(20, [&](int) { ++runs; });
  EXPECT_EQ(runs, 20);
}

}  // namespace
}  // namespace parallax
