// Random numbers that are the same on every machine, and lenses of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "pipeline/calibration/camera_model.h"

namespace parallax::test {

class Random {
 public:
  explicit Random(std::uint32_t seed) : bits_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits_()) + 0.5) / 4294967296.0;
  }
  double Normal(double sigma) {
    return sigma * std::sqrt(-2 * std::log(Uniform(0, 1))) * std::cos(2 * std::numbers::pi * Uniform(0, 1));
  }
  bool OneIn(int count) { return Uniform(0, count) < 1; }

 private:
  std::mt19937 bits_;
};

// f from 0.5 to 2 widths, the principal point near the middle; no distortion yet.
inline CameraModel RandomCamera(Random& random, int width, int height) {
  CameraModel camera{.width_px = width, .height_px = height};
  camera.fx_px = width * std::exp2(random.Uniform(-1, 1));
  camera.fy_px = camera.fx_px * (1 + random.Normal(0.003));
  camera.cx_px = (width - 1) / 2.0 + random.Normal(0.02 * width);
  camera.cy_px = (height - 1) / 2.0 + random.Normal(0.02 * width);
  return camera;
}

// A plumb bob that bends lines to a barrel, as webcams do, and sees all of its image.
inline CameraModel RandomBarrel(Random& random, int width, int height) {
  for (;;) {
    CameraModel camera = RandomCamera(random, width, height);
    camera.lens = LensModel::kPlumbBob;
    const double k1 = random.Uniform(-0.45, -0.1);
    camera.distortion = {k1, random.Uniform(0.9, 1.4) * k1 * k1, random.Normal(0.001), random.Normal(0.001),
                         random.Uniform(0.7, 1.1) * k1 * k1 * k1};
    const CameraProjection projection(camera);
    bool sees_all = true;
    for (const Vector2& corner :
         {Vector2{0, 0}, {width - 1.0, 0}, {0, height - 1.0}, {width - 1.0, height - 1.0}})
      sees_all = sees_all && projection.Unproject(corner).has_value();
    if (sees_all) return camera;
  }
}

// Any lens model, also where it turns back inside the image, flattens for a while, or bends to a cushion.
inline CameraModel RandomLens(Random& random, int width, int height) {
  if (random.OneIn(3)) return RandomBarrel(random, width, height);
  CameraModel camera = RandomCamera(random, width, height);
  const double radius = std::hypot(width, height) / 2 / camera.fx_px;  // of the corners
  const double r2 = radius * radius;
  const auto coefficient = [&](double most, double power) { return random.Uniform(-most, most) / power; };
  if (random.OneIn(5)) {
    camera.lens = LensModel::kFisheye;
    camera.distortion = {coefficient(0.2, r2), coefficient(0.1, r2 * r2), coefficient(0.05, r2 * r2 * r2)};
    return camera;
  }
  camera.lens = LensModel::kPlumbBob;
  camera.distortion = {coefficient(0.5, r2), coefficient(0.4, r2 * r2), random.Normal(0.002),
                       random.Normal(0.002), coefficient(0.2, r2 * r2 * r2)};
  if (random.OneIn(4)) {
    camera.distortion[5] = coefficient(0.3, r2);
    camera.distortion[6] = coefficient(0.2, r2 * r2);
  }
  return camera;
}

}  // namespace parallax::test
