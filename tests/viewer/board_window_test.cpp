// The window of `calibrate --show`, driven by keys.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "datasets/calibration/calibration_file.h"
#include "tests/support/built_paths.h"
#include "tests/support/moved_board.h"
#include "tests/viewer/driven_window.h"
#include "tests/viewer/virtual_display.h"

namespace parallax::test {
namespace {

class BoardWindowTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!display_.problem().empty()) GTEST_SKIP() << "no window was tested: " << display_.problem();
    if (!DrivenWindow::CanBeDriven()) GTEST_SKIP() << "no control was tested: xdotool is missing";
    RecordPairs(file_, MovedBoard(8));
    program_ = StartProgram(kProgram,
                            {"calibrate", file_, "--board", "chessboard:9x6", "--square", "0.04", "--output",
                             (folder_.path() / "rig").string(), "--show"},
                            out_, err_);
    ASSERT_TRUE(HasWindow("parallax calibrate " + file_, 40)) << ReadText(err_);
    ASSERT_TRUE(AwaitWhileRunning(program_, [&] { return std::filesystem::exists(rig_); })) << ReadText(err_);
  }
  void TearDown() override {
    if (program_ < 0) return;
    kill(program_, SIGKILL);
    WaitForProgram(program_);
  }

  // And the mouse over it: keys go to that window.
  static bool HasWindow(const std::string& title, double timeout_s) {
    const auto window = FindWindow(title, timeout_s);
    if (!window) return false;
    RunProgram("/usr/bin/xdotool", {"mousemove", "--window", std::to_string(window->id), "300", "300"});
    return true;
  }
  static void Press(const std::string& key) { RunProgram("/usr/bin/xdotool", {"key", key}); }
  int Exit() { return WaitForProgram(std::exchange(program_, -1)); }

  VirtualDisplay display_;
  TemporaryFolder folder_;
  const std::string file_ = (folder_.path() / "board.mcap").string();
  const std::filesystem::path out_ = folder_.path() / "out.txt", err_ = folder_.path() / "err.txt",
                              rig_ = folder_.path() / "rig" / "rig.yaml";
  pid_t program_ = -1;
};

TEST_F(BoardWindowTest, TheVerdictStaysUntilSomebodyLeaves) {
  Press("q");
  EXPECT_EQ(Exit(), 0) << ReadText(err_);
  EXPECT_NE(ReadText(out_).find("8 boards in new positions taken from 17 frames"), std::string::npos);
  EXPECT_NE(ReadText(out_).find("rig in " + rig_.string()), std::string::npos);
  EXPECT_NEAR(ReadCalibration(rig_.string()).raw->baseline_m(), WideRig().baseline_m(), 0.0005);
}

TEST_F(BoardWindowTest, OneKeyRunsTheSourceWithTheNewRig) {
  bool is_viewed = false;
  for (int i = 0; i < 40 && !is_viewed; ++i) {  // until the verdict is there, the key does nothing
    Press("r");
    is_viewed = HasWindow("parallax " + file_, 1);
  }
  ASSERT_TRUE(is_viewed) << ReadText(err_);
  Press("q");
  EXPECT_EQ(Exit(), 0) << ReadText(err_);
}

}  // namespace
}  // namespace parallax::test
