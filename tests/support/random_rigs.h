// Rigs of many lenses, and the corners that they see of a board: the cases that calibration must find its way in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/stereo_calibration.h"
#include "pipeline/calibration/rectification.h"
#include "tests/support/random_lenses.h"
#include "tests/support/rendered_board.h"

namespace parallax::test {

struct RandomRig {
  RawRig rig;
  CalibrationInput input;
  double noise_px = 0;
  std::string spoilt;       // the pair that does not fit, and how; empty = none
  std::string description;  // for messages
};

// A rig, two cameras of one kind that are turned against each other, and 6 to 25 pairs of a chessboard, all over
// the image or in a part of it. One pair of every second rig is grossly wrong.
inline RandomRig MakeRandomRig(std::uint32_t seed) {
  Random random(seed * 2654435761U + 1);
  RandomRig result;
  const std::pair<int, int> sizes[] = {{640, 480}, {752, 480}, {1280, 720}};
  const auto [width, height] = sizes[static_cast<std::size_t>(random.Uniform(0, 3))];
  RawRig& rig = result.rig;
  CalibrationInput& input = result.input;
  input.width_px = width;
  input.height_px = height;
  const bool is_even = random.OneIn(5);
  input.board = ParseBoard(is_even ? "chessboard:8x6" : "chessboard:9x6", 0.025);
  const std::vector<Vector3> board = input.board.Corners();
  const double width_m = board.back().x, height_m = board.back().y;
  const double tilt_to = random.Uniform(0.4, 0.8);
  const bool is_clustered = random.OneIn(3), is_few = random.OneIn(3);
  const auto count = static_cast<std::size_t>(is_few ? random.Uniform(6, 10) : random.Uniform(12, 26));
  result.noise_px = random.Uniform(0.05, 0.3) * width / 640;
  const auto sees = [&, width = width, height = height](const CameraProjection& camera,
                                                        const BoardPose& pose) {
    std::vector<SeenCorner> corners;
    for (std::size_t i = 0; i < board.size(); ++i) {
      const auto pixel = camera.Project(pose(board[i]));
      if (!pixel || pixel->x < 5 || pixel->y < 5 || pixel->x > width - 6 || pixel->y > height - 6)
        return std::vector<SeenCorner>{};
      corners.push_back({static_cast<int>(i), *pixel});
    }
    return corners;
  };
  std::vector<std::pair<std::vector<SeenCorner>, std::vector<SeenCorner>>> pairs;
  while (pairs.size() < count) {  // until the cameras share enough of the scene
    pairs.clear();
    rig.left = RandomBarrel(random, width, height);
    do {
      rig.right = RandomBarrel(random, width, height);
    } while (std::abs(rig.right.fx_px / rig.left.fx_px - 1) > 0.05);
    rig.right_from_left = RotationOf({random.Normal(0.03), random.Normal(0.06), random.Normal(0.04)});
    rig.translation_m = -(rig.right_from_left *
                          Vector3{random.Uniform(0.05, 0.12), random.Normal(0.003), random.Normal(0.005)});
    if (!WhyNotRectifiable(rig).empty()) continue;
    const CameraProjection left(rig.left), right(rig.right);
    const double fills = width_m * rig.left.fx_px / width;  // at this distance it is as wide as the image
    const double around = is_clustered ? 0.15 : 0.5;        // of the image's width and height
    const Vector2 middle{is_clustered ? random.Uniform(-0.2, 0.2) : 0,
                         is_clustered ? random.Uniform(-0.2, 0.2) : 0};
    for (int tries = 0; tries < 20000 && pairs.size() < count; ++tries) {
      const double z = fills * random.Uniform(1.0, is_clustered ? 2.0 : 3.0);
      const double angle = random.Uniform(0, 2 * std::numbers::pi), tilt = random.Uniform(0.15, tilt_to);
      const auto ray = left.Unproject({(0.5 + middle.x + random.Uniform(-around, around)) * width,
                                       (0.5 + middle.y + random.Uniform(-around, around)) * height});
      if (!ray || !(ray->z > 0.2)) continue;
      BoardPose pose;
      pose.camera_from_board = RotationOf({tilt * std::cos(angle), tilt * std::sin(angle), 0}) *
                               RotationOf({0, 0, random.Normal(0.2)});
      pose.translation_m =
          (z / ray->z) * *ray - pose.camera_from_board * Vector3{width_m / 2, height_m / 2, 0};
      auto a = sees(left, pose), b = sees(right, InRightCamera(rig, pose));
      if (!a.empty() && !b.empty()) pairs.emplace_back(std::move(a), std::move(b));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    BoardView view;
    view.name = "pair" + std::to_string(i);
    view.left = pairs[i].first;
    view.right = pairs[i].second;
    for (auto* corners : {&view.left, &view.right}) {
      for (SeenCorner& seen : *corners)
        seen.pixel = {seen.pixel.x + random.Normal(result.noise_px),
                      seen.pixel.y + random.Normal(result.noise_px)};
    }
    input.views.push_back(std::move(view));
  }
  if (random.OneIn(2)) {
    const auto which = static_cast<std::size_t>(random.Uniform(0, static_cast<double>(count)));
    std::vector<SeenCorner>& corners = input.views[which].right;
    result.spoilt = input.views[which].name;
    const int kind = static_cast<int>(random.Uniform(0, 4));
    const Vector2 shift{random.Uniform(15, 40), random.Uniform(-30, 30)};
    for (SeenCorner& seen : corners) {
      if (kind == 0) seen.pixel = {seen.pixel.x + shift.x, seen.pixel.y + shift.y};
      if (kind == 1) seen.pixel = {seen.pixel.x + random.Normal(15), seen.pixel.y + random.Normal(15)};
      if (kind == 2 && !is_even) seen.corner = static_cast<int>(board.size()) - 1 - seen.corner;
    }
    if (kind == 3 || (kind == 2 && is_even)) {  // the board has moved
      for (std::size_t i = 0; i < corners.size(); ++i)
        corners[i].pixel = input.views[(which + 1) % count].right[i].pixel;
    }
    result.description += " spoilt " + result.spoilt + " kind " + std::to_string(kind);
  }
  result.description = "rig " + std::to_string(seed) + ": f " + std::to_string(rig.left.fx_px / width) +
                       " widths, k1 " + std::to_string(rig.left.distortion[0]) + ", " +
                       std::to_string(count) + " boards" + (is_clustered ? ", clustered" : "") +
                       result.description;
  return result;
}

}  // namespace parallax::test
