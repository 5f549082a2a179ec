#include "tools/bench/cloud_clouds.h"

#include <algorithm>
#include <cmath>

namespace parallax::bench {
namespace {

// Splitmix64 (Steele, Lea & Flood 2014): the standard library's distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull) {}
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)
  double Normal() {
    return std::sqrt(-2 * std::log(1 - Uniform())) * std::cos(6.283185307179586 * Uniform());
  }

 private:
  std::uint64_t state_;
};

Point3f PointAt(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

}  // namespace

std::vector<Point3f> UniformCloud(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Point3f> points(static_cast<std::size_t>(n));
  for (Point3f& p : points) {
    const double x = random.Uniform(), y = random.Uniform(), z = random.Uniform();
    p = PointAt(x, y, z);
  }
  return points;
}

std::vector<Point3f> DepthMapCloud(int width, int height, std::uint64_t seed) {
  Random random(seed);
  constexpr double kFocalPx = 721.5, kBaseline = 0.54, kCameraHeight = 1.65;
  const double cx = 0.5 * width, cy = 0.47 * height;
  struct Box {  // an upright front: columns, rows, depth, slant
    double left, right, top, depth, slant;
  };
  std::vector<Box> boxes;
  for (int i = 0; i < 24; ++i) {
    const double depth = 6 + 60 * random.Uniform() * random.Uniform();
    const double center = width * random.Uniform(), size = kFocalPx / depth * (i % 3 == 0 ? 0.3 : 3.0);
    boxes.push_back({center - size / 2, center + size / 2, cy - kFocalPx / depth * 3 * random.Uniform(),
                     depth, 0.004 * (random.Uniform() - 0.5)});
  }
  std::vector<Point3f> points;
  points.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double depth = 80 - 15 * std::sin(x * 0.004) * std::sin(y * 0.006);  // hills behind
      const double below = y - cy;
      if (below > 0) depth = std::min(depth, kFocalPx * kCameraHeight / below);
      for (const Box& box : boxes) {
        const double front = box.depth * (1 + box.slant * (x - box.left));
        if (x >= box.left && x <= box.right && y >= box.top && below * front < kFocalPx * kCameraHeight)
          depth = std::min(depth, front);
      }
      const double disparity = kFocalPx * kBaseline / depth + 0.1 * random.Normal();
      depth = kFocalPx * kBaseline / std::max(disparity, 2.0);
      points.push_back(PointAt((x - cx) * depth / kFocalPx, below * depth / kFocalPx, depth));
    }
  }
  return points;
}

std::vector<Point3f> ClusteredCloud(std::int64_t n, int num_clusters, std::uint64_t seed) {
  Random random(seed);
  struct Cluster {
    double x, y, z, size;
  };
  std::vector<Cluster> clusters;
  for (int i = 0; i < num_clusters; ++i) {
    const double x = random.Uniform(), y = random.Uniform(), z = random.Uniform();
    clusters.push_back({x, y, z, 0.001 * std::pow(30.0, random.Uniform())});
  }
  std::vector<Point3f> points(static_cast<std::size_t>(n));
  for (Point3f& p : points) {
    const Cluster& c = clusters[random.Next() % clusters.size()];
    const double x = random.Normal(), y = random.Normal(), z = random.Normal();
    p = PointAt(c.x + c.size * x, c.y + c.size * y, c.z + c.size * z);
  }
  return points;
}

std::vector<Point3f> SphereCloud(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<Point3f> points(static_cast<std::size_t>(n));
  for (Point3f& p : points) {
    const double x = random.Normal(), y = random.Normal(), z = random.Normal();
    const double length = std::sqrt(x * x + y * y + z * z);
    p = PointAt(x / length, y / length, z / length);
  }
  return points;
}

}  // namespace parallax::bench
