// What --log-file holds.
#include "app/options/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "parallax/error.h"
#include "pipeline/types/frame.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Logging, TheFileHoldsALineAThingAndEveryChangeOfTheCalibration) {
  Log("nobody listens");
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "run.log";
  CLI::App command;
  AddLogOptions(command);
  command.parse("--log-file " + file);
  EXPECT_EQ(LogFile(), file);
  EXPECT_FALSE(std::filesystem::exists(file));  // before it is known what is read
  OpenLogFile({"elsewhere"});
  EXPECT_EQ(LogFile(), "");
  EXPECT_TRUE(IsLogging());
  Log("source: here");
  LogDropped(0);
  LogDropped(3);
  StereoFrame frame;
  frame.name = "first";
  frame.rig_note = "no calib.txt";
  LogCalibration(frame);
  frame.name = "second";
  LogCalibration(frame);
  frame.name = "third";
  frame.rig = StereoRig{.fx_px = 700, .cx_px = 310.5, .cy_px = 120, .baseline_m = 0.54};
  LogCalibration(frame);
  const std::string text = test::ReadText(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_THAT(text, HasSubstr("  source: here\n"));
  EXPECT_THAT(text, HasSubstr("  3 frames came too fast and were dropped\n"));
  EXPECT_THAT(text, HasSubstr("  first: no calibration: no calib.txt\n"));
  EXPECT_THAT(text, Not(HasSubstr("second")));
  EXPECT_THAT(text,
              HasSubstr("  third: calibration: fx 700 px, cx 310.5, cy 120, baseline 0.54 m, doffs 0 px\n"));
}

TEST(Logging, AFileThatCannotBeWrittenIsAnError) {
  CLI::App command;
  AddLogOptions(command);
  command.parse("--log-file /dev/null/run.log");
  EXPECT_THROW(OpenLogFile({}), Error);
}

TEST(Logging, AFileThatIsReadIsNotWrittenOver) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() / "calib.txt";
  std::ofstream(file) << "P0: 1";
  CLI::App command;
  AddLogOptions(command);
  command.parse("--log-file " + (folder.path() / "../" / folder.path().filename() / "calib.txt").string());
  EXPECT_THROW(OpenLogFile({"other.txt", file}), InvalidArgument);
  EXPECT_EQ(test::ReadText(file), "P0: 1");
}

}  // namespace
}  // namespace parallax::app
