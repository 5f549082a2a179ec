#include "app/view/cloud/shown_cloud.h"

#include <utility>

#include "pipeline/cloud/finite.h"

namespace parallax::app {

ShownCloud ShowCloud(std::shared_ptr<const CloudFrame> frame, const CloudLook& look,
                     CloudMeasures& measures) {
  ShownCloud shown;
  shown.look = look;
  const std::vector<Point3f>& all = frame->cloud.points;
  const auto is_drawn = [&](const Point3f& p) {
    return IsFinite(p) && p.z >= look.near_m && p.z <= look.far_m;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_drawn(all[i])) continue;
    shown.points.push_back(all[i]);
    shown.indices.push_back(static_cast<std::int32_t>(i));
  }
  const std::optional<Ground> found = FindGround(all);
  shown.has_ground = found.has_value();
  shown.ground = found.value_or(LevelBelow(all));
  // All points get colours, so that clipping does not change them.
  shown.colors = ColorCloud(*frame, look.coloring, shown.ground, measures);
  if (shown.points.size() == all.size()) {
    shown.indices.clear();
  } else {
    std::vector<Rgb8> colors;
    colors.reserve(shown.points.size());
    for (const std::int32_t i : shown.indices)
      colors.push_back(shown.colors.colors[static_cast<std::size_t>(i)]);
    shown.colors.colors = std::move(colors);
  }
  shown.frame = std::move(frame);
  return shown;
}

}  // namespace parallax::app
