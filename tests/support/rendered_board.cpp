#include "tests/support/rendered_board.h"

#include <algorithm>
#include <cstddef>

#include "datasets/synthetic/random.h"

namespace parallax::test {
namespace {

// 64 random bits make four numbers in [0, 1): this is number i.
double UniformOf(std::uint64_t bits, int i) { return static_cast<double>(bits >> 16 * i & 0xFFFFU) / 65536; }

}  // namespace

BoardCamera::BoardCamera(const CameraModel& camera) : camera_(camera) {
  const CameraProjection projection(camera);
  for (int y = 0; y <= camera.height_px; ++y) {
    for (int x = 0; x <= camera.width_px; ++x) {
      const auto ray = projection.Unproject({x - 0.5, y - 0.5});  // corners of pixels
      rays_.push_back(ray ? *ray : Vector3{0, 0, -1});
    }
  }
}

HostImage<std::uint8_t> BoardCamera::Picture(const BoardPose& pose, const PlaneGray& gray, double noise,
                                             std::uint32_t seed) const {
  synthetic::Random random(seed);
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
          const std::uint64_t bits = random.Next();
          const double u = (i % kSamples + UniformOf(bits, 0)) / kSamples,
                       v = (i / kSamples + UniformOf(bits, 1)) / kSamples;
          sum += brightness((1 - v) * ((1 - u) * rays_[at] + u * rays_[at + 1]) +
                            v * ((1 - u) * rays_[below] + u * rays_[below + 1]));
        }
        value = sum / (kSamples * kSamples);
      }
      // Sums of uniform numbers: the same on every machine, which std::normal_distribution is not.
      double jitter = -2;
      const std::uint64_t bits = random.Next();
      for (int i = 0; i < 4; ++i) jitter += UniformOf(bits, i);
      value += noise * jitter * 1.7320508;
      picture(x, y) = static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
    }
  }
  return picture;
}

PlaneGray ChessboardGray(double square_m, int columns, int rows) {
  return [=](double x_m, double y_m) -> double {
    const auto x = synthetic::FloorToInteger(x_m / square_m) + 1,
               y = synthetic::FloorToInteger(y_m / square_m) + 1;
    if (x < 0 || y < 0 || x > columns || y > rows)
      return x < -1 || y < -1 || x > columns + 1 || y > rows + 1 ? 120 : 215;
    return (x + y) % 2 == 0 ? 35 : 215;
  };
}

}  // namespace parallax::test
