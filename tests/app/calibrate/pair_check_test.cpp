// Checks of pairs: every fault is reported by its name, and none in any right pair of the data sets at hand.
#include "app/calibrate/pair_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/options/named_rig.h"
#include "calibrate/row_offsets.h"
#include "datasets/formats/image_file.h"
#include "datasets/source.h"
#include "tests/app/calibrate/wall_pairs.h"
#include "tests/datasets/test_files.h"
#include "tests/support/run_program.h"

namespace parallax::app {
namespace {

using test::GrayViewOf;
using ::testing::HasSubstr;

std::optional<std::string> LineOf(const CameraImageView& left, const CameraImageView& right,
                                  const PairFacts& facts) {
  return FaultLineOf(Shrunk(left), Shrunk(right), facts);
}

struct CheckedPair : test::WallPair {
  std::optional<std::string> Fault(const PairFacts& facts = {}) const {
    return LineOf(GrayViewOf(left), GrayViewOf(right), facts);
  }
};
CheckedPair CheckedWalls(const std::vector<double>& disparities, unsigned seed = 1) {
  return {test::Walls(disparities, seed)};
}

// The image moved and turned about its middle.
cv::Mat Moved(const cv::Mat& image, double dx, double dy, double degrees = 0) {
  const cv::Point2f middle(static_cast<float>(image.cols) / 2, static_cast<float>(image.rows) / 2);
  cv::Mat turn = cv::getRotationMatrix2D(middle, degrees, 1), moved;
  turn.at<double>(0, 2) += dx;
  turn.at<double>(1, 2) += dy;
  cv::warpAffine(image, moved, turn, image.size(), cv::INTER_LINEAR, cv::BORDER_REFLECT);
  return moved;
}

TEST(PairFault, OfARightPairIsNone) {
  EXPECT_EQ(CheckedWalls({12, 30, 64}).Fault(), "");
  EXPECT_EQ(CheckedWalls({0, 3, 6}).Fault(), "");  // far away
  CheckedPair dark = CheckedWalls({12, 30, 64});
  dark.right.convertTo(dark.right, -1, 0.5, 5);
  EXPECT_EQ(dark.Fault(), "");
}

TEST(PairFault, ThatCannotBeToldIsNotTold) {
  const cv::Mat flat(480, 640, CV_8UC1, cv::Scalar(90));
  EXPECT_EQ((CheckedPair{{flat, flat}}.Fault()), std::nullopt);
  for (int width = 1; width < 64; width += 7) {
    const CheckedPair tiny{CheckedWalls({3}).left(cv::Rect(0, 0, width, 5)),
                           CheckedWalls({3}).right(cv::Rect(0, 0, width, 5))};
    EXPECT_EQ(tiny.Fault(), std::nullopt) << width;
  }
}

// Leaves and fences look alike in many places: wrong matches of one part of the image have rows that disagree.
TEST(RowOffsets, ACellWhoseMatchesDisagreeDoesNotCount) {
  std::vector<PointMatch> matches;
  for (int i = 0; i < 40; ++i) {
    const double x = 10.0 + i;
    matches.push_back({{x, 10}, {x - 5, 10 + 0.2}});                          // top left: one row
    matches.push_back({{390 + x / 10, 290}, {300, 290 + 12.0 * (i - 10)}});   // bottom right: any row
    matches.push_back({{150 + x / 10, 10}, {140, 10 + 4 + 0.01 * (i % 5)}});  // second at the top: 4 px off
  }
  const RowOffsets rows = RowOffsetsOf(matches, 400, 300, 12);
  EXPECT_NEAR(rows.grid_px[0], 0.2, 1e-9);
  EXPECT_NEAR(rows.grid_px[1], 4.02, 1e-6);
  EXPECT_TRUE(std::isnan(rows.grid_px[11]));
  EXPECT_NEAR(rows.largest_px, 4.02, 1e-6);
}

TEST(PairFault, OfOpenCvsAloeIsNone) {
  const std::filesystem::path folder = "/usr/share/doc/opencv-doc/examples/data";
  if (!std::filesystem::exists(folder / "aloeL.jpg")) GTEST_SKIP() << "opencv-doc is not installed";
  const CameraImage left = ReadImage(folder / "aloeL.jpg"), right = ReadImage(folder / "aloeR.jpg");
  EXPECT_EQ(LineOf(ViewOf(left), ViewOf(right), {.rig = {}, .num_disparities = 256}), "");
}

TEST(PairFault, IsToldByItsNameWithTheRemedy) {
  const CheckedPair right = CheckedWalls({12, 30, 64}), other = CheckedWalls({12, 30, 64}, 7);
  const auto told = [](const cv::Mat& a, const cv::Mat& b, const PairFacts& facts = {}) {
    return CheckedPair{a, b}.Fault(facts).value_or("nothing");
  };
  EXPECT_THAT(told(right.right, right.left), HasSubstr("left and right look exchanged"));
  EXPECT_THAT(told(right.left, other.right), HasSubstr("show different scenes"));
  for (const double rows : {2.0, -3.0, 25.0}) {
    EXPECT_THAT(told(right.left, Moved(right.right, 0, rows)), HasSubstr("rows of left and right differ"))
        << rows;
  }
  EXPECT_THAT(told(right.left, Moved(right.right, 0, 0, 1.5)), HasSubstr("the pair is not rectified"));
  EXPECT_THAT(told(right.left, Moved(right.right, 0, 1.2), {.rig = {}, .is_rectified_here = true}),
              HasSubstr("the rig does not fit these images: rows of left and right differ by 1."));
  EXPECT_THAT(told(right.left, Moved(right.right, 40, 0)), HasSubstr("matching_cost.min_disparity=-32"));
  EXPECT_THAT(told(right.left, right.right, {.rig = {}, .num_disparities = 48}),
              HasSubstr("beyond the 48 that are searched (up to 64 px), so near things come out wrong: use "
                        "--set matching_cost.num_disparities=80"));
  cv::Mat dark;
  right.right.convertTo(dark, -1, 0.3);
  EXPECT_THAT(told(right.left, dark), HasSubstr("the left image is 3."));
  EXPECT_THAT(told(right.left, cv::Mat(right.right.size(), CV_8UC1, cv::Scalar(3))),
              HasSubstr("the right image shows nothing (gray 3 throughout)"));
}

TEST(PairFault, IsACalibrationOfAnotherImageSize) {
  const CheckedPair pair = CheckedWalls({12, 30, 64});  // 640x480
  const auto told = [&](double scale) {
    PairFacts facts;
    facts.rig =
        StereoRig{.fx_px = 500 * scale, .cx_px = 330 * scale, .cy_px = 230 * scale, .baseline_m = 0.1};
    return pair.Fault(facts).value_or("nothing");
  };
  EXPECT_EQ(told(1), "");
  EXPECT_THAT(told(2), HasSubstr("(660, 460) fits images of about 1320x920 px, but these are 640x480"));
  EXPECT_THAT(told(2), HasSubstr("scale FX, CX and CY by 0.5"));
  EXPECT_THAT(told(0.5), HasSubstr("scale FX, CX and CY by 2.0"));
  EXPECT_THAT(told(1.5), HasSubstr("the calibration of this size"));
}

TEST(PairFault, IsAPictureThatWasCutTheWrongWay) {
  const CheckedPair pair = CheckedWalls({12, 30, 64});
  cv::Mat above, side_by_side;
  cv::vconcat(pair.left, pair.right, above);
  cv::hconcat(pair.left, pair.right, side_by_side);
  const auto cut = [](const cv::Mat& picture, PictureLayout layout) {
    const int width = picture.cols / (IsSideBySide(layout) ? 2 : 1);
    const int height = picture.rows / (IsSideBySide(layout) ? 1 : 2);
    PairFacts facts;
    facts.layout = layout;
    return CheckedPair{picture(cv::Rect(0, 0, width, height)).clone(),
                       picture(cv::Rect(picture.cols - width, picture.rows - height, width, height)).clone()}
        .Fault(facts)
        .value_or("nothing");
  };
  EXPECT_EQ(cut(side_by_side, PictureLayout::kSideBySide), "");
  EXPECT_EQ(cut(above, PictureLayout::kTopBottom), "");
  EXPECT_THAT(cut(above, PictureLayout::kSideBySide), HasSubstr("use --layout top-bottom"));
  EXPECT_THAT(cut(side_by_side, PictureLayout::kTopBottom), HasSubstr("use --layout side-by-side"));
  EXPECT_THAT(cut(pair.left, PictureLayout::kSideBySide), HasSubstr("does the picture hold both images?"));
}

TEST(PairCheck, TellsOnceOfTheFirstFrameAndNothingWithNoCheck) {
  const CheckedPair pair = CheckedWalls({12, 30, 64});
  const test::TemporaryFolder folder;
  for (const char* place : {"a", "b"}) std::filesystem::create_directory(folder.path() / place);
  for (const char* name : {"0.png", "1.png", "2.png", "3.png"}) {
    WritePng(folder.path() / "a" / name, GrayViewOf(pair.left));
    WritePng(folder.path() / "b" / name, GrayViewOf(pair.right));
  }
  const std::string a = (folder.path() / "a").string(), b = (folder.path() / "b").string();
  const std::string out = (folder.path() / "out").string();
  const auto run = [&](const std::string& left, const std::string& right, bool check) {
    std::vector<std::string> arguments{"run",      left, right,     "--overwrite",
                                       "--output", out,  "--write", "disparity"};
    if (!check) arguments.emplace_back("--no-check");
    const test::ProgramResult result = test::RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_EQ(run(a, b, true), "");
  const std::string right_way = test::ReadText(out + "/disparity/0.png");
  EXPECT_EQ(run(a, b, false), "");
  EXPECT_EQ(test::ReadText(out + "/disparity/0.png"), right_way);
  EXPECT_EQ(run(b, a, false), "");
  const std::string told = run(b, a, true);
  EXPECT_THAT(told, testing::MatchesRegex("parallax: 0: left and right look exchanged: [^\n]*\n"));
  EXPECT_THAT(test::ReadText(out + "/summary.json"), HasSubstr("\"warning\": \"0: left and right look"));
}

// The sources of the real data, each with the preset's range, and what is reported about all of their frames.
TEST(PairCheck, TellsNothingOfTheRightPairsAtHand) {
  PARALLAX_NEEDS_REAL_DATA();
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  for (const char* name :
       {"kitti2012", "kitti2012_more", "kitti2015", "kitti2015_gray", "eth3d", "eth3d_more", "instereo2k",
        "middlebury/MiddEval3", "middlebury/scenes2003", "middlebury/scenes2005/ThirdSize",
        "middlebury/scenes2006/ThirdSize", "middlebury/scenes2001", "kitti_odometry",
        "kitti_raw/2011_09_26/2011_09_26_drive_unknown_extract", "euroc"})
    folders.push_back(test::RealData() / name);
  const ChosenParameters chosen = LoadChosenParameters("default");
  int num_pairs = 0, num_told = 0;
  for (const fs::path& folder : folders) {
    std::unique_ptr<FrameSource> source;
    try {
      source = WithRig(OpenSource({folder.string()}), {});
    } catch (const Error& error) {  // part of the data alone is there
      std::printf("left out: %s\n", error.what());
      continue;
    }
    while (source->NextName()) {
      StereoFrame frame;
      try {
        frame = source->Read();
      } catch (const Error&) {  // two frames lack a file, and say so
        continue;
      }
      const Parameters parameters = ParametersOfFrame(frame, chosen);
      const auto fault = LineOf(ViewOf(frame.left), ViewOf(frame.right),
                                {.rig = frame.rig,
                                 .is_rectified_here = frame.seen != nullptr,
                                 .min_disparity = parameters.matching_cost.min_disparity,
                                 .num_disparities = parameters.matching_cost.num_disparities});
      ++num_pairs;
      if (fault) ++num_told;
      // One frame of KITTI has a car so near that the usual range does not hold it.
      if (frame.name == "000122_10") {
        EXPECT_THAT(fault.value_or(""), HasSubstr("beyond the 128 that are searched"));
      } else {
        EXPECT_EQ(fault.value_or(""), "") << folder << ' ' << frame.name;
      }
    }
  }
  std::printf("%d pairs, %d of them with texture enough to tell\n", num_pairs, num_told);
}

}  // namespace
}  // namespace parallax::app
