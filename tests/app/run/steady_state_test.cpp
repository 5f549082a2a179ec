// A live run in its steady state: no allocation and no opened file from frame to frame.
#include <dlfcn.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "app/frames/run_options.h"
#include "app/run/run_once.h"
#include "datasets/calibration/calibration_file.h"
#include "tests/support/built_paths.h"
#include "tests/support/preload.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

using ::testing::HasSubstr;

constexpr int kEnough = 60;  // frames

// Of the cameras of tests/support/fake_v4l2.cpp.
std::string WriteRig(const std::filesystem::path& file) {
  RawRig rig;
  rig.left = {.width_px = 128,
              .height_px = 48,
              .fx_px = 100,
              .fy_px = 100,
              .cx_px = 64,
              .cy_px = 24,
              .lens = LensModel::kPlumbBob,
              .distortion = {-0.02}};
  rig.right = rig.left;
  rig.right_from_left = RotationOf({0, 0, 0});
  rig.translation_m = {-0.1, 0, 0};
  Calibration calibration;
  calibration.raw = rig;
  WriteCalibration(calibration, "parallax", file);
  return file.string();
}

// The most frames in a row during which no thread made a call; kEnough are enough. Buffers are made until there are as
// many as are ever in use at a time, which depends on the timing of threads, so the first frames may be many.
int FramesWithoutCalls(int most_frames, const std::function<void()>& disturb) {
  const auto num_calls = reinterpret_cast<long (*)(const char*)>(dlsym(RTLD_DEFAULT, "parallax_num_calls"));
  const TemporaryFolder folder;
  long num_before = 0;
  int num_frames = 0, num_in_a_row = 0, most_in_a_row = 0;
  app::RunOptions options;
  options.source = {"camera:0,1"};
  options.matching.config = "robot";
  options.matching.backend = "cpu";
  options.rig.rig = WriteRig(folder / "rig.yaml");
  options.rig_watch = 0;
  options.output = folder / "out";
  options.outputs = {"none"};
  options.observe = [&](const MatchedFrame&) {
    disturb();
    const long num_now = num_calls("malloc") + num_calls("open") + num_calls("mmap") + num_calls("thread");
    num_in_a_row = num_now == std::exchange(num_before, num_now) ? num_in_a_row + 1 : 0;
    most_in_a_row = std::max(most_in_a_row, num_in_a_row);
    if (++num_frames == most_frames || most_in_a_row == kEnough) kill(getpid(), SIGINT);
  };
  app::RunOnce(options);
  return most_in_a_row;
}

class SteadyState : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has a heap of its own";
#endif
  }
  // Runs the test again in a process that has loaded the libraries that play the cameras and count calls. False in that
  // process.
  static bool RunsInAnotherProcess() {
    if (dlsym(RTLD_DEFAULT, "parallax_num_calls") != nullptr) return false;
    const Preload libraries(std::string(kFailingCalls) + " " + kFakeV4l2);
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    const ProgramResult run = RunProgram("/proc/self/exe", {"--gtest_filter=SteadyState." + name});
    EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
    EXPECT_THAT(run.out, HasSubstr("[  PASSED  ] 1 test."));
    return true;
  }
};

TEST_F(SteadyState, AFrameAllocatesAndOpensNothing) {
  if (RunsInAnotherProcess()) return;
  EXPECT_EQ(FramesWithoutCalls(900, [] {}), kEnough);
}

TEST_F(SteadyState, OneCallAFrameIsSeen) {
  if (RunsInAnotherProcess()) return;
  const auto allocate = [] {
    void* volatile const memory = std::malloc(1);
    std::free(memory);
  };
  EXPECT_EQ(FramesWithoutCalls(80, allocate), 0);
  EXPECT_EQ(FramesWithoutCalls(80, [] { close(open("/dev/null", O_RDONLY)); }), 0);
}

}  // namespace
}  // namespace parallax::test
