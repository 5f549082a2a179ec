// Clouds that are hard for trees, and neighbours by brute force.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "pipeline/cloud/neighbours/neighbours.h"

namespace parallax::testing {

struct NamedCloud {
  std::string name;
  std::vector<Point3f> points;
};

// In [0, 1), the same everywhere.
class Random {
 public:
  explicit Random(std::uint32_t seed) : generator_(seed) {}
  float operator()() { return static_cast<float>(generator_() >> 8) * 0x1p-24F; }
  int Below(int n) { return static_cast<int>(generator_() % static_cast<std::uint32_t>(n)); }
  Point3f Point() {
    const float x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
  }

 private:
  std::mt19937 generator_;
};

inline std::vector<Point3f> UniformCloud(int n, std::uint32_t seed) {
  Random random(seed);
  std::vector<Point3f> points(n);
  for (Point3f& p : points) p = random.Point();
  return points;
}

// A surface as stereo gives it: rays through a grid of pixels, two depths and a slope between.
inline std::vector<Point3f> SurfaceCloud(int width, int height) {
  std::vector<Point3f> points;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float u = (static_cast<float>(x) + 0.5F) / static_cast<float>(width) - 0.5F;
      const float v = (static_cast<float>(y) + 0.5F) / static_cast<float>(height) - 0.5F;
      const float z = u * u + v * v < 0.05F ? 3.0F : 8.0F + 20.0F * u;
      points.push_back({u * z, v * z, z});
    }
  }
  return points;
}

// Clouds of n points or a few more.
inline std::vector<NamedCloud> HardClouds(int n) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<NamedCloud> clouds = {{"uniform", UniformCloud(n, 1)},
                                    {"surface", SurfaceCloud(37, n / 37 + 1)}};
  Random random(2);
  const auto add = [&](const char* name, const auto& make) {
    clouds.push_back({name, {}});
    for (int i = 0; i < n; ++i) clouds.back().points.push_back(make(i));
  };
  add("equal", [](int) { return Point3f{1, 2, 3}; });
  add("two places", [&](int) { return random.Below(2) == 0 ? Point3f{0, 0, 0} : Point3f{1, 1, 1}; });
  add("grid", [&](int) {  // with many equal distances and duplicates
    return Point3f{static_cast<float>(random.Below(8)), static_cast<float>(random.Below(8)),
                   static_cast<float>(random.Below(8))};
  });
  add("collinear", [&](int i) { return Point3f{0, static_cast<float>(i * 7919 % n), 0}; });
  add("plane", [&](int) { return Point3f{random(), random(), -5}; });
  add("clusters", [&](int i) {  // each a thousand times smaller than the one before
    const float size = std::pow(10.0F, static_cast<float>(-3 * (i % 6)));
    return Point3f{1 + size * random(), size * random(), size * random()};
  });
  add("around zero", [&](int) {
    const auto tiny = [&] { return std::ldexp(random() - 0.5F, -random.Below(140)); };
    return Point3f{tiny(), tiny(), tiny()};
  });
  add("huge", [&](int) {  // squares overflow
    return Point3f{(2 * random() - 1) * 3e38F, (2 * random() - 1) * 1e38F, (random() - 0.5F) * 1e20F};
  });
  clouds.push_back({"outlier", UniformCloud(n, 3)});
  clouds.back().points[n / 2] = {1e6F, -1e6F, 1e6F};
  clouds.push_back({"not finite", UniformCloud(n, 4)});
  for (int i = 0; i < n; i += 3) {
    Point3f& p = clouds.back().points[i];
    (i % 2 == 0 ? p.x : p.z) = i % 4 == 0 ? kNan : i % 4 == 1 ? kInfinity : -kInfinity;
  }
  return clouds;
}

inline float SquaredDistance(const Point3f& a, const Point3f& b) {
  const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return (dx * dx + dy * dy) + dz * dz;
}

inline bool AllFinite(const Point3f& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

// Every pair looked at. leave_out: query i is point i and no neighbour of itself.
inline Neighbours BruteForceNeighbours(std::span<const Point3f> points, std::span<const Point3f> queries,
                                       int k, bool leave_out) {
  Neighbours result{k, {}, {}};
  std::vector<std::tuple<float, std::int32_t>> all;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    all.clear();
    for (std::size_t i = 0; AllFinite(queries[q]) && i < points.size(); ++i) {
      if (AllFinite(points[i]) && !(leave_out && i == q))
        all.emplace_back(SquaredDistance(queries[q], points[i]), static_cast<std::int32_t>(i));
    }
    const std::size_t found = std::min<std::size_t>(k, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(found), all.end());
    for (int i = 0; i < k; ++i) {
      const bool is_point = static_cast<std::size_t>(i) < found;
      result.indices.push_back(is_point ? std::get<1>(all[i]) : kNoNeighbour);
      result.distances_m.push_back(is_point ? std::sqrt(std::get<0>(all[i]))
                                            : std::numeric_limits<float>::infinity());
    }
  }
  return result;
}

}  // namespace parallax::testing
