#include "app/view/cloud/cloud_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/pictures/value_scale.h"

namespace parallax::app {

CloudLines FrustumLines(const StereoRig& rig, int width, int height, float length_m) {
  CloudLines result;
  if (!(rig.fx_px > 0) || width <= 0 || height <= 0) return result;
  const auto corner = [&](double x, double y) {
    return Point3f{static_cast<float>((x - rig.cx_px) / rig.fx_px) * length_m,
                   static_cast<float>((y - rig.cy_px) / rig.fx_px) * length_m, length_m};
  };
  const double right = width - 0.5, bottom = height - 0.5;
  const std::array<Point3f, 4> corners = {corner(-0.5, -0.5), corner(right, -0.5), corner(right, bottom),
                                          corner(-0.5, bottom)};
  const Point3f eye{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    result.lines.push_back({eye, corners[i]});
    result.lines.push_back({corners[i], corners[(i + 1) % corners.size()]});
  }
  // Upwards is where the roof is.
  const Point3f a = corners[0], b = corners[1];
  const Point3f roof{0.5f * (a.x + b.x), a.y - 0.3f * std::abs(a.y), length_m};
  result.lines.push_back({a, roof});
  result.lines.push_back({roof, b});
  result.lines.push_back({eye, {static_cast<float>(rig.baseline_m), 0, 0}});
  return result;
}

float GridStep(Point3f low, Point3f high) {
  const float reach = std::max({high.x - low.x, high.z - std::min(low.z, 0.0f), 1e-3f});
  return static_cast<float>(RoundStep(reach / 12));
}

CloudLines GridLines(const Ground& ground, Point3f low, Point3f high) {
  CloudLines result;
  const float step = GridStep(low, high);
  constexpr float kMostLines = 40;
  const float z0 = low.z > 0 ? 0 : std::floor(low.z / step), x0 = std::floor(low.x / step);
  const float z1 = std::min(std::ceil(high.z / step), z0 + kMostLines - 1);
  const float x1 = std::min(std::ceil(high.x / step), x0 + kMostLines - 1);
  const auto at = [&](float i, float k) {
    const float x = i * step, z = k * step;
    return Point3f{x, ground.YAt(x, z), z};
  };
  const auto metres = [&](float number) { return fmt::format("{:g} m", number * step); };
  for (float i = x0; i <= x1; ++i) result.lines.push_back({at(i, z0), at(i, z1)});
  for (float k = z0; k <= z1; ++k) result.lines.push_back({at(x0, k), at(x1, k)});
  // Labels are thinned: far lines lie close together, and labels of both ways meet in the far corner.
  constexpr float kNear = 5;
  for (float k = z0 + 1; k <= z1; ++k) {
    if (k - z0 <= kNear || std::fmod(z1 - k, 2.0f) == 0) result.texts.push_back({at(x1, k), metres(k)});
  }
  const float stride = std::max(1.0f, std::ceil((x1 - x0) / 8));
  for (float i = x0; i < x1; ++i) {
    if (std::fmod(std::abs(i), stride) == 0) result.texts.push_back({at(i, z1), metres(i)});
  }
  return result;
}

}  // namespace parallax::app
