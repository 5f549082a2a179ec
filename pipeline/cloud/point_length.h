// Points and their distances with each operation rounded, as pipeline/cloud/reprojection.h and
// parallax/cloud_measures.h define them.
#pragma once

#include <cmath>

#include "parallax/cloud.h"
#include "parallax/rig.h"

namespace parallax {

inline float LengthBetween(const Point3f& a, const Point3f& b) {
  const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return std::sqrt((dx * dx + dy * dy) + dz * dz);
}

// The point of pixel (x, y) at depth z, as in CloudFromDepth.
inline Point3f PointOfPixel(int x, int y, float z, const StereoRig& rig) {
  const float fx = static_cast<float>(rig.fx_px);
  const float px = (static_cast<float>(x) - static_cast<float>(rig.cx_px)) * z;
  const float py = (static_cast<float>(y) - static_cast<float>(rig.cy_px)) * z;
  return {px / fx, py / fx, z};
}

}  // namespace parallax
