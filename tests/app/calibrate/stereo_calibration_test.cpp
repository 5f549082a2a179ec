// Calibration: known rigs are found again within what is stated, and mishaps get their names.
#include "calibrate/stereo_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

#include "calibrate/calibration_figures.h"
#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/image_file.h"
#include "parallax/error.h"
#include "pipeline/calibration/rectification.h"
#include "tests/support/random_rigs.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/rendered_board.h"
#include "tests/support/rig_errors.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// --- corners without pictures
// --------------------------------------------------------------------------------------

struct BoardScene {
  RawRig rig = WideRig();
  BoardSpec board = ParseBoard("chessboard:9x6", kSquare_m);
  int count = 10;
  double noise_px = 0.1, bend_m = 0, spread = 0.3, near_m = 0.5;
  bool flat_on = false;  // all boards parallel
  int late = 0;          // right images are so many pairs late
  double shake_m = 0;    // the board moves between left and right
};

CalibrationInput InputOf(const BoardScene& scene) {
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
  const auto poses = BoardPoses(scene.count + 4, width_m, height_m, scene.near_m, scene.spread);
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

TEST(StereoCalibration, FindsTheRigAndSaysHowSureItIs) {
  for (const RawRig& rig : {WideRig(), FisheyeRig()}) {
    BoardScene scene;
    scene.rig = rig;
    scene.spread = rig.left.lens == LensModel::kFisheye ? 0.7 : 0.35;
    scene.count = 20;
    const StereoCalibration result = CalibrateStereo(InputOf(scene));
    EXPECT_FALSE(result.IsRefused()) << result.causes.front();
    EXPECT_NEAR(result.bundle.rms_px, 0.1 * std::sqrt(2), 0.015);
    EXPECT_LT(result.epipolar_median_px, 0.2);
    for (const double error : ErrorsInSigmas(result, rig)) EXPECT_LT(std::abs(error), 3);
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
  ExpectCause(input, "rotated by 180 degrees");

  input = InputOf({});  // mirrored: rows run the other way, and are numbered as if they did not
  for (BoardView& view : input.views) {
    for (SeenCorner& seen : view.right) {
      seen.pixel.x = 639 - seen.pixel.x;
      seen.corner = seen.corner / 9 * 9 + 8 - seen.corner % 9;
    }
  }
  ExpectCause(input, "mirrored");

  BoardScene late;
  late.late = 2;
  ExpectCause(InputOf(late), "2 pairs later");
  BoardScene shaken;
  shaken.shake_m = 0.06;
  ExpectCause(InputOf(shaken), "not synchronised");

  input = InputOf({});
  input.expected_baseline_m = 0.06;
  ExpectCause(input, "wrong square size");
  input.expected_baseline_m = 0.121;
  EXPECT_FALSE(CalibrateStereo(input).IsRefused());

  BoardScene bent;
  bent.bend_m = 0.006;
  ExpectCause(InputOf(bent), "not flat");

  BoardScene similar;
  similar.flat_on = true;
  const StereoCalibration same = CalibrateStereo(InputOf(similar));
  const std::string all = testing::PrintToString(same.causes) + testing::PrintToString(same.warnings);
  EXPECT_THAT(all, HasSubstr("too similar"));

  BoardScene few;
  few.count = 2;
  try {
    CalibrateStereo(InputOf(few));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 usable boards in 2 pairs"));
  }
}

TEST(StereoCalibration, TurnedBoardsThatLookTheSameArePutRight) {
  BoardScene scene;
  scene.board = ParseBoard("chessboard:8x6", kSquare_m);  // even: both ends look alike
  CalibrationInput input = InputOf(scene);
  for (std::size_t i = 0; i < input.views.size(); i += 3)
    for (SeenCorner& seen : input.views[i].right) seen.corner = 47 - seen.corner;
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_FALSE(result.IsRefused());
  EXPECT_THAT(testing::PrintToString(result.warnings),
              HasSubstr("rotated by 180 degrees between the images"));
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

TEST(StereoCalibration, ManyOutliersAreSaidAloud) {
  CalibrationInput input = InputOf({});
  int count = 0;
  for (BoardView& view : input.views) {
    for (SeenCorner& seen : view.left)
      if (++count % 12 == 0) seen.pixel.y += 1.5;  // a twelfth of the left corners, 4 % of all
  }
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_FALSE(result.IsRefused());
  EXPECT_EQ(result.verdict, "usable");
  EXPECT_THAT(testing::PrintToString(result.warnings),
              HasSubstr("do not fit and were left out: more than 3 %"));
}

// For messages: what was tried and chosen.
std::string TrialsOf(const StereoCalibration& result) {
  std::string text = TextOf(result.lens) + " of";
  for (const LensTrial& trial : result.lens_trials)
    text +=
        " [" + TextOf(trial.lens) + " " + std::to_string(trial.held_out_px) + " px " + trial.problem + "]";
  for (const auto& board : result.rejected) text += " left out " + board.name + ": " + board.reason;
  return text;
}

// PARALLAX_RIGS sets their number: of 300, 299 must be found.
TEST(StereoCalibration, FindsRandomRigsAndAccusesNobody) {
  const char* number = std::getenv("PARALLAX_RIGS");
  const int count = number != nullptr ? std::atoi(number) : 6;
  int num_found = 0;
  for (int i = 0; i < count; ++i) {
    const RandomRig random = MakeRandomRig(static_cast<std::uint32_t>(i));
    SCOPED_TRACE(random.description);
    const StereoCalibration result = CalibrateStereo(random.input);
    EXPECT_FALSE(result.IsRefused()) << result.causes.front();
    std::vector<std::string> left_out;
    for (const auto& board : result.rejected) left_out.push_back(board.name);
    EXPECT_EQ(left_out, random.spoilt.empty() ? std::vector<std::string>{} : std::vector{random.spoilt});
    EXPECT_EQ(result.bundle.views.size() + left_out.size(), random.input.views.size());
    EXPECT_LE(std::max(result.mono_left_px, result.mono_right_px), 1.05 * result.bundle.rms_px);
    const double error = ErrorInSigmas(result, random.rig);
    const bool is_found = result.lens.lens == LensModel::kPlumbBob && error < 3;
    num_found += is_found ? 1 : 0;
    if (!is_found)
      std::cout << random.description << ": " << TextOf(result.lens) << ", " << error << " sigma\n";
  }
  std::cout << num_found << " of " << count << " rigs within three sigma\n";
  EXPECT_GE(num_found, count - count / 300);
}

// The rig of four webcams that went wrong: a lens whose model ends at the border of the image.
TEST(StereoCalibration, FindsWideWebcamsAndNamesTheBadPair) {
  for (const double cx : {330.0, 335.0}) {
    BoardScene scene;
    for (CameraModel* camera : {&scene.rig.left, &scene.rig.right})
      *camera = {.width_px = 640,
                 .height_px = 480,
                 .fx_px = 421,
                 .fy_px = 421,
                 .cx_px = cx,
                 .cy_px = 240,
                 .lens = LensModel::kPlumbBob,
                 .distortion = {-0.42, 0.23, 0, 0, -0.07}};
    scene.rig.right_from_left = {};
    scene.rig.translation_m = {-0.0605, 0, 0};
    scene.board = ParseBoard("chessboard:9x6", 0.025);
    scene.count = 29;
    scene.near_m = 0.3;
    CalibrationInput input = InputOf(scene);
    for (std::size_t i = 0; i < input.views[7].right.size(); ++i)
      input.views[7].right[i].pixel.y += i % 2 == 0 ? 1.5 : -1.5;  // shaken
    const StereoCalibration result = CalibrateStereo(input);
    EXPECT_FALSE(result.IsRefused()) << result.causes.front();
    EXPECT_NEAR(result.bundle.rig.left.fx_px, 421, 2);
    EXPECT_NEAR(result.bundle.rig.left.cx_px, cx, 2);
    EXPECT_NEAR(result.bundle.rig.baseline_m(), 0.0605, 0.0003);
    EXPECT_LT(ErrorInSigmas(result, scene.rig), 3) << TrialsOf(result);
    ASSERT_EQ(result.rejected.size(), 1U) << TrialsOf(result);
    EXPECT_EQ(result.rejected[0].name, "pair7");
  }
}

TEST(StereoCalibration, ChoosesTheLensThatExplainsOtherPairs) {
  BoardScene scene;
  scene.count = 20;
  EXPECT_EQ(CalibrateStereo(InputOf(scene)).lens, (LensChoice{LensModel::kPlumbBob, 5}));
  scene.rig = FisheyeRig();
  scene.spread = 0.7;
  CalibrationInput input = InputOf(scene);
  input.lens.reset();
  const StereoCalibration fisheye = CalibrateStereo(input);
  EXPECT_EQ(fisheye.lens, (LensChoice{LensModel::kFisheye, 4})) << TrialsOf(fisheye);
  EXPECT_LT(ErrorInSigmas(fisheye, scene.rig), 3) << TrialsOf(fisheye);
}

TEST(StereoCalibration, ReducesALensThatTheBoardsDoNotDetermine) {
  CalibrationInput input = InputOf({});
  input.lens = LensChoice{LensModel::kPlumbBob, 8};  // k4 to k6 are 0, and whatever k1 to k3 balance
  const StereoCalibration result = CalibrateStereo(input);
  EXPECT_EQ(result.lens.num_coefficients, 5) << TrialsOf(result);
  EXPECT_THAT(testing::PrintToString(result.warnings),
              HasSubstr("do not determine plumb_bob with 8 coefficients"));
  EXPECT_LT(ErrorInSigmas(result, WideRig()), 3);
}

TEST(StereoCalibration, FourPairsThatFitAreTooFew) {
  BoardScene scene;
  scene.count = 5;
  CalibrationInput input = InputOf(scene);
  for (SeenCorner& seen : input.views[2].right) seen.pixel.x += 25;
  ExpectCause(input, "only 4 pairs fit each other");
}

// --- the program
// ---------------------------------------------------------------------------------------------------

TEST(CalibrateCommand, WritesARigWithItsReport) {
  const TemporaryFolder folder;
  const RawRig rig = WideRig();
  const BoardCamera left(rig.left), right(rig.right);
  const PlaneGray gray = ChessboardGray(kSquare_m, 9, 6);
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
  const std::string report = ReadText(out + "/report.json");
  for (const char* key : {"rms_left_px", "rms_right_px", "rms_stereo_px", "epipolar_median_px", "baseline_m",
                          "boards_used", "boards_rejected", "verdict", "depth_errors", "cross_validation"})
    EXPECT_THAT(report, HasSubstr(std::string("\"") + key + "\""));
  EXPECT_THAT(ReadText(out + "/index.html"), HasSubstr("pictures/rectified.png"));
  for (const char* name : {"coverage.png", "worst_1.png", "rectified.png"})
    EXPECT_TRUE(fs::exists(out + "/pictures/" + name)) << name;
  const std::string corners = ReadText(out + "/corners.vnl");
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
  // The search for a board that is not there takes long, but in a small picture.
  const HostImage<std::uint8_t> picture =
      left.Picture(BoardPoses(1, 8 * kSquare_m, 5 * kSquare_m, 0.55, 0.25).front(), gray, 2, seed);
  HostImage<std::uint8_t> small(rig.left.width_px / 2, rig.left.height_px / 2);
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x) small(x, y) = picture(2 * x, 2 * y);
  const std::string small_file = (folder.path() / "small.png").string();
  WritePng(small_file, small.ConstView());
  std::vector<std::string> of_small = arguments;
  of_small[1] = of_small[2] = small_file;
  std::swap(arguments, of_small);
  expect_error(1, "1 usable boards in 1 pairs");  // the board that is there
  arguments[4] = "chessboard:5x5";
  expect_error(1, "0 usable boards in 1 pairs");
  std::swap(arguments, of_small);
  arguments[4] = "cheeseboard:5x5";
  expect_error(2, "is unknown: use chessboard:");
  arguments[4] = "chessboard:9x6";
  arguments[6] = "40";
  expect_error(2, "with its unit");
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
