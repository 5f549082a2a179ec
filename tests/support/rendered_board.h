// Pictures of a flat board by cameras that are known exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "calibrate/bundle_adjustment.h"
#include "parallax/image.h"

namespace parallax::test {

inline constexpr double kSquare_m = 0.04;  // of the boards

class BoardCamera {
 public:
  explicit BoardCamera(const CameraModel& camera) : camera_(camera) {
    const CameraProjection projection(camera);
    for (int y = 0; y <= camera.height_px; ++y) {
      for (int x = 0; x <= camera.width_px; ++x) {
        const auto ray = projection.Unproject({x - 0.5, y - 0.5});  // corners of pixels
        rays_.push_back(ray ? *ray : Vector3{0, 0, -1});
      }
    }
  }

  // gray(x_m, y_m) of the board's plane, and noise of that sigma. A pixel whose corners differ is the mean of
  // 8x8 places, each at random in its part of the pixel: places in rows and columns would put edges wrong by
  // the same amount in every picture of a pose, which no camera's noise does.
  template <typename Gray>
  HostImage<std::uint8_t> Picture(const BoardPose& pose, const Gray& gray, double noise,
                                  std::uint32_t seed) const {
    std::mt19937 random(seed);
    const auto uniform = [&] { return static_cast<double>(random() & 0xFFFFU) / 65536; };
    const Matrix3 board_from_camera = Transposed(pose.camera_from_board);
    const Vector3 centre = -(board_from_camera * pose.translation_m);
    const auto brightness = [&](const Vector3& ray) -> double {
      const Vector3 d = board_from_camera * ray;
      const double t = -centre.z / d.z;
      return t > 0 ? gray(centre.x + t * d.x, centre.y + t * d.y) : 90.0;
    };
    std::vector<double> corners(rays_.size());
    std::transform(rays_.begin(), rays_.end(), corners.begin(), brightness);
    HostImage<std::uint8_t> picture(camera_.width_px, camera_.height_px);
    const int step = camera_.width_px + 1;
    constexpr int kSamples = 8;
    for (int y = 0; y < camera_.height_px; ++y) {
      for (int x = 0; x < camera_.width_px; ++x) {
        const std::size_t at = static_cast<std::size_t>(y * step + x),
                          below = at + static_cast<std::size_t>(step);
        double value = corners[at];
        if (corners[at + 1] != value || corners[below] != value || corners[below + 1] != value) {
          double sum = 0;
          for (int i = 0; i < kSamples * kSamples; ++i) {
            const double u = (i % kSamples + uniform()) / kSamples, v = (i / kSamples + uniform()) / kSamples;
            sum += brightness((1 - v) * ((1 - u) * rays_[at] + u * rays_[at + 1]) +
                              v * ((1 - u) * rays_[below] + u * rays_[below + 1]));
          }
          value = sum / (kSamples * kSamples);
        }
        // Sums of uniform numbers: the same on every machine, which std::normal_distribution is not.
        double jitter = 0;
        for (int i = 0; i < 4; ++i) jitter += uniform() - 0.5;
        value += noise * jitter * 1.7320508;
        picture(x, y) = static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
      }
    }
    return picture;
  }

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
inline double ChessboardGray(double x_m, double y_m, double square_m, int columns, int rows) {
  const int x = static_cast<int>(std::floor(x_m / square_m)) + 1,
            y = static_cast<int>(std::floor(y_m / square_m)) + 1;
  if (x < 0 || y < 0 || x > columns || y > rows)
    return x < -1 || y < -1 || x > columns + 1 || y > rows + 1 ? 120 : 215;
  return (x + y) % 2 == 0 ? 35 : 215;
}

inline BoardPose InRightCamera(const RawRig& rig, const BoardPose& pose) {
  return {rig.right_from_left * pose.camera_from_board,
          rig.right_from_left * pose.translation_m + rig.translation_m};
}

}  // namespace parallax::test
