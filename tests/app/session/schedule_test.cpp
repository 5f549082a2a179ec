// Cores and real-time priority of threads.
#include "app/session/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "parallax/error.h"

namespace parallax::app {
namespace {

using ::testing::HasSubstr;

// In a thread of its own, so that the others stay as they are.
template <typename Body>
void InThread(const Body& body) {
  std::thread(body).join();
}

template <typename Error>
std::string ErrorOf(const std::string& cores, int priority) {
  try {
    Schedule(cores, priority);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, KeepsAThreadAndThoseThatItStartsToItsCores) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  InThread([&] {
    Schedule(std::to_string(last) + "," + std::to_string(last) + "-" + std::to_string(last), 0);
    InThread([&] {
      cpu_set_t cores;
      ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
      EXPECT_EQ(CPU_COUNT(&cores), 1);
      EXPECT_TRUE(CPU_ISSET(last, &cores));
    });
  });
}

TEST(Schedule, RefusesWhatIsNoListAndCoresThatAreNotThere) {
  for (const char* list : {"x", "1-", "-1", "0,", ",0", "3-1", "0;1", "0 1", "99999"}) {
    InThread([&] {
      EXPECT_THAT(ErrorOf<InvalidArgument>(list, 0), HasSubstr("are not a list such as 2,4-7")) << list;
    });
  }
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  InThread([&] {
    EXPECT_THAT(ErrorOf<InvalidArgument>("1023", 0),
                HasSubstr("cores '1023': this program may use only " + std::to_string(first)));
  });
}

TEST(Schedule, APriorityThatIsRefusedIsOneLineWithTheRemedy) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_RTPRIO, &limit), 0);
  if (limit.rlim_cur >= 50) GTEST_SKIP() << "this system allows every priority";
  InThread([] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
    data[0].effective &= ~(1U << CAP_SYS_NICE);
    ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
    const std::string error = ErrorOf<Error>("", 50);
    EXPECT_THAT(error, HasSubstr("refuses the real-time priority 50"));
    EXPECT_THAT(error, HasSubstr("`ulimit -r 50`"));
    EXPECT_THAT(error, HasSubstr("CAP_SYS_NICE"));
    EXPECT_EQ(error.find('\n'), std::string::npos);
  });
}

TEST(Schedule, GivesAPriorityAndTakesItAgain) {
  InThread([] {
    if (!ErrorOf<Error>("", 3).empty()) GTEST_SKIP() << "this system allows no real-time priority";
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
    InThread([] {
      EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO);
      DropRealTimePriority();
      EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
    });
    DropRealTimePriority();
  });
}

}  // namespace
}  // namespace parallax::app
