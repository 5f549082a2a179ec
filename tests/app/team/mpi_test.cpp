// parallax under mpirun compared with one process: the same files and figures, also when ranks are killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/support/built_paths.h"
#include "tests/support/run_program.h"
#include "tests/support/run_results.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Of mpirun with so many ranks of the program: as root too, on any number of cores.
Arguments Ranks(int count, const Arguments& arguments) {
  return Arguments{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n",
                   std::to_string(count), kProgram} +
         arguments;
}

// The ranks that an mpirun has started and that are running.
std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = ReadText(entry.path() / "stat");
    const std::size_t after_name = stat.rfind(')');
    char state = '?';
    int of = 0;
    if (after_name == std::string::npos ||
        std::sscanf(stat.c_str() + after_name + 1, " %c %d", &state, &of) != 2)
      continue;
    if (of == parent && state != 'Z') children.push_back(std::stoi(name));
  }
  return children;
}

class UnderMpirun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (*kMpirun == '\0')
      GTEST_SKIP() << "built without MPI (libopenmpi-dev, openmpi-bin): mpirun is not tested";
  }
  static void SetUpTestSuite() {
    // mpirun itself would look at a display too, which tests of the window may be about to end.
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    // Ranks of one host need no network. Open MPI 5 warns where it cannot pair the interfaces of a host; usnic and ofi
    // (libfabric) double the system time of each start.
    setenv("OMPI_MCA_btl", "^tcp,usnic,ofi", 0);
  }
  static Arguments Run(const fs::path& output, const Arguments& more = {}) {
    return Arguments{"run",      kScene,
                     "--set",    "matching_cost.num_disparities=32",
                     "--write",  "disparity,cloud",
                     "--output", output.string()} +
           more;
  }
  static Arguments Eval(const Arguments& more) {
    return Arguments{"eval", kScene, "--set", "matching_cost.num_disparities=32"} + more;
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  static constexpr const char* kScene = "synthetic:drive,frames=23,width=160,height=60,samples=1";
  TemporaryFolder folder_;
};

TEST_F(UnderMpirun, AnyNumberOfRanksGivesTheFilesAndFiguresOfOneProcess) {
  ASSERT_EQ(RunParallax(Run(at("alone"))).exit_code, 0);
  ASSERT_EQ(RunParallax(Eval({"--json", at("alone.json"), "--report", at("alone.html")})).exit_code, 0);
  for (const int count : {2, 3, 5}) {
    const std::string name = "out" + std::to_string(count);
    const ProgramResult run = RunProgram(kMpirun, Ranks(count, Run(at(name))));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, HasSubstr("23 frames: 23 done, 0 skipped, 0 failed"));
    EXPECT_EQ(run.out.find("results in"), run.out.rfind("results in"));  // one process speaks
    EXPECT_EQ(ResultFiles(at(name)), ResultFiles(at("alone")));
    EXPECT_EQ(FinishedLines(at(name)), FinishedLines(at("alone")));
    EXPECT_EQ(WithoutTimes(ReadText(at(name) / "summary.json")),
              WithoutTimes(ReadText(at("alone") / "summary.json")));
    const ProgramResult eval = RunProgram(
        kMpirun, Ranks(count, Eval({"--json", at(name + ".json"), "--report", at(name + ".html")})));
    ASSERT_EQ(eval.exit_code, 0) << eval.err;
    EXPECT_EQ(WithoutTimes(ReadText(at(name + ".json"))), WithoutTimes(ReadText(at("alone.json"))));
    EXPECT_EQ(ReadText(at(name + ".html")).size() > 10000, true);
  }
}

TEST_F(UnderMpirun, WhatIsWrongIsSaidOnceAndEndsAllRanks) {
  const auto expect = [&](const Arguments& arguments, int exit_code, const std::string& words) {
    const ProgramResult result = RunProgram(kMpirun, Ranks(3, arguments));
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_EQ(result.err.find("parallax: "), result.err.rfind("parallax: ")) << result.err;
  };
  expect(Run(at("out"), {"--no-such-option"}), 2, "--no-such-option");
  expect({"run", at("nothing").string()}, 1, "nothing");
  expect(Run(at("out"), {"--set", "aggregation.p1=x"}), 2, "aggregation.p1");
  expect(Run(at("out"), {"--record", at("x.mcap").string()}), 2, "--record");
  ASSERT_EQ(RunParallax(Run(at("out"), {"--max-frames", "1"})).exit_code, 0);
  expect(Run(at("out")), 2, "holds results already");
  expect(Eval({"--csv", at("none/x.csv").string()}), 1, "make it first");
}

TEST_F(UnderMpirun, KilledRanksEndTheJobAndResumeGivesWhatAnUndisturbedRunGives) {
  ASSERT_EQ(RunParallax(Run(at("alone"))).exit_code, 0);
  ASSERT_EQ(RunParallax(Eval({"--json", at("alone.json")})).exit_code, 0);
  std::mt19937 random(7);
  int num_killed = 0;
  for (int round = 0; round < 4; ++round) {
    const bool is_run = round % 2 == 0;
    const fs::path out = at("out" + std::to_string(round));
    const fs::path journal = out / (is_run ? "journal.tsv" : "scores.tsv");
    const Arguments arguments =
        is_run ? Run(out) : Eval({"--scores", out.string(), "--json", at("killed.json")});
    const pid_t mpirun = StartProgram(kMpirun, Ranks(3, arguments), at("o"), at("e"));
    const std::size_t enough = 3 + random() % 10;
    AwaitWhileRunning(mpirun, [&] {
      const std::string text = ReadText(journal);
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= enough;
    });
    std::vector<pid_t> ranks = ChildrenOf(mpirun);
    if (!ranks.empty()) kill(ranks[random() % ranks.size()], SIGKILL);
    num_killed += WaitForProgram(mpirun) != 0 ? 1 : 0;
    const ProgramResult resumed = RunProgram(kMpirun, Ranks(2, arguments + Arguments{"--resume"}));
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    if (is_run) {
      EXPECT_EQ(ResultFiles(out), ResultFiles(at("alone")));
      EXPECT_EQ(FinishedLines(out), FinishedLines(at("alone")));
    } else {
      EXPECT_EQ(WithoutTimes(ReadText(at("killed.json"))), WithoutTimes(ReadText(at("alone.json"))));
    }
  }
  EXPECT_GT(num_killed, 0);  // or nothing was tested
}

}  // namespace
}  // namespace parallax::test
