#include "datasets/synthetic/scene.h"

#include <cmath>
#include <utility>

namespace parallax::synthetic {
namespace {

Vector3 ToLocal(const Object& o, Vector3 v) {
  return {Dot(o.axis[0], v), Dot(o.axis[1], v), Dot(o.axis[2], v)};
}

std::optional<Hit> IntersectRectangle(const Object& o, Vector3 origin, Vector3 direction, double t_min,
                                      double t_max) {
  const double towards = Dot(o.axis[2], direction);
  if (towards == 0) return std::nullopt;
  const double t = -Dot(o.axis[2], origin) / towards;
  if (!(t > t_min && t < t_max)) return std::nullopt;
  const Vector3 p = origin + t * direction;
  if (std::fabs(Dot(o.axis[0], p)) > o.half_m.x || std::fabs(Dot(o.axis[1], p)) > o.half_m.y)
    return std::nullopt;
  return Hit{t, -1, 0};
}

std::optional<Hit> IntersectSphere(const Object& o, Vector3 origin, Vector3 direction, double t_min,
                                   double t_max) {
  const double a = Dot(direction, direction), half_b = Dot(origin, direction);
  const double c = Dot(origin, origin) - o.half_m.x * o.half_m.x;
  const double discriminant = half_b * half_b - a * c;
  if (discriminant < 0) return std::nullopt;
  const double root = std::sqrt(discriminant);
  for (const double t : {(-half_b - root) / a, (-half_b + root) / a}) {
    if (t > t_min && t < t_max) return Hit{t, -1, 0};
  }
  return std::nullopt;
}

// Slabs: the ray is inside the box while it is between all three pairs of planes.
std::optional<Hit> IntersectBox(const Object& o, Vector3 origin, Vector3 direction, double t_min,
                                double t_max) {
  const double froms[] = {origin.x, origin.y, origin.z}, halves[] = {o.half_m.x, o.half_m.y, o.half_m.z};
  double enter = -HUGE_VAL, leave = HUGE_VAL;
  std::uint32_t enter_face = 0, leave_face = 0;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const double along = Dot(o.axis[i], direction);
    if (along == 0) {
      if (std::fabs(froms[i]) > halves[i]) return std::nullopt;
      continue;
    }
    double near = (-halves[i] - froms[i]) / along, far = (halves[i] - froms[i]) / along;
    std::uint32_t near_face = 2 * i, far_face = 2 * i + 1;
    if (near > far) {
      std::swap(near, far);
      std::swap(near_face, far_face);
    }
    if (near > enter) enter = near, enter_face = near_face;
    if (far < leave) leave = far, leave_face = far_face;
    if (enter > leave || enter >= t_max || leave <= t_min) return std::nullopt;
  }
  if (enter > t_min) return Hit{enter, -1, enter_face};
  if (leave < t_max) return Hit{leave, -1, leave_face};
  return std::nullopt;
}

}  // namespace

Vector3 OriginFor(const Object& object, Vector3 point) {
  const Vector3 from_center = point - object.center_m;
  return object.shape == Shape::kBox ? ToLocal(object, from_center) : from_center;
}

std::optional<Hit> Intersect(const Object& object, Vector3 origin, Vector3 direction, double t_min,
                             double t_max) {
  switch (object.shape) {
    case Shape::kRectangle:
      return IntersectRectangle(object, origin, direction, t_min, t_max);
    case Shape::kSphere:
      return IntersectSphere(object, origin, direction, t_min, t_max);
    case Shape::kBox:
      return IntersectBox(object, origin, direction, t_min, t_max);
  }
  return std::nullopt;
}

Vector3 NormalAt(const Object& object, Vector3 point, std::uint32_t face) {
  switch (object.shape) {
    case Shape::kRectangle:
      return object.axis[2];
    case Shape::kSphere:
      return (1 / object.half_m.x) * (point - object.center_m);
    case Shape::kBox:
      break;
  }
  const Vector3 axis = object.axis[face / 2];
  return face % 2 == 0 ? -axis : axis;
}

SurfacePoint SurfaceAt(const Object& object, Vector3 point, std::uint32_t face) {
  SurfacePoint s;
  s.face = face;
  s.planar = object.shape != Shape::kSphere;
  const Vector3 q = ToLocal(object, point - object.center_m);
  s.local_m = q;
  if (object.shape == Shape::kBox) {
    // Coordinates from a lower corner, v upwards along axis 1, so that storeys start at the ground.
    const Vector3 corner = q + object.half_m;
    const double height = object.half_m.y - q.y;
    if (face / 2 == 0) s.local_m = {corner.z, height, 0};
    if (face / 2 == 1) s.local_m = {corner.x, corner.z, 0};
    if (face / 2 == 2) s.local_m = {corner.x, height, 0};
  }
  return s;
}

Object RectangleOfDisparity(const StereoRig& rig, double x_center_px, double y_center_px, double d_center_px,
                            double slope_x, double slope_y, double half_width_px, double half_height_px) {
  // With the ray r = ((x - cx)/f, (y - cy)/f, 1) and P = Z r: d + doffs = f b / Z = N r with
  // N = (slope_x f, slope_y f, d(cx, cy) + doffs), so that the plane is N P = f b.
  const double f = rig.fx_px;
  const double at_principal_point =
      d_center_px + rig.doffs_px + slope_x * (rig.cx_px - x_center_px) + slope_y * (rig.cy_px - y_center_px);
  const Vector3 towards = Normalized({slope_x * f, slope_y * f, at_principal_point});
  const double depth_m = f * rig.baseline_m / (d_center_px + rig.doffs_px);
  Object o;
  o.shape = Shape::kRectangle;
  o.center_m = depth_m * Vector3{(x_center_px - rig.cx_px) / f, (y_center_px - rig.cy_px) / f, 1};
  o.axis[2] = towards;
  o.axis[0] = Normalized(Cross({0, 1, 0}, towards));
  o.axis[1] = Cross(o.axis[2], o.axis[0]);
  o.half_m = {half_width_px * depth_m / f, half_height_px * depth_m / f, 0};
  return o;
}

}  // namespace parallax::synthetic
