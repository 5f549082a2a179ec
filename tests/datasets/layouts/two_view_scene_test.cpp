#include "datasets/layouts/two_view_scene.h"

#include <gtest/gtest.h>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;

TEST(ReadMiddleburyCalibration, MillimetresBecomeMetres) {
  const TemporaryFolder dir;
  const auto calibration = ReadMiddleburyCalibration(
      WriteText(dir / "calib.txt",
                "cam0=[999.4 0 294.2; 0 999.4 252.9; 0 0 1]\r\ncam1=[1 0 2; 0 1 3; 0 0 1]\r\n"
                "doffs=32.778\r\nbaseline=193.001\r\nwidth=741\r\nndisp=70\r\nvmin=7\r\n"));
  EXPECT_EQ(calibration.rig.fx_px, 999.4);
  EXPECT_EQ(calibration.rig.cx_px, 294.2);
  EXPECT_EQ(calibration.rig.cy_px, 252.9);
  EXPECT_DOUBLE_EQ(calibration.rig.baseline_m, 0.193001);
  EXPECT_EQ(calibration.rig.doffs_px, 32.778);
  EXPECT_EQ(calibration.num_disparities, 70);
  EXPECT_TRUE(calibration.has_vmin);
}

TEST(ReadMiddleburyCalibration, BadLinesAreNamed) {
  const TemporaryFolder dir;
  const auto error = [&](const std::string& text) {
    return ErrorOf([&] { ReadMiddleburyCalibration(WriteText(dir / "calib.txt", text)); });
  };
  const std::string cam0 = "cam0=[9 0 2; 0 9 2; 0 0 1]\n";
  EXPECT_THAT(error(""), HasSubstr("calib.txt: line cam0= is missing"));
  EXPECT_THAT(error(cam0 + "doffs=0\n"), HasSubstr("line baseline= is missing"));
  EXPECT_THAT(error(cam0 + "baseline=5\n"), HasSubstr("line doffs= is missing"));
  EXPECT_THAT(error(cam0 + "baseline=abc\ndoffs=0\n"), HasSubstr("baseline=abc is not a number"));
  EXPECT_THAT(error("cam0=[9 0]\nbaseline=5\ndoffs=0\n"), HasSubstr("is not [f 0 cx"));
  EXPECT_THAT(error(cam0 + "baseline=-5\ndoffs=0\n"), HasSubstr("must be positive"));
}

}  // namespace
}  // namespace parallax
