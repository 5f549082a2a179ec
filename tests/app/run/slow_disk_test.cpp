// Ctrl-C where the disk takes longer than anybody wants to wait (tests/support/slow_disk.cpp).
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/built_paths.h"
#include "tests/support/preload.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

namespace fs = std::filesystem;

class SlowDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::kSlowDisk)) GTEST_SKIP() << "not built: " << test::kSlowDisk;
  }
  // folder: in which the results are.
  void EndsAtASignal(const std::string& folder, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run",       "synthetic:planes,width=200,height=100,frames=4000",
                                       "--set",     "matching_cost.num_disparities=32",
                                       "--backend", "cpu",
                                       "--write",   "disparity",
                                       "--output",  out().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    setenv("PARALLAX_SLOW_DISK", busy().c_str(), 1);
    const pid_t child = [&] {
      const test::Preload slow(test::kSlowDisk);
      return test::StartProgram(test::kProgram, arguments, folder_.path() / "stdout", err());
    }();
    ASSERT_TRUE(test::AwaitWhileRunning(child, [&] {
      return fs::exists(out() / folder / "disparity/000008_10.png");
    })) << test::ReadText(err());
    std::ofstream(busy()).put('x');
    kill(child, SIGINT);
    EXPECT_EQ(test::WaitForProgram(child), 1);  // at all
    EXPECT_NE(test::ReadText(err()).find("interrupted after"), std::string::npos) << test::ReadText(err());
    fs::remove(busy());
  }
  fs::path out() const { return folder_.path() / "out"; }
  fs::path busy() const { return folder_.path() / "busy"; }
  fs::path err() const { return folder_.path() / "stderr"; }
  test::TemporaryFolder folder_;
};

TEST_F(SlowDisk, IsNotWaitedForAfterASignal) {
  EndsAtASignal("", {});
  EXPECT_NE(test::ReadText(out() / "summary.json").find("\"interrupted\": true"), std::string::npos);
}

TEST_F(SlowDisk, IsNotWaitedForByAShard) { EndsAtASignal("shard-0-of-2", {"--shard", "0/2"}); }

}  // namespace
}  // namespace parallax::app
