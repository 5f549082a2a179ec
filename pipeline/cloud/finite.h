// Points that count: those whose coordinates are all finite.
#pragma once

#include <cmath>
#include <limits>

#include "parallax/cloud.h"

namespace parallax {

inline bool IsFinite(const Point3f& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

// The squared distance of points of `dims` coordinates up to this size fits in single precision, with a
// factor of 2 left for rounding: 3.8e18 m in three dimensions.
inline float LargestCoordinate(int dims) {
  return std::sqrt(std::numeric_limits<float>::max() / (8 * static_cast<float>(dims)));
}

}  // namespace parallax
