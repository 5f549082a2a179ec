#include "datasets/layouts/kitti_files.h"

#include <gtest/gtest.h>

#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;

constexpr char kCalib[] =
    "P0: 700 0 600 0 0 700 180 0 0 0 1 0\n"
    "P1: 700 0 600 -350 0 700 180 0 0 0 1 0\n"
    "P2: 700 0 600 42 0 700 180 0.1 0 0 1 0.006\r\n"
    "P3: 700 0 602 -329 0 700 180 1.9 0 0 1 0.003\n";

TEST(ReadKittiRig, BaselineIsTheDifferenceOfTwoOffsets) {
  const TemporaryFolder dir;
  const auto file = WriteText(dir / "calib.txt", kCalib);
  const StereoRig gray = ReadKittiRig(file, "P0", "P1");
  EXPECT_EQ(gray.fx_px, 700);
  EXPECT_EQ(gray.cx_px, 600);
  EXPECT_EQ(gray.cy_px, 180);
  EXPECT_DOUBLE_EQ(gray.baseline_m, 0.5);
  EXPECT_EQ(gray.doffs_px, 0);
  const StereoRig colour = ReadKittiRig(file, "P2", "P3");
  EXPECT_DOUBLE_EQ(colour.baseline_m, (42.0 + 329.0) / 700);  // not 329/700
  EXPECT_EQ(colour.doffs_px, 2);
}

TEST(ReadKittiRig, BadCalibrationIsNamed) {
  const TemporaryFolder dir;
  const auto error = [&](const std::string& text) {
    return ErrorOf([&] { ReadKittiRig(WriteText(dir / "c.txt", text), "P0", "P1"); });
  };
  EXPECT_THAT(error("P0: 700 0 600 0 0 700 180 0 0 0 1 0\n"), HasSubstr("c.txt: line P1: is missing"));
  EXPECT_THAT(error("P0: 700 0 600 0 0 700 180 0 0 0 1 0\nP1: 700 0 600 -350\n"),
              HasSubstr("line P1 must hold 12"));
  EXPECT_THAT(error("P0: 700 0 600 0 0 700 180 x 0 0 1 0\nP1: 1\n"),
              HasSubstr("line P0 must hold 12 numbers"));
  EXPECT_THAT(error("P0: 700 0 600 0 0 700 180 nan 0 0 1 0\n"), HasSubstr("line P0 must hold 12 numbers"));
  EXPECT_THAT(error("P0: 700 0 6 0 0 700 1 0 0 0 1 0\nP1: 700 0 6 350 0 700 1 0 0 0 1 0\n"),
              HasSubstr("positive"));
  EXPECT_THAT(error("P0: 0 0 6 0 0 0 1 0 0 0 1 0\nP1: 0 0 6 -3 0 0 1 0 0 0 1 0\n"), HasSubstr("positive"));
  EXPECT_THAT(error(""), HasSubstr("P0: is missing"));
}

TEST(ReadKittiTimes, SecondsAndDates) {
  const TemporaryFolder dir;
  EXPECT_EQ(ReadKittiTimes(WriteText(dir / "times.txt", "0.000000e+00\n1.037875e-01\n\n")),
            (std::vector<double>{0, 0.1037875}));
  const auto dates = ReadKittiTimes(
      WriteText(dir / "t.txt", "1970-01-02 00:00:01.5\n2011-09-26 14:05:35.500923136\nnonsense line\n"));
  ASSERT_EQ(dates.size(), 2U);
  EXPECT_DOUBLE_EQ(dates[0], 86401.5);
  EXPECT_NEAR(dates[1], 1317045935.500923, 1e-6);
  EXPECT_TRUE(ReadKittiTimes(dir / "none.txt").empty());
  EXPECT_EQ(TimeOfFrame(dates, "x/0000000001.png"), dates[1]);
  EXPECT_EQ(TimeOfFrame(dates, "x/0000000002.png"), std::nullopt);
}

}  // namespace
}  // namespace parallax
