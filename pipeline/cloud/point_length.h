// The distance of two points with one rounding an operation, as neighbours.h defines it.
#pragma once

#include <cmath>

#include "pipeline/cloud.h"

namespace parallax {

inline float LengthBetween(const Point3f& a, const Point3f& b) {
  const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return std::sqrt((dx * dx + dy * dy) + dz * dz);
}

}  // namespace parallax
