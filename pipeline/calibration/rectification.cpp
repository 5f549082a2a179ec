#include "pipeline/calibration/rectification.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr double kWidestTangent = 2.75;  // 70 degrees from the axis: further out a plane shows little else
constexpr double kLeastOverlap = 0.2;
constexpr double kMostTurn_degrees = 45;
constexpr double kLeastScale = 0.5;  // of the focal length, against the cameras'
constexpr double kLeastZoom = 0.1, kMostZoom = 10;

std::string Text(double value, int digits = 1) {
  const std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + (digits > 0 ? 1 + static_cast<std::size_t>(digits) : 0));
}

struct Rectangle {
  double left = -std::numeric_limits<double>::infinity(), right = std::numeric_limits<double>::infinity();
  double top = left, bottom = right;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct Extent {
  Rectangle inner, outer;
};

// The extent of the border of a camera's image on the rectified plane z = 1.
Extent ExtentOf(const CameraModel& camera, const Matrix3& rectified_from_camera) {
  const CameraProjection projection(camera);
  const auto on_plane = [&](double x, double y) -> Vector2 {
    const Vector3 v = rectified_from_camera * projection.ViewRay({x, y});
    const double r = std::hypot(v.x, v.y);
    if (!(v.z > 0) || r > kWidestTangent * v.z) return {kWidestTangent * v.x / r, kWidestTangent * v.y / r};
    return {v.x / v.z, v.y / v.z};
  };
  constexpr int kSteps = 100;
  const double right = camera.width_px - 1, bottom = camera.height_px - 1;
  Extent extent;
  Rectangle& outer = extent.outer;
  outer = {outer.right, outer.left, outer.bottom, outer.top};
  const auto include = [&](const Vector2& p) {
    outer.left = std::min(outer.left, p.x);
    outer.right = std::max(outer.right, p.x);
    outer.top = std::min(outer.top, p.y);
    outer.bottom = std::max(outer.bottom, p.y);
    return p;
  };
  Rectangle& inner = extent.inner;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = right * i / kSteps, y = bottom * i / kSteps;
    inner.left = std::max(inner.left, include(on_plane(0, y)).x);
    inner.right = std::min(inner.right, include(on_plane(right, y)).x);
    inner.top = std::max(inner.top, include(on_plane(x, 0)).y);
    inner.bottom = std::min(inner.bottom, include(on_plane(x, bottom)).y);
  }
  // Half a pixel, for what lies between the points looked at.
  const double margin = 0.5 / std::min(camera.fx_px, camera.fy_px);
  inner = {inner.left + margin, inner.right - margin, inner.top + margin, inner.bottom - margin};
  return extent;
}

Rectangle Intersection(const Rectangle& a, const Rectangle& b) {
  return {std::max(a.left, b.left), std::min(a.right, b.right), std::max(a.top, b.top),
          std::min(a.bottom, b.bottom)};
}
Rectangle Union(const Rectangle& a, const Rectangle& b) {
  return {std::min(a.left, b.left), std::max(a.right, b.right), std::min(a.top, b.top),
          std::max(a.bottom, b.bottom)};
}

struct Rotations {
  Matrix3 from_left, from_right;
};

Rotations RotationsOf(const RawRig& rig) {
  const Vector3 x = Normalized(rig.RightCentre());
  const Matrix3 left_from_right = Transposed(rig.right_from_left);
  const Vector3 axes = Vector3{0, 0, 1} + Normalized(left_from_right * Vector3{0, 0, 1});
  const Vector3 z = Normalized(axes - Dot(axes, x) * x);
  const Matrix3 from_left = Rows(x, Cross(z, x), z);
  return {from_left, from_left * left_from_right};
}

double TurnAboutAxis_degrees(const Matrix3& rectified_from_camera) {
  return std::atan2(rectified_from_camera(1, 0), rectified_from_camera(0, 0)) * kDegreesPerRadian;
}

// The epipole of a camera, where it lies in its image.
bool SeesOther(const CameraModel& camera, const Vector3& direction) {
  const CameraProjection projection(camera);
  for (const double sign : {1.0, -1.0}) {
    const auto pixel = projection.Project(sign * direction);
    if (pixel && pixel->x >= 0 && pixel->y >= 0 && pixel->x < camera.width_px && pixel->y < camera.height_px)
      return true;
  }
  return false;
}

double OverlapOf(const Extent& left, const Extent& right) {
  const double common = Intersection(left.inner, right.inner).width();
  return common / std::min(left.inner.width(), right.inner.width());
}

}  // namespace

std::string WhyNotRectifiable(const RawRig& rig) {
  const Vector3 right = Normalized(rig.RightCentre());
  const Vector3 in_right = Normalized(rig.translation_m);
  if (SeesOther(rig.left, right) || SeesOther(rig.right, in_right)) {
    return "one camera is visible in the other's image (the epipole is inside it), as when one is in "
           "front of the other: such a pair cannot be rectified; put the cameras side by side";
  }
  const Vector3 between = Transposed(rig.right_from_left) * Vector3{0, 0, 1};
  if (between.z < 0.17) {
    return "the cameras look " + Text(std::acos(std::clamp(between.z, -1.0, 1.0)) * kDegreesPerRadian, 0) +
           " degrees apart and hardly see a common part of the scene; turn them the same way";
  }
  if (right.x < 0 && std::abs(right.x) > std::abs(right.y)) {
    return "the right camera is " + Text(-1000 * rig.RightCentre().x, 0) +
           " mm to the left of the left one: left and right are exchanged; name the images the other "
           "way round";
  }
  if (std::abs(right.y) > std::abs(right.x)) {
    return "one camera is above the other: the rectified images would lie on their side; rotate both "
           "images by 90 degrees before calibrating";
  }
  const Rotations rotations = RotationsOf(rig);
  for (const auto& [name, rotation] :
       {std::pair{"left", rotations.from_left}, std::pair{"right", rotations.from_right}}) {
    const double turn = TurnAboutAxis_degrees(rotation);
    if (std::abs(turn) > kMostTurn_degrees) {
      return std::string("the ") + name + " image would be rotated by " + Text(turn, 0) +
             " degrees: turn the camera or its images first";
    }
  }
  if (rig.left.width_px > 0 && rig.right.width_px > 0) {
    const double overlap =
        OverlapOf(ExtentOf(rig.left, rotations.from_left), ExtentOf(rig.right, rotations.from_right));
    if (!(overlap > kLeastOverlap)) {
      return "the cameras hardly see a common part of the scene (" + Text(std::max(0.0, 100 * overlap), 0) +
             " % of the width at infinity): turn them the same way";
    }
  }
  return "";
}

Rectification MakeRectification(const RawRig& rig, const RectificationOptions& options) {
  CheckRawRig(rig, "rig");
  if (rig.left.width_px < 2 || rig.left.height_px < 2 || rig.right.width_px < 2 || rig.right.height_px < 2) {
    throw InvalidArgument("the rig does not state the size of its images");
  }
  if (options.width_px < 0 || options.height_px < 0) {
    throw InvalidArgument("size " + std::to_string(options.width_px) + "x" +
                          std::to_string(options.height_px) + " of rectified images is negative");
  }
  if (options.zoom != 0 && !(options.zoom >= kLeastZoom && options.zoom <= kMostZoom)) {
    throw InvalidArgument("zoom " + std::to_string(options.zoom) +
                          " of rectified images must be 0.1 to 10, or 0");
  }
  if (const std::string why = WhyNotRectifiable(rig); !why.empty()) throw InvalidArgument(why);

  Rectification result;
  const Rotations rotations = RotationsOf(rig);
  result.rectified_from_left = rotations.from_left;
  result.rectified_from_right = rotations.from_right;
  result.width_px = options.width_px > 0 ? options.width_px : rig.left.width_px;
  result.height_px = options.height_px > 0 ? options.height_px : rig.left.height_px;
  const Extent left = ExtentOf(rig.left, rotations.from_left),
               right = ExtentOf(rig.right, rotations.from_right);
  result.overlap = OverlapOf(left, right);

  const double width = result.width_px - 1, height = result.height_px - 1;
  Rectangle shown;
  double focal = 0;
  if (options.zoom == 0) {
    shown = Union(left.outer, right.outer);
    focal = std::min(width / shown.width(), height / shown.height());
  } else {
    shown = Intersection(left.inner, right.inner);
    if (!(shown.width() > 0) || !(shown.height() > 0)) {
      throw InvalidArgument("the cameras see no common part of the scene: turn them the same way");
    }
    const double scale = std::max(width / rig.left.width_px, height / rig.left.height_px);
    const double cameras = (rig.left.fx_px + rig.left.fy_px + rig.right.fx_px + rig.right.fy_px) / 4 * scale;
    focal = std::max({width / shown.width(), height / shown.height(), kLeastScale * cameras}) * options.zoom;
  }
  result.rig.fx_px = focal;
  result.rig.cx_px = width / 2 - focal * (shown.left + shown.right) / 2;
  result.rig.cy_px = height / 2 - focal * (shown.top + shown.bottom) / 2;
  result.rig.baseline_m = rig.baseline_m();
  return result;
}

KeptShare KeptShareOf(const RawRig& rig, const Rectification& view) {
  const auto share = [&](const CameraModel& camera, const Matrix3& rectified_from_camera) {
    constexpr int kColumns = 64, kRows = 48;
    const CameraProjection projection(camera);
    int num_kept = 0;
    for (int i = 0; i < kColumns * kRows; ++i) {
      const auto ray = projection.Unproject({(i % kColumns + 0.5) * camera.width_px / kColumns - 0.5,
                                             (i / kColumns + 0.5) * camera.height_px / kRows - 0.5});
      if (!ray) continue;
      const Vector3 p = rectified_from_camera * *ray;
      const double x = view.rig.fx_px * p.x / p.z + view.rig.cx_px,
                   y = view.rig.fx_px * p.y / p.z + view.rig.cy_px;
      num_kept +=
          p.z > 0 && x > -0.5 && y > -0.5 && x < view.width_px - 0.5 && y < view.height_px - 0.5 ? 1 : 0;
    }
    return static_cast<double>(num_kept) / (kColumns * kRows);
  };
  return {share(rig.left, view.rectified_from_left), share(rig.right, view.rectified_from_right)};
}

}  // namespace parallax
