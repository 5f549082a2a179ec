// Scenes of rectangles, spheres and boxes, seen by a rectified pair of pinhole cameras.
//
// Everything is in the left camera's frame: x right, y down, z forward, metres; the left camera is at the
// origin, the right one at (baseline, 0, 0).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/synthetic/material.h"
#include "parallax/rig.h"
#include "pipeline/calibration/vectors.h"

namespace parallax::synthetic {

enum class Shape { kRectangle, kSphere, kBox };

struct Object {
  Shape shape = Shape::kRectangle;
  Vector3 center_m;
  // Orthonormal axes. A rectangle lies in axes 0 and 1 and has the normal axis 2.
  Vector3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // Half sides along the axes (a rectangle's third is not used); a sphere's radius is x.
  Vector3 half_m;
  Material material;
  std::uint8_t id = 0;  // of the object map: 0 = background
};

// The background, infinitely far away.
struct Sky {
  Color horizon{206, 214, 222}, zenith{112, 146, 196};
  std::uint32_t seed = 0;
};

struct Scene {
  StereoRig rig;
  std::vector<Object> objects;
  Sky sky;
};

// First intersection of a ray with an object.
struct Hit {
  double t = 0;     // at origin + t * direction
  int object = -1;  // index into Scene::objects
  std::uint32_t face = 0;
};

// The origin of a ray as Intersect expects it: relative to the object's centre, and for a box along its axes.
Vector3 OriginFor(const Object& object, Vector3 point);

// t of the first intersection with t in (t_min, t_max), if any. origin: from OriginFor. The ray's direction need not
// have length 1.
std::optional<Hit> Intersect(const Object& object, Vector3 origin, Vector3 direction, double t_min,
                             double t_max);

// Outward normal (of length 1) at a point of the surface; a rectangle's is axis 2.
Vector3 NormalAt(const Object& object, Vector3 point, std::uint32_t face);

// The point in the object's texture frame; planar coordinates for rectangles and the faces of boxes.
SurfacePoint SurfaceAt(const Object& object, Vector3 point, std::uint32_t face);

// A rectangle whose disparity at the pixel (x, y) of the left image is
//   d_center_px + slope_x (x - x_center_px) + slope_y (y - y_center_px).
// Its sides measure about 2 half_width_px by 2 half_height_px pixels (at the centre's depth). At the centre,
// disparity + doffs must be positive.
Object RectangleOfDisparity(const StereoRig& rig, double x_center_px, double y_center_px, double d_center_px,
                            double slope_x, double slope_y, double half_width_px, double half_height_px);

}  // namespace parallax::synthetic
