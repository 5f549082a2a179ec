// parallax run --write left,right, and streams that a calibration does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "tests/support/kitti_folder.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunImages : public ::testing::Test {
 protected:
  fs::path folder() const { return folder_.path(); }
  std::string Image(const char* side) const {
    return (folder() / "data" / side / (KittiName(0) + ".png")).string();
  }
  std::string RigFile() const {
    Calibration calibration;
    calibration.raw = WideRig();
    WriteCalibration(calibration, "parallax", folder() / "rig.yaml");
    return (folder() / "rig.yaml").string();
  }
  std::string Out(const char* name) const { return (folder() / name).string(); }

 private:
  TemporaryFolder folder_;
};

// The one file of a folder.
std::string OnlyFile(const fs::path& folder) {
  std::string text;
  int num_files = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    text = ReadText(file.path());
    ++num_files;
  }
  EXPECT_EQ(num_files, 1) << folder;
  return text;
}

TEST_F(RunImages, AreThoseThatWereMatched) {
  MakeKittiFolder(folder() / "data", 1);
  const ProgramResult result = RunParallax({"run", Out("data"), "--write", "left,right", "--set",
                                            "matching_cost.num_disparities=16", "--output", Out("out")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(OnlyFile(folder() / "out/left"), ReadText(Image("image_0")));
  EXPECT_EQ(OnlyFile(folder() / "out/right"), ReadText(Image("image_1")));
  EXPECT_FALSE(fs::exists(folder() / "out/disparity"));
}

TEST_F(RunImages, OfRawCamerasAreRectified) {
  MakeKittiFolder(folder() / "data", 1, 640, 480, false);
  const std::string rig = RigFile();
  const ProgramResult run =
      RunParallax({"run", Image("image_0"), Image("image_1"), "--rig", rig, "--write", "left,right", "--set",
                   "matching_cost.num_disparities=16", "--output", Out("run")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult rectified = RunParallax(
      {"rectify", Image("image_0"), Image("image_1"), "--rig", rig, "--output", Out("rectified")});
  ASSERT_EQ(rectified.exit_code, 0) << rectified.err;
  for (const char* side : {"left", "right"})
    EXPECT_EQ(OnlyFile(folder() / "run" / side), OnlyFile(folder() / "rectified" / side)) << side;
}

// It would go on for ever, with not a frame done.
TEST_F(RunImages, AStreamThatTheRigDoesNotFitEndsTheRun) {
  const std::string source =
      "gst:videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=640,height=240 ! appsink";
  const ProgramResult tried = RunParallax({"run", source, "--max-frames", "1", "--set",
                                           "matching_cost.num_disparities=16", "--output", Out("tried")});
  if (tried.exit_code != 0) GTEST_SKIP() << tried.err;
  const ProgramResult result = RunParallax({"run", source, "--rig", RigFile(), "--output", Out("out")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the left image is 320x240, but the rig is for 640x480 images"));
}

}  // namespace
}  // namespace parallax::test
