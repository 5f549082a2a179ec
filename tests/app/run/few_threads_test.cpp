// parallax run where the system refuses threads (tests/support/failing_calls.cpp): one line, and no half result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/support/built_paths.h"
#include "tests/support/preload.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::MatchesRegex;

TEST(RunWithFewThreads, SaysSoWhicheverThreadIsRefused) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& output) {
    return RunProgram(
        kProgram, {"run", "synthetic:planes,width=60,height=40,frames=3", "--set",
                   "matching_cost.num_disparities=16", "--backend", "cpu", "--threads", "2", "--in-flight",
                   "2", "--write", "disparity,cloud", "--output", (folder.path() / output).string()});
  };
  ASSERT_EQ(run("all").exit_code, 0);
  constexpr int kMost = 40;  // more than it starts
  int num_refused = 0;
  const Preload failing_calls(kFailingCalls);
  for (; num_refused < kMost; ++num_refused) {
    const std::string number = std::to_string(num_refused);
    const std::string plan =
        "thread:" + std::to_string(num_refused + 1) + ":" + std::to_string(EAGAIN) + ":on";
    setenv("PARALLAX_FAIL", plan.c_str(), 1);
    const ProgramResult result = run(number);
    if (result.exit_code == 0) break;
    EXPECT_EQ(result.exit_code, 1) << number << " threads: " << result.err;
    EXPECT_THAT(result.err,
                MatchesRegex("parallax: .*a thread was refused .Resource temporarily unavailable.: use fewer "
                             "--threads and --in-flight 1, or raise the limit .ulimit -u.*\n"))
        << number << " threads";
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    // What is there is whole.
    std::error_code no_folder;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder.path() / number, no_folder)) {
      const std::string kind = entry.path().parent_path().filename();
      if (!entry.is_regular_file() || (kind != "disparity" && kind != "cloud")) continue;
      EXPECT_EQ(ReadText(entry.path()), ReadText(folder.path() / "all" / kind / entry.path().filename()))
          << entry.path();
    }
  }
  unsetenv("PARALLAX_FAIL");
  EXPECT_GT(num_refused, 0);
  EXPECT_LT(num_refused, kMost);
}

}  // namespace
}  // namespace parallax::test
