// Points of a cloud as vectors, in single precision.
#pragma once

#include <algorithm>
#include <cmath>

#include "parallax/cloud.h"

namespace parallax::app {

inline Point3f operator+(Point3f a, Point3f b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Point3f operator-(Point3f a, Point3f b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Point3f operator*(float s, Point3f a) { return {s * a.x, s * a.y, s * a.z}; }
inline float Dot(Point3f a, Point3f b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point3f Cross(Point3f a, Point3f b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float Norm(Point3f a) { return std::sqrt(Dot(a, a)); }
// A zero vector has no direction and gives 0.
inline Point3f Unit(Point3f a) { return (1.0f / std::sqrt(std::max(Dot(a, a), 1e-30f))) * a; }

}  // namespace parallax::app
