// Clouds for the GPU tests of cuda/cloud/, the awkward ones too.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "parallax/cloud.h"

namespace parallax::test {

inline constexpr int kNumCloudKinds = 16;

struct NamedCloud {
  std::string name;
  std::vector<Point3f> points;
};

inline NamedCloud MakeTestCloud(int kind, int n, unsigned seed) {
  std::mt19937 random(seed * 1000u + static_cast<unsigned>(kind));
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::normal_distribution<float> normal;
  NamedCloud cloud;
  const auto fill = [&](const char* name, const auto& point) {
    cloud.name = name;
    for (int i = 0; i < n; ++i) cloud.points.push_back(point(i));
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  switch (kind) {
    case 0:
      fill("uniform", [&](int) { return Point3f{uniform(random), uniform(random), uniform(random)}; });
      break;
    case 1:
      fill("all equal", [&](int) { return Point3f{0.3f, -2.0f, 5.0f}; });
      break;
    case 2:
      fill("on a line", [&](int) {
        const float t = uniform(random);
        return Point3f{t, 2 * t, -t};
      });
      break;
    case 3:
      fill("along an axis, equally spaced", [&](int i) {
        return Point3f{static_cast<float>(i * 7 % n), 0, 0};
      });
      break;
    case 4:
      fill("lattice", [&](int i) {
        return Point3f{static_cast<float>(i % 7), static_cast<float>(i / 7 % 5), static_cast<float>(i / 35)};
      });
      break;
    case 5:
      fill("every point many times", [&](int) {
        return Point3f{static_cast<float>(random() % 4), static_cast<float>(random() % 4), 1.0f};
      });
      break;
    case 6:
      fill("not finite here and there", [&](int i) {
        Point3f p{uniform(random), uniform(random), uniform(random)};
        if (i % 5 == 2) p.y = kNan;
        if (i % 7 == 3) p.x = kInf;
        if (i % 11 == 4) p.z = -kInf;
        return p;
      });
      break;
    case 7:
      fill("none finite", [&](int) { return Point3f{kNan, 0, 0}; });
      break;
    case 8:
      fill("one far away", [&](int i) {
        return i == n / 2 ? Point3f{1e9f, -1e9f, 1e9f}
                          : Point3f{uniform(random), uniform(random), uniform(random)};
      });
      break;
    case 9:
      fill("two dense clusters far apart", [&](int i) {
        const float offset = i % 2 == 0 ? 0.0f : 1000.0f;
        return Point3f{offset + 1e-3f * normal(random), 1e-3f * normal(random), 1e-3f * normal(random)};
      });
      break;
    case 10:
      fill("so large that squares overflow", [&](int) {
        return Point3f{3e38f * (uniform(random) - 0.5f), 1e25f * uniform(random), uniform(random)};
      });
      break;
    case 11:
      fill("so small that squares vanish", [&](int) {
        return Point3f{1e-30f * uniform(random), 1e-23f * uniform(random), 1e-40f * uniform(random)};
      });
      break;
    case 13:
      fill("four dense clusters very far apart", [&](int i) {
        const float place = i % 4 == 0 ? 0.0f : 1e6f;
        const auto near = [&] { return 1e-4f * normal(random); };
        return Point3f{near() + (i % 4 == 1 ? place : 0), near() + (i % 4 == 2 ? place : 0),
                       near() + (i % 4 == 3 ? place : 0)};
      });
      break;
    case 14:
      fill("a sheet, and one point of twenty anywhere", [&](int i) {
        const float size = i % 20 == 7 ? 1e9f : 1.0f;
        return Point3f{size * uniform(random), size * 0.01f * uniform(random), size * 1e-3f * normal(random)};
      });
      break;
    case 15:
      fill("denser and denser towards a point", [&](int) {
        const float scale = std::pow(10.0f, -12 * uniform(random));
        return Point3f{scale * normal(random), scale * normal(random), scale * normal(random)};
      });
      break;
    default:
      fill("a stretched sheet", [&](int) {
        return Point3f{100 * uniform(random), 0.01f * uniform(random), 1e-4f * normal(random)};
      });
      break;
  }
  return cloud;
}

}  // namespace parallax::test
