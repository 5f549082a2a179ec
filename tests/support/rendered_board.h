// Pictures of a flat board by cameras that are known exactly.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "calibrate/bundle_adjustment.h"
#include "parallax/image.h"

namespace parallax::test {

inline constexpr double kSquare_m = 0.04;  // of the boards

// The brightness of a plane at (x, y) in metres.
using PlaneGray = std::function<double(double x_m, double y_m)>;

class BoardCamera {
 public:
  explicit BoardCamera(const CameraModel& camera);

  // Of the board's plane, with noise of that sigma. A pixel whose corners differ is the mean of 8x8 places,
  // each at random in its part of the pixel: places in rows and columns would put edges wrong by the same
  // amount in every picture of a pose, which no camera's noise does.
  HostImage<std::uint8_t> Picture(const BoardPose& pose, const PlaneGray& gray, double noise,
                                  std::uint32_t seed) const;

 private:
  CameraModel camera_;
  std::vector<Vector3> rays_;  // through the corners of pixels
};

// Poses in front of the cameras: all over the image, tilted to all sides, at several distances. size: the
// board's width and height, m; near: distance at which it fills most of the image.
inline std::vector<BoardPose> BoardPoses(int count, double width_m, double height_m, double near_m,
                                         double spread) {
  std::vector<BoardPose> poses;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.4 * i, tilt = i == 0 ? 0 : 0.25 + 0.35 * ((i * 7) % 5) / 5.0;
    const double z = near_m * (1 + 0.12 * (i % 5));
    const double x = spread * z * std::cos(1.9 * i) * ((i % 4) / 3.0),
                 y = 0.75 * spread * z * std::sin(1.9 * i) * ((i % 4) / 3.0);
    BoardPose pose;
    pose.camera_from_board = RotationOf({tilt * std::cos(angle), tilt * std::sin(angle), 0}) *
                             RotationOf({0, 0, 0.15 * std::sin(3.0 * i)});
    pose.translation_m = Vector3{x, y, z} - pose.camera_from_board * Vector3{width_m / 2, height_m / 2, 0};
    poses.push_back(pose);
  }
  return poses;
}

// A chessboard of columns x rows inner corners on white, on a gray wall; origin at its first corner.
PlaneGray ChessboardGray(double square_m, int columns, int rows);

inline BoardPose InRightCamera(const RawRig& rig, const BoardPose& pose) {
  return {rig.right_from_left * pose.camera_from_board,
          rig.right_from_left * pose.translation_m + rig.translation_m};
}

}  // namespace parallax::test
