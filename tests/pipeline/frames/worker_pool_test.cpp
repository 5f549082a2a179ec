// The threads that read and write: what comes first, how many at a time, and that nothing is lost or left waiting.
#include "pipeline/frames/worker_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace parallax {
namespace {

using ::testing::ElementsAre;

TEST(WorkerPool, WritesBeforeItReadsAndKeepsTheOrderOfEither) {
  std::vector<std::string> done;
  std::latch all_are_handed_in(1);
  {
    WorkerPool workers(1, 1);
    workers.Do(TaskKind::kReading, [&] { all_are_handed_in.wait(); });
    for (const char* name : {"r0", "r1"})
      workers.Do(TaskKind::kReading, [&done, name] { done.emplace_back(name); });
    for (const char* name : {"w0", "w1"})
      workers.Do(TaskKind::kWriting, [&done, name] { done.emplace_back(name); });
    all_are_handed_in.count_down();
  }
  EXPECT_THAT(done, ElementsAre("w0", "w1", "r0", "r1"));
}

// Tasks that wait for one another: without so many threads none of them ends.
TEST(WorkerPool, DoesAsManyAtATimeAsItMay) {
  constexpr int kMany = 12, kRounds = 20;
  std::mutex mutex;
  std::condition_variable arrived;
  int num_arrived = 0;
  WorkerPool workers(2, kMany);
  for (int round = 1; round <= kRounds; ++round) {
    const auto all_are_there = [&, round] { return num_arrived >= round * kMany; };
    for (int i = 0; i < kMany; ++i) {
      workers.Do(TaskKind::kReading, [&, all_are_there] {
        std::unique_lock lock(mutex);
        ++num_arrived;
        arrived.notify_all();
        arrived.wait(lock, all_are_there);
      });
    }
    std::unique_lock lock(mutex);
    arrived.wait(lock, all_are_there);
  }
  EXPECT_EQ(num_arrived, kRounds * kMany);
}

TEST(WorkerPool, DoesNoMoreAtATimeThanItMay) {
  std::atomic<int> num_writing = 0, most_writing = 0, num_reading = 0, most_reading = 0, num_done = 0;
  const auto task = [&](std::atomic<int>& num, std::atomic<int>& most) {
    return [&] {
      const int now = ++num;
      int before = most;
      while (now > before && !most.compare_exchange_weak(before, now)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --num, ++num_done;
    };
  };
  {
    WorkerPool workers(1, 3);
    for (int i = 0; i < 200; ++i) {
      workers.Do(TaskKind::kWriting, task(num_writing, most_writing));
      workers.Do(TaskKind::kReading, task(num_reading, most_reading));
    }
  }
  EXPECT_EQ(num_done, 400);
  EXPECT_EQ(most_writing, 1);
  EXPECT_LE(most_reading, 3);
  EXPECT_GE(most_reading, 2);
}

// A task that had to wait because there were too many of its kind is not forgotten when one of those ends and its
// thread takes a task of the other kind.
TEST(WorkerPool, WakesAThreadForWhatHadToWait) {
  for (int round = 0; round < 200; ++round) {
    std::latch first_may_end(1), all_wrote(1), waiting_was_done(1);
    WorkerPool workers(2, 1);
    workers.Do(TaskKind::kReading, [&] { first_may_end.wait(); });
    workers.Do(TaskKind::kReading, [&] { waiting_was_done.count_down(); });
    workers.Do(TaskKind::kWriting, [&] {});  // a second thread, which soon sleeps
    std::this_thread::yield();
    workers.Do(TaskKind::kWriting, [&] {
      first_may_end.count_down();
      waiting_was_done.wait();
      all_wrote.count_down();
    });
    all_wrote.wait();
  }
}

TEST(WorkerPool, ForgetsWhatIsDropped) {
  std::atomic<int> num_done = 0;
  std::latch is_begun(1), may_end(1);
  std::optional<WorkerPool> workers;
  workers.emplace(1, 1);
  workers->Do(TaskKind::kReading, [&] {
    is_begun.count_down();
    may_end.wait();
    ++num_done;
  });
  is_begun.wait();
  for (int i = 0; i < 5; ++i) workers->Do(TaskKind::kReading, [&] { ++num_done; });
  workers->Do(TaskKind::kWriting, [&] { num_done += 100; });
  EXPECT_EQ(workers->Drop(TaskKind::kReading), 5U);
  EXPECT_EQ(workers->Drop(TaskKind::kReading), 0U);
  may_end.count_down();
  workers.reset();
  EXPECT_EQ(num_done, 101);
}

TEST(WorkerPool, DoesEverythingThatManyThreadsHandIn) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::atomic<int> num_done = 0;
    {
      WorkerPool workers(1 + static_cast<int>(random() % 4), 1 + static_cast<int>(random() % 4));
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, seed = random()] {
          std::mt19937 own(static_cast<unsigned>(seed));
          for (int i = 0; i < 100; ++i) {
            workers.Do(own() % 2 == 0 ? TaskKind::kWriting : TaskKind::kReading, [&] { ++num_done; });
            if (own() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
          }
        });
      }
    }
    EXPECT_EQ(num_done, 300);
  }
}

}  // namespace
}  // namespace parallax
