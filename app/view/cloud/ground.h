// The ground of a scene: what the grid lies on and heights are measured from.
#pragma once

#include <optional>
#include <span>

#include "parallax/cloud.h"

namespace parallax::app {

// y = slope_x * x + slope_z * z + y_m, in the camera frame, where y points down.
struct Ground {
  float slope_x = 0, slope_z = 0, y_m = 0;

  float YAt(float x, float z) const { return slope_x * x + slope_z * z + y_m; }
  // Metres above it, vertically.
  float HeightOf(Point3f p) const { return YAt(p.x, p.z) - p.y; }
};

// The plane, within 15 degrees of level, on which at least a tenth of the points lie and below which nearly
// none do; nullopt if there is no such plane or there are fewer than 50 points. The same points give the same
// plane.
std::optional<Ground> FindGround(std::span<const Point3f> points);

// A level plane at the bottom of the points, outliers excluded, for scenes without a ground. It lies at 0 if
// no point is finite.
Ground LevelBelow(std::span<const Point3f> points);

}  // namespace parallax::app
