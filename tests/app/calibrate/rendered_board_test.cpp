// Pictures of boards by cameras that are known: corners lie where they should, and the rig is found again
// within what is stated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "calibrate/corner_fit.h"
#include "calibrate/opencv_markers.h"
#include "calibrate/stereo_calibration.h"
#include "tests/support/cases.h"
#include "tests/support/raw_rigs.h"
#include "tests/support/rendered_board.h"
#include "tests/support/rig_errors.h"

namespace parallax::test {
namespace {

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

struct Rendered {
  RawRig rig;
  BoardSpec board;
  int count = 12;
  double near_m = 0.5, spread = 0.3, noise = 2;
};

CalibrationInput RenderedInput(const Rendered& scene, const PlaneGray& gray, std::uint32_t seed) {
  CalibrationInput input;
  input.board = scene.board;
  input.width_px = scene.rig.left.width_px;
  input.height_px = scene.rig.left.height_px;
  if (scene.rig.left.lens == LensModel::kFisheye) input.lens = {LensModel::kFisheye, 4};
  const BoardCamera left(scene.rig.left), right(scene.rig.right);
  const CornerFinder finder(scene.board);
  const std::vector<Vector3> corners = scene.board.Corners();
  for (const BoardPose& pose :
       BoardPoses(scene.count, corners.back().x, corners.back().y, scene.near_m, scene.spread)) {
    BoardView view;
    view.name = "pair" + std::to_string(seed);
    const auto a = left.Picture(pose, gray, scene.noise, seed++),
               b = right.Picture(InRightCamera(scene.rig, pose), gray, scene.noise, seed++);
    view.left = finder.Find(a.ConstView());
    view.right = finder.Find(b.ConstView());
    input.views.push_back(std::move(view));
  }
  return input;
}

// Every number of the rig within three of the sigmas that are stated, by several draws of the noise; and all
// of them as far off as sigmas say: their mean square is 1 where each is right.
void ExpectFound(const Rendered& scene, const PlaneGray& gray, int num_draws, double most_rms_px) {
  double sum = 0;
  int count = 0;
  for (int draw = 0; draw < num_draws; ++draw) {
    const auto seed = static_cast<std::uint32_t>(1 + 1000 * draw);
    SCOPED_TRACE(seed);
    const StereoCalibration result = CalibrateStereo(RenderedInput(scene, gray, seed));
    EXPECT_FALSE(result.IsRefused()) << result.causes.front();
    EXPECT_LT(result.bundle.rms_px, most_rms_px);
    EXPECT_LT(result.rejected.size(), 3U);
    const std::vector<double> errors = ErrorsInSigmas(result, scene.rig);
    for (std::size_t i = 0; i < errors.size(); ++i) {
      EXPECT_LT(std::abs(errors[i]), 3) << "number " << i;
      sum += errors[i] * errors[i];
      ++count;
    }
  }
  EXPECT_LT(sum / count, 1.5);
  EXPECT_GT(sum / count, 0.5);
}

TEST(RenderedBoard, Chessboard) {
  ExpectFound({.rig = WideRig(),
               .board = ParseBoard("chessboard:9x6", kSquare_m),
               .count = 9,
               .near_m = 0.55,
               .spread = 0.25},
              ChessboardGray(kSquare_m, 9, 6), AllCases() ? 4 : 2, 0.02);
}

TEST(RenderedBoard, Charuco) {
  const BoardSpec board = ParseBoard("charuco:9x7:5X5_100:0.75", kSquare_m);
  const CharucoBoard charuco =
      MakeCharuco(9, 7, kSquare_m, 0.75 * kSquare_m, PredefinedMarkers(cv::aruco::DICT_5X5_100));
  Texture texture;
  DrawCharuco(charuco, {9 * 80, 7 * 80}, texture.pixels);
  texture.scale = 80 / kSquare_m;
  ExpectFound({.rig = WideRig(), .board = board, .near_m = 0.42, .spread = 0.3}, texture, AllCases() ? 2 : 1,
              0.05);
}

TEST(RenderedBoard, AprilGridByFisheyes) {
  const BoardSpec board = ParseBoard("aprilgrid:6x4:0.3", 0.06);
  const MarkerDictionary dictionary = PredefinedMarkers(cv::aruco::DICT_APRILTAG_36h11);
  // Tags of 80 px, gaps of 24 with the small squares between them, ids from the lower left.
  const int step = 104;
  Texture texture;
  texture.pixels = cv::Mat(4 * step + 24, 6 * step + 24, CV_8UC1, cv::Scalar(255));
  for (int y = 0; y <= 4; ++y)
    for (int x = 0; x <= 6; ++x) texture.pixels(cv::Rect(x * step, y * step, 24, 24)) = 0;
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      cv::Mat tag;
      DrawMarker(dictionary, (3 - y) * 6 + x, 80, tag);
      tag.copyTo(texture.pixels(cv::Rect(x * step + 24, y * step + 24, 80, 80)));
    }
  }
  texture.scale = 80 / 0.06;
  texture.left_m = texture.top_m = -24 / texture.scale;
  ExpectFound({.rig = FisheyeRig(), .board = board, .count = 10, .near_m = 0.33, .spread = 0.5}, texture,
              AllCases() ? 2 : 1, 0.05);
}

// Corners lie where the camera's formula puts them, sharp or blurred, wherever in its pixel: no bias, and
// hardly more than noise.
TEST(FitCorner, HasNoBias) {
  const BoardSpec board = ParseBoard("chessboard:9x6", kSquare_m);
  const std::vector<Vector3> corners = board.Corners();
  const RawRig rig = WideRig();
  const BoardCamera camera(rig.left);
  const CameraProjection projection(rig.left);
  const PlaneGray gray = ChessboardGray(kSquare_m, 9, 6);
  for (const double blur_px : {0.0, 1.2}) {
    SCOPED_TRACE(blur_px);
    Vector2 mean;
    double squares = 0, largest = 0;
    int count = 0;
    std::uint32_t seed = 5;
    for (const BoardPose& pose : BoardPoses(6, corners.back().x, corners.back().y, 0.55, 0.25)) {
      HostImage<std::uint8_t> picture = camera.Picture(pose, gray, 2, seed++);
      cv::Mat pixels(picture.height(), picture.width(), CV_8UC1, picture.View().data,
                     static_cast<std::size_t>(picture.View().stride_bytes));
      if (blur_px > 0) cv::GaussianBlur(pixels, pixels, {}, blur_px);
      for (const Vector3& corner : corners) {
        const auto truth = projection.Project(pose(corner));
        ASSERT_TRUE(truth);
        const auto found = FitCorner(picture.ConstView(), {truth->x + 0.4, truth->y - 0.3}, 7);
        ASSERT_TRUE(found) << truth->x << " " << truth->y;
        const double x = found->x - truth->x, y = found->y - truth->y;
        mean = {mean.x + x, mean.y + y};
        squares += x * x + y * y;
        largest = std::max(largest, std::hypot(x, y));
        ++count;
      }
    }
    EXPECT_LT(std::hypot(mean.x, mean.y) / count, 0.0015);
    EXPECT_LT(std::sqrt(squares / count), 0.015);
    EXPECT_LT(largest, 0.06);
  }
}

TEST(FitCorner, SaysWhereNoneIs) {
  HostImage<std::uint8_t> picture(40, 40);
  const auto fill = [&](const auto& brightness) {
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x) picture(x, y) = static_cast<std::uint8_t>(brightness(x, y));
  };
  const auto fit = [&](double x, double y, double radius) {
    return FitCorner(picture.ConstView(), {x, y}, radius).has_value();
  };
  fill([](int x, int y) { return (x < 20) == (y < 20) ? 30 : 220; });
  EXPECT_TRUE(fit(19.5, 19.5, 6));
  EXPECT_FALSE(fit(3, 19.5, 6));   // beyond the image
  EXPECT_FALSE(fit(12, 19.5, 6));  // an edge alone
  EXPECT_FALSE(fit(19.5, 19.5, 1));
  EXPECT_FALSE(fit(std::nan(""), 19.5, 6));
  fill([](int, int) { return 128; });
  EXPECT_FALSE(fit(19.5, 19.5, 6));
  fill([](int x, int y) { return x < 20 && y < 20 ? 30 : 220; });  // one square
  EXPECT_FALSE(fit(19.5, 19.5, 6));
  fill([](int x, int y) { return (x * 7919 + y * 104729) % 251; });  // noise
  EXPECT_FALSE(fit(19.5, 19.5, 6));
}

}  // namespace
}  // namespace parallax::test
