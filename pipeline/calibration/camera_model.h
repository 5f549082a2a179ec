// Raw cameras: focal lengths, principal point, lens distortion.
//
// Camera frame: x to the right, y down, z forward. Pixel (x, y) has its centre at (x, y), as in
// parallax/image.h.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "pipeline/calibration/vectors.h"

namespace parallax {

// With x = X/Z, y = Y/Z, r^2 = x^2 + y^2:
//  kPinhole   x' = x
//  kPlumbBob  x' = x s + 2 p1 x y + p2 (r^2 + 2 x^2), y' = y s + p1 (r^2 + 2 y^2) + 2 p2 x y (Brown 1966),
//             s = (1 + k1 r^2 + k2 r^4 + k3 r^6) / (1 + k4 r^2 + k5 r^4 + k6 r^6)
//  kFisheye   x' = x a' / r, a' = a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8), a = atan(r) (Kannala, Brandt
//  2006)
// and a pixel fx x' + cx, fy y' + cy.
enum class LensModel { kPinhole, kPlumbBob, kFisheye };

struct CameraModel {
  int width_px = 0, height_px = 0;  // of its images; 0 = unknown
  double fx_px = 0, fy_px = 0;      // > 0
  double cx_px = 0, cy_px = 0;
  LensModel lens = LensModel::kPinhole;
  // kPlumbBob: k1 k2 p1 p2 k3 k4 k5 k6 (OpenCV's order); kFisheye: k1 k2 k3 k4.
  std::array<double, 8> distortion{};

  // True if k4, k5 and k6 are 0: five coefficients suffice.
  bool HasFiveCoefficients() const { return distortion[5] == 0 && distortion[6] == 0 && distortion[7] == 0; }
  friend bool operator==(const CameraModel&, const CameraModel&) = default;
};

// "pinhole", "plumb_bob", "fisheye".
std::string_view NameOf(LensModel lens);

// Throws InvalidArgument, in one line that begins with `what`, for sizes below 0, focal lengths that are not
// positive and numbers that are not finite.
void CheckCamera(const CameraModel& camera, std::string_view what);

// Derivatives of the distorted place (x', y') of a point, before focal length and principal point.
struct ProjectionSlopes {
  Vector3 x_by_point, y_by_point;
  std::array<Vector2, 8> by_distortion{};
};

// Projects and unprojects; the range of the lens is found once.
class CameraProjection {
 public:
  explicit CameraProjection(const CameraModel& camera);

  const CameraModel& camera() const { return camera_; }

  // The pixel that sees a point or a direction; nullopt if the model has none: behind the camera, or where
  // the polynomial of the distortion turns back and pixels would repeat others. slopes: filled if not null
  // and the point is visible.
  std::optional<Vector2> Project(const Vector3& point, ProjectionSlopes* slopes = nullptr) const;

  // The direction, of length 1, that a pixel sees: the inverse of Project to 1e-9 px. nullopt if the model
  // has no pixel that far outside.
  std::optional<Vector3> Unproject(const Vector2& pixel) const;

  // The direction of a pixel, limited to where the lens model can be trusted. It is Unproject's while the
  // model's slope is at least a fifth of that in the middle. Further out the model is so flat that a small
  // change of its numbers moves directions far. There the direction's radius grows at most 5 times as fast as
  // the pixel's, and not at all once the model has turned back. The direction is a continuous function of the
  // pixel and of the camera's numbers.
  Vector3 ViewRay(const Vector2& pixel) const;

 private:
  // The distorted radius without tangential terms, and its slope.
  double Radial(double radius) const;
  double RadialSlope(double radius) const;
  // The slope of the distorted radius over the radius: 1 in the middle. kPlumbBob: in the direction in which
  // the tangential terms reduce it most.
  double Growth(double radius) const;
  Vector2 Distorted(const Vector2& normalized) const;

  CameraModel camera_;
  double tangential_ = 0;  // length of the tangential terms
  // Radii X/Z, or angles of a kFisheye. max_radius_: the model ends here, because it turns back or no view
  // reaches further. sure_radius_: up to here its slope is large enough for ViewRay.
  double max_radius_ = 0, sure_radius_ = 0;
};

}  // namespace parallax
