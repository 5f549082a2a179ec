// Calibration: known rigs are found again within what is stated, and mishaps get their names.
#include "app/calibrate/stereo_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <opencv2/aruco/charuco.hpp>
#include <opencv2/core.hpp>
#include <random>
#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "pipeline/calibration/rectification.h"
#include "pipeline/error.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/rendered_board.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using app::BoardKind;
using app::BoardSpec;
using app::CalibrateStereo;
using app::CalibrationInput;
using app::ParseBoard;
using app::StereoCalibration;
using ::testing::HasSubstr;

constexpr double kSquare_m = 0.04;

// --- corners without pictures
// --------------------------------------------------------------------------------------

struct Scene {
  RawRig rig = WideRig();
  BoardSpec board = ParseBoard("chessboard:9x6", kSquare_m);
  int count = 14;
  double noise_px = 0.1, bend_m = 0, spread = 0.3;
  bool flat_on = false;  // all boards parallel
  int late = 0;          // right images are so many pairs late
  double shake_m = 0;    // the board moves between left and right
};

CalibrationInput InputOf(const Scene& scene) {
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<double>(random() & 0xFFFFU) / 65536 - 0.5; };
  const auto normal = [&] {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  };
  CalibrationInput input;
  input.board = scene.board;
  input.width_px = scene.rig.left.width_px;
  input.height_px = scene.rig.left.height_px;
  if (scene.rig.left.lens == LensModel::kFisheye) input.lens = {LensModel::kFisheye, 4};
  const std::vector<Vector3> board = scene.board.Corners();
  const double width_m = board.back().x, height_m = board.back().y;
  const auto poses = BoardPoses(scene.count + 4, width_m, height_m, 0.5, scene.spread);
  const CameraProjection left(scene.rig.left), right(scene.rig.right);
  for (int i = 0; i < scene.count; ++i) {
    BoardPose pose = poses[static_cast<std::size_t>(i)],
              pose_right = poses[static_cast<std::size_t>(i + scene.late)];
    if (scene.flat_on) pose.camera_from_board = pose_right.camera_from_board = Matrix3{};
    pose_right.translation_m =
        pose_right.translation_m + scene.shake_m * Vector3{uniform(), uniform(), uniform()};
    BoardView view;
    view.name = "pair" + std::to_string(i);
    for (std::size_t k = 0; k < board.size(); ++k) {
      const double u = 2 * board[k].x / width_m - 1;
      const Vector3 p = board[k] + Vector3{0, 0, scene.bend_m * u * u};
      const auto a = left.Project(pose(p)), b = right.Project(InRightCamera(scene.rig, pose_right)(p));
      const int corner = static_cast<int>(k);
      if (a)
        view.left.push_back({corner, {a->x + scene.noise_px * normal(), a->y + scene.noise_px * normal()}});
      if (b)
        view.right.push_back({corner, {b->x + scene.noise_px * normal(), b->y + scene.noise_px * normal()}});
    }
    input.views.push_back(std::move(view));
  }
  return input;
}

void ExpectCause(const CalibrationInput& input, const std::string& words) {
  SCOPED_TRACE(words);
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_TRUE(result.IsRefused()) << result.bundle.rms_px << " px, bend " << result.bend_m.x << " m";
  ASSERT_FALSE(result.causes.empty());
  EXPECT_THAT(result.causes.front(), HasSubstr(words));
}

// The numbers of the rig lie within `sigmas` of the truth; of two dozen, chance may take one as far as one
// more sigma.
void ExpectWithin(const StereoCalibration& result, const RawRig& truth, double sigmas) {
  const RawRig& rig = result.bundle.rig;
  std::vector<double> errors;
  const auto n = static_cast<std::size_t>(result.bundle_options.num_coefficients);
  for (const auto& [is, was] : {std::pair{&rig.left, &truth.left}, std::pair{&rig.right, &truth.right}}) {
    errors.insert(errors.end(), {is->fx_px - was->fx_px, is->fy_px - was->fy_px, is->cx_px - was->cx_px,
                                 is->cy_px - was->cy_px});
    for (std::size_t i = 0; i < n; ++i) errors.push_back(is->distortion[i] - was->distortion[i]);
  }
  const Vector3 turn = RotationVectorOf(rig.right_from_left * Transposed(truth.right_from_left));
  const Vector3 shift = rig.translation_m - truth.translation_m;
  errors.insert(errors.end(), {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z});
  int num_beyond = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double sigma = result.bundle.Sigma(static_cast<int>(i));
    num_beyond += std::abs(errors[i]) >= sigmas * sigma;
    EXPECT_LT(std::abs(errors[i]), (sigmas + 1) * sigma) << "number " << i << " is off by " << errors[i];
  }
  EXPECT_LE(num_beyond, 1);
}

TEST(StereoCalibration, FindsTheRigAndSaysHowSureItIs) {
  for (const RawRig& rig : {WideRig(), FisheyeRig()}) {
    Scene scene;
    scene.rig = rig;
    scene.spread = rig.left.lens == LensModel::kFisheye ? 0.7 : 0.35;
    scene.count = 20;
    const StereoCalibration result = CalibrateStereo(InputOf(scene));
    EXPECT_FALSE(result.IsRefused()) << result.causes.front();
    EXPECT_NEAR(result.bundle.rms_px, 0.1 * std::sqrt(2), 0.015);
    EXPECT_LT(result.epipolar_median_px, 0.2);
    ExpectWithin(result, rig, 4);
    ASSERT_EQ(result.depth_errors.size(), 4U);
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_GT(result.depth_errors[i].calibration_m, result.depth_errors[i - 1].calibration_m);
    EXPECT_LT(result.depth_errors[0].total_m, 0.05);
    ASSERT_TRUE(result.cross_validation);
    EXPECT_LT(result.cross_validation->depth_median_percent, 1);
    EXPECT_LT(result.bend_sigmas, 6);
  }
}

TEST(StereoCalibration, MishapsGetTheirNames) {
  CalibrationInput input = InputOf({});
  for (BoardView& view : input.views) std::swap(view.left, view.right);
  ExpectCause(input, "exchanged");

  input = InputOf({});  // the right camera hangs upside down; its board is numbered by its colours
  for (BoardView& view : input.views)
    for (SeenCorner& seen : view.right) seen.pixel = {639 - seen.pixel.x, 479 - seen.pixel.y};
  ExpectCause(input, "turned by 180 degrees");

  input = InputOf({});  // mirrored: rows run the other way, and are numbered as if they did not
  for (BoardView& view : input.views) {
    for (SeenCorner& seen : view.right) {
      seen.pixel.x = 639 - seen.pixel.x;
      seen.corner = seen.corner / 9 * 9 + 8 - seen.corner % 9;
    }
  }
  ExpectCause(input, "mirrored");

  Scene late;
  late.late = 2;
  ExpectCause(InputOf(late), "2 pairs later");
  Scene shaken;
  shaken.shake_m = 0.06;
  ExpectCause(InputOf(shaken), "not synchronised");

  input = InputOf({});
  input.expected_baseline_m = 0.06;
  ExpectCause(input, "wrong square size");
  input.expected_baseline_m = 0.121;
  EXPECT_FALSE(CalibrateStereo(input).IsRefused());

  Scene bent;
  bent.bend_m = 0.006;
  ExpectCause(InputOf(bent), "not flat");

  Scene similar;
  similar.flat_on = true;
  const StereoCalibration same = CalibrateStereo(InputOf(similar));
  const std::string all = testing::PrintToString(same.causes) + testing::PrintToString(same.warnings);
  EXPECT_THAT(all, HasSubstr("too similar"));

  Scene few;
  few.count = 2;
  try {
    CalibrateStereo(InputOf(few));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 usable boards in 2 pairs"));
  }
}

TEST(StereoCalibration, TurnedBoardsThatLookTheSameArePutRight) {
  Scene scene;
  scene.board = ParseBoard("chessboard:8x6", kSquare_m);  // even: both ends look alike
  CalibrationInput input = InputOf(scene);
  for (std::size_t i = 0; i < input.views.size(); i += 3)
    for (SeenCorner& seen : input.views[i].right) seen.corner = 47 - seen.corner;
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_FALSE(result.IsRefused());
  EXPECT_THAT(testing::PrintToString(result.warnings), HasSubstr("turned by 180 degrees between the images"));
  EXPECT_NEAR(result.bundle.rig.baseline_m(), scene.rig.baseline_m(), 0.001);
}

TEST(StereoCalibration, ABoardThatDoesNotFitIsLeftOut) {
  CalibrationInput input = InputOf({});
  for (SeenCorner& seen : input.views[4].right) seen.pixel.x += 12;
  input.views[9].left.clear();
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_FALSE(result.IsRefused());
  ASSERT_EQ(result.rejected.size(), 2U);
  EXPECT_EQ(result.rejected[0].name, "pair9");
  EXPECT_THAT(result.rejected[0].reason, HasSubstr("not found in the left image"));
  EXPECT_EQ(result.rejected[1].name, "pair4");
  EXPECT_THAT(result.rejected[1].reason, HasSubstr("does not fit the others"));
}

// --- pictures
// ------------------------------------------------------------------------------------------------------

double ChessboardGray(double x_m, double y_m, int columns, int rows) {
  const int x = static_cast<int>(std::floor(x_m / kSquare_m)) + 1,
            y = static_cast<int>(std::floor(y_m / kSquare_m)) + 1;
  if (x < 0 || y < 0 || x > columns || y > rows)
    return x < -1 || y < -1 || x > columns + 1 || y > rows + 1 ? 120 : 215;
  return (x + y) % 2 == 0 ? 35 : 215;
}

// A picture of a board, drawn by OpenCV, laid into the plane: origin at its corner 0, `scale` px a metre.
struct Texture {
  cv::Mat pixels;
  double left_m = 0, top_m = 0, scale = 1;
  double operator()(double x_m, double y_m) const {
    const double x = (x_m - left_m) * scale - 0.5, y = (y_m - top_m) * scale - 0.5;
    const int u = static_cast<int>(std::floor(x + 0.5)), v = static_cast<int>(std::floor(y + 0.5));
    if (u < 0 || v < 0 || u >= pixels.cols || v >= pixels.rows) return 215;
    return pixels.at<std::uint8_t>(v, u) < 128 ? 35 : 215;
  }
};

template <typename Gray>
CalibrationInput RenderedInput(const RawRig& rig, const BoardSpec& board, int count, double near_m,
                               double spread, const Gray& gray) {
  CalibrationInput input;
  input.board = board;
  input.width_px = rig.left.width_px;
  input.height_px = rig.left.height_px;
  if (rig.left.lens == LensModel::kFisheye) input.lens = {LensModel::kFisheye, 4};
  const BoardCamera left(rig.left), right(rig.right);
  const app::CornerFinder finder(board);
  const std::vector<Vector3> corners = board.Corners();
  std::uint32_t seed = 1;
  for (const BoardPose& pose : BoardPoses(count, corners.back().x, corners.back().y, near_m, spread)) {
    BoardView view;
    view.name = "pair" + std::to_string(seed);
    const auto a = left.Picture(pose, gray, 2, seed++),
               b = right.Picture(InRightCamera(rig, pose), gray, 2, seed++);
    view.left = finder.Find(a.ConstView());
    view.right = finder.Find(b.ConstView());
    input.views.push_back(std::move(view));
  }
  return input;
}

void ExpectFound(const CalibrationInput& input, const RawRig& rig, double most_rms_px) {
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_FALSE(result.IsRefused()) << result.causes.front();
  EXPECT_LT(result.bundle.rms_px, most_rms_px);
  EXPECT_LT(result.rejected.size(), 3U);
  ExpectWithin(result, rig, 3);
}

TEST(StereoCalibration, RenderedChessboards) {
  const auto gray = [](double x, double y) { return ChessboardGray(x, y, 9, 6); };
  ExpectFound(RenderedInput(WideRig(), ParseBoard("chessboard:9x6", kSquare_m), 12, 0.55, 0.25, gray),
              WideRig(), 0.12);
}

TEST(StereoCalibration, RenderedCharuco) {
  const BoardSpec board = ParseBoard("charuco:9x7:5X5_100:0.75", kSquare_m);
  const auto charuco = cv::aruco::CharucoBoard::create(
      9, 7, static_cast<float>(kSquare_m), static_cast<float>(0.75 * kSquare_m),
      cv::aruco::getPredefinedDictionary(cv::aruco::DICT_5X5_100));
  Texture texture;
  charuco->draw({9 * 80, 7 * 80}, texture.pixels, 0, 1);
  texture.scale = 80 / kSquare_m;
  ExpectFound(RenderedInput(WideRig(), board, 12, 0.42, 0.3, texture), WideRig(), 0.15);
}

TEST(StereoCalibration, RenderedAprilGridByFisheyes) {
  const BoardSpec board = ParseBoard("aprilgrid:6x4:0.3", 0.06);
  const auto dictionary = cv::aruco::getPredefinedDictionary(cv::aruco::DICT_APRILTAG_36h11);
  // Tags of 80 px, gaps of 24 with the small squares between them, ids from the lower left.
  const int step = 104;
  Texture texture;
  texture.pixels = cv::Mat(4 * step + 24, 6 * step + 24, CV_8UC1, cv::Scalar(255));
  for (int y = 0; y <= 4; ++y)
    for (int x = 0; x <= 6; ++x) texture.pixels(cv::Rect(x * step, y * step, 24, 24)) = 0;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      cv::Mat tag;
      cv::aruco::drawMarker(dictionary, (3 - y) * 6 + x, 80, tag, 1);
      tag.copyTo(texture.pixels(cv::Rect(x * step + 24, y * step + 24, 80, 80)));
    }
  }
  texture.scale = 80 / 0.06;
  texture.left_m = texture.top_m = -24 / texture.scale;
  ExpectFound(RenderedInput(FisheyeRig(), board, 14, 0.33, 0.5, texture), FisheyeRig(), 0.2);
}

// --- the program
// ---------------------------------------------------------------------------------------------------

TEST(CalibrateCommand, WritesARigWithItsReport) {
  const TemporaryFolder folder;
  const RawRig rig = WideRig();
  const BoardCamera left(rig.left), right(rig.right);
  const auto gray = [](double x, double y) { return ChessboardGray(x, y, 9, 6); };
  fs::create_directories(folder.path() / "left");
  fs::create_directories(folder.path() / "right");
  std::uint32_t seed = 1;
  for (const BoardPose& pose : BoardPoses(8, 8 * kSquare_m, 5 * kSquare_m, 0.55, 0.25)) {
    const std::string name = "b" + std::to_string(seed) + ".png";
    WritePng(folder.path() / "left" / name, left.Picture(pose, gray, 2, seed++).ConstView());
    WritePng(folder.path() / "right" / name,
             right.Picture(InRightCamera(rig, pose), gray, 2, seed++).ConstView());
  }
  const std::string out = (folder.path() / "out").string();
  std::vector<std::string> arguments{"calibrate",
                                     (folder.path() / "left").string(),
                                     (folder.path() / "right").string(),
                                     "--board",
                                     "chessboard:9x6",
                                     "--square",
                                     "0.04",
                                     "--output",
                                     out};
  const ProgramResult result = RunParallax(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("verdict    usable"));  // eight boards only
  const Calibration read = ReadCalibration(out + "/rig.yaml");
  EXPECT_NEAR(read.raw->baseline_m(), rig.baseline_m(), 0.001);
  const std::string report = ReadTextFile(out + "/report.json");
  for (const char* key : {"rms_left_px", "rms_right_px", "rms_stereo_px", "epipolar_median_px", "baseline_m",
                          "boards_used", "boards_rejected", "verdict", "depth_errors", "cross_validation"})
    EXPECT_THAT(report, HasSubstr(std::string("\"") + key + "\""));
  EXPECT_THAT(ReadTextFile(out + "/index.html"), HasSubstr("pictures/rectified.png"));
  for (const char* name : {"coverage.png", "worst_1.png", "rectified.png"})
    EXPECT_TRUE(fs::exists(out + "/pictures/" + name)) << name;
  const std::string corners = ReadTextFile(out + "/corners.vnl");
  EXPECT_EQ(std::count(corners.begin(), corners.end(), '\n'), 1 + 2 * 8 * 54);

  const auto expect_error = [&](int exit_code, const std::string& words) {
    const ProgramResult failed = RunParallax(arguments);
    EXPECT_EQ(failed.exit_code, exit_code);
    EXPECT_EQ(std::count(failed.err.begin(), failed.err.end(), '\n'), 1) << failed.err;
    EXPECT_THAT(failed.err, HasSubstr(words));
  };
  expect_error(2, "--overwrite");
  arguments.emplace_back("--overwrite");
  std::swap(arguments[1], arguments[2]);
  expect_error(1, "exchanged");
  EXPECT_FALSE(fs::exists(out + "/rig.yaml"));  // of the run before
  std::swap(arguments[1], arguments[2]);
  arguments[4] = "chessboard:5x5";
  expect_error(1, "0 usable boards in 8 pairs");
  arguments[4] = "cheeseboard:5x5";
  expect_error(2, "is none: give chessboard:");
  arguments[4] = "chessboard:9x6";
  arguments[6] = "40";
  expect_error(2, "millimetres");
}

TEST(ParseBoard, TakesWhatItSaysAndNothingElse) {
  EXPECT_EQ(ParseBoard("chessboard:7x6", 0.02).Corners().size(), 42U);
  EXPECT_EQ(ParseBoard("charuco:5x7", 0.02).Corners().size(), 24U);
  EXPECT_EQ(ParseBoard("aprilgrid:6x6:0.25", 0.02).Corners().size(), 144U);
  EXPECT_TRUE(ParseBoard("chessboard:8x6", 0.02).IsAmbiguous());
  for (const char* wrong : {"", "chessboard", "chessboard:", "chessboard:7", "chessboard:7x",
                            "chessboard:7x6:1", "chessboard:1x6", "chessboard:700x6", "charuco:5x7:9X9_1",
                            "charuco:5x7:4X4_50:2", "charuco:30x30:4X4_50", "aprilgrid:6x6:9", "board:7x6"})
    EXPECT_THROW(ParseBoard(wrong, 0.02), InvalidArgument) << wrong;
  EXPECT_THROW(ParseBoard("chessboard:7x6", 0), InvalidArgument);
}

}  // namespace
}  // namespace parallax::test
