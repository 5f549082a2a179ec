// The program where the system refuses it memory and folders (tests/support/failing_calls.cpp): one line, and nothing lost
// without a word. tools/torture tries every call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "tests/support/built_paths.h"
#include "tests/support/preload.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::StartsWith;

// Runs the program while calls fail as PARALLAX_FAIL has it.
ProgramResult RunFailing(const std::string& plan, const Arguments& arguments) {
  const Preload failing_calls(kFailingCalls);
  setenv("PARALLAX_FAIL", plan.c_str(), 1);
  ProgramResult result = RunParallax(arguments);
  unsetenv("PARALLAX_FAIL");
  return result;
}

// How many calls of a kind the program makes.
int NumCalls(const std::string& kind, const Arguments& arguments) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "counts").string();
  setenv("PARALLAX_FAIL_COUNTS", file.c_str(), 1);
  RunFailing("", arguments);
  unsetenv("PARALLAX_FAIL_COUNTS");
  std::ifstream counts(file);
  std::map<std::string, int> numbers;
  for (std::string name; counts >> name;) counts >> numbers[name];
  return numbers[kind];
}

void ExpectOneLine(const ProgramResult& result, const std::string& plan) {
  EXPECT_EQ(result.exit_code, 1) << plan << ": " << result.err;
  EXPECT_THAT(result.err, StartsWith("parallax: ")) << plan;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << plan << ": " << result.err;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasItsOwnMalloc = true;
#else
constexpr bool kHasItsOwnMalloc = false;
#endif

TEST(FailingCalls, MemoryRefusedWhileOptionsAreSetUp) {
  if (kHasItsOwnMalloc) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Arguments help{"run", "--no-such-option"};
  const int num_calls = NumCalls("malloc", help);
  ASSERT_GT(num_calls, 1000);
  for (int n = 1; n < num_calls; n += num_calls / 12) {
    for (const char* how : {"", ":on"}) {
      const std::string plan = "malloc:" + std::to_string(n) + ":" + std::to_string(ENOMEM) + how;
      const ProgramResult result = RunFailing(plan, help);
      if (result.exit_code != 2) ExpectOneLine(result, plan);  // 2: did without
    }
  }
}

TEST(FailingCalls, MemoryRefusedWhileFoldersAreRead) {
  if (kHasItsOwnMalloc) GTEST_SKIP() << "the sanitizer has its own malloc";
  const TemporaryFolder folder;
  const std::string set = (folder.path() / "set").string();
  ASSERT_EQ(RunParallax({"synth", "planes", "--width=32", "--height=16", "--frames=3", "--layout",
                         "kitti2012", "--output", set})
                .exit_code,
            0);
  const Arguments eval{"eval", set, "--estimates", set + "/training/disp_occ"};
  const int num_calls = NumCalls("malloc", eval);
  for (int n = num_calls / 2; n < num_calls; n += num_calls / 80) {
    const std::string plan = "malloc:" + std::to_string(n) + ":" + std::to_string(ENOMEM);
    const ProgramResult result = RunFailing(plan, eval);
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << plan << ": " << result.err;
  }
}

// A table of figures is the one from before or the whole new one.
TEST(FailingCalls, FiguresAreNeverTorn) {
  const TemporaryFolder folder;
  const std::string set = (folder.path() / "set").string(), csv = (folder.path() / "figures.csv").string();
  ASSERT_EQ(RunParallax({"synth", "planes", "--width=32", "--height=16", "--frames=3", "--layout",
                         "kitti2012", "--output", set})
                .exit_code,
            0);
  const Arguments eval{"eval", set, "--estimates", set + "/training/disp_occ", "--csv", csv};
  ASSERT_EQ(RunParallax(eval).exit_code, 0);
  const std::string whole = ReadText(csv), before = "figures from before\n";
  for (const auto& [kind, number] : {std::pair("write", ENOSPC), {"fsync", EIO}, {"rename", EIO}}) {
    const int num_calls = NumCalls(kind, eval);
    int num_kept = 0;
    for (int n = 1; n <= num_calls; ++n) {
      const std::string plan = std::string(kind) + ":" + std::to_string(n) + ":" + std::to_string(number);
      WriteText(csv, before);
      const ProgramResult result = RunFailing(plan, eval);
      const bool is_kept = ReadText(csv) == before;
      num_kept += is_kept ? 1 : 0;
      EXPECT_TRUE(is_kept || ReadText(csv) == whole) << plan << ": " << ReadText(csv);
      EXPECT_NE(result.exit_code == 0, is_kept) << plan << ": " << result.err;
    }
    EXPECT_GT(num_kept, 0) << kind << " fails in none of " << num_calls << " calls";
  }
}

// Half a folder is not the folder.
TEST(FailingCalls, AFolderThatCannotBeReadToItsEndIsAnError) {
  const TemporaryFolder folder;
  const std::string set = (folder.path() / "set").string();
  ASSERT_EQ(RunParallax({"synth", "planes", "--width=32", "--height=16", "--frames=3", "--layout",
                         "kitti2012", "--output", set})
                .exit_code,
            0);
  const Arguments info{"run",        set,
                       "--set",      "matching_cost.num_disparities=16",
                       "--output",   (folder.path() / "out").string(),
                       "--overwrite"};
  const int num_calls = NumCalls("readdir", info);
  ASSERT_GT(num_calls, 5);
  for (int n = 1; n <= std::min(num_calls, 60); ++n) {
    const std::string plan = "readdir:" + std::to_string(n) + ":" + std::to_string(EIO);
    const ProgramResult result = RunFailing(plan, info);
    if (result.exit_code == 0) {
      EXPECT_THAT(result.out, testing::HasSubstr("3 done")) << plan;
    } else {
      ExpectOneLine(result, plan);
    }
  }
}

}  // namespace
}  // namespace parallax::test
