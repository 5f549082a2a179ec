#include "app/view/cloud/point_pick.h"

#include <limits>

namespace parallax::app {
namespace {

template <typename Use>
void ForEachIndex(std::size_t num_points, std::span<const std::int32_t> indices, const Use& use) {
  if (indices.empty()) {
    for (std::size_t i = 0; i < num_points; ++i) use(i);
  } else {
    for (const std::int32_t i : indices) use(static_cast<std::size_t>(i));
  }
}

}  // namespace

std::optional<PanePoint> Project(const CloudProjection& projection, Point3f p) {
  const auto row = [&](std::size_t r) {
    const float* m = &projection.clip_from_cloud[4 * r];
    return m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3];
  };
  const float w = row(3);
  if (!(w > 0)) return std::nullopt;
  return PanePoint{0.5f * (row(0) / w + 1) * static_cast<float>(projection.width),
                   0.5f * (1 - row(1) / w) * static_cast<float>(projection.height), w};
}

std::optional<std::size_t> PickPoint(std::span<const Point3f> points, std::span<const std::int32_t> indices,
                                     const CloudProjection& projection, float x, float y, float radius_px) {
  const auto away_squared = [&](const PanePoint& p) { return (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y); };
  const float limit = radius_px * radius_px;
  float nearest = std::numeric_limits<float>::infinity();
  ForEachIndex(points.size(), indices, [&](std::size_t i) {
    const std::optional<PanePoint> p = Project(projection, points[i]);
    if (p && p->depth < nearest && away_squared(*p) <= limit) nearest = p->depth;
  });
  constexpr float kSameSurface = 1.02f;
  std::optional<std::size_t> picked;
  float least = std::numeric_limits<float>::infinity();
  ForEachIndex(points.size(), indices, [&](std::size_t i) {
    const std::optional<PanePoint> p = Project(projection, points[i]);
    if (!p || p->depth > kSameSurface * nearest || away_squared(*p) > limit) return;
    if (away_squared(*p) < least) least = away_squared(*p), picked = i;
  });
  return picked;
}

}  // namespace parallax::app
