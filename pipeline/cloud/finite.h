// Points that count: those whose coordinates are all finite.
#pragma once

#include <cmath>

#include "pipeline/cloud.h"

namespace parallax {

inline bool IsFinite(const Point3f& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

}  // namespace parallax
