#include "datasets/synthetic/sensor.h"

#include <algorithm>
#include <cmath>

#include "datasets/synthetic/random.h"

namespace parallax::synthetic {
namespace {

template <typename T>
T Digitize(double value, double max) {
  return static_cast<T>(std::clamp(std::floor(value + 0.5), 0.0, max));
}

template <typename T, typename F>
CameraImage MapPixels(HostImageView<const Color> light, ThreadPool& pool, const F& pixel) {
  HostImage<T> image(light.width, light.height);
  pool.ParallelFor(light.height, [&](int y) {
    for (int x = 0; x < light.width; ++x) {
      const auto index = static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(light.width) + x;
      image(x, y) = pixel(light(x, y), index);
    }
  });
  return image;
}

}  // namespace

CameraImage Expose(HostImageView<const Color> light, const Sensor& sensor, ThreadPool& pool) {
  const auto respond = [&](double value, std::uint64_t sample) {
    const double noise =
        sensor.noise > 0 ? sensor.noise * StandardNormal(DeriveSeed(sensor.seed, sample)) : 0;
    return sensor.gain * value + sensor.offset + noise;
  };
  const auto gray = [](Color c) {
    return 0.299 * static_cast<double>(c.r) + 0.587 * static_cast<double>(c.g) +
           0.114 * static_cast<double>(c.b);
  };
  if (sensor.color) {
    return MapPixels<Rgb8>(light, pool, [&](Color c, std::uint64_t i) -> Rgb8 {
      return {Digitize<std::uint8_t>(respond(c.r, 3 * i), 255),
              Digitize<std::uint8_t>(respond(c.g, 3 * i + 1), 255),
              Digitize<std::uint8_t>(respond(c.b, 3 * i + 2), 255)};
    });
  }
  if (sensor.bits == 16) {
    return MapPixels<std::uint16_t>(light, pool, [&](Color c, std::uint64_t i) {
      return Digitize<std::uint16_t>(257 * respond(gray(c), i), 65535);
    });
  }
  return MapPixels<std::uint8_t>(light, pool, [&](Color c, std::uint64_t i) {
    return Digitize<std::uint8_t>(respond(gray(c), i), 255);
  });
}

}  // namespace parallax::synthetic
