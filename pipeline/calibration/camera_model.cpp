#include "pipeline/calibration/camera_model.h"

#include <cmath>
#include <numbers>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr double kWidestRadius = 12;  // X/Z at 85 degrees from the axis: no plane holds more
constexpr double kWidestAngle = 0.75 * std::numbers::pi;  // of a fisheye: 270 degrees in all

double FisheyeRadius(const std::array<double, 8>& k, double angle) {
  const double a2 = angle * angle;
  return angle * (1 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3]))));
}
double FisheyeSlope(const std::array<double, 8>& k, double angle) {
  const double a2 = angle * angle;
  return 1 + a2 * (3 * k[0] + a2 * (5 * k[1] + a2 * (7 * k[2] + a2 * 9 * k[3])));
}
double RadialScale(const std::array<double, 8>& k, double r2) {
  return (1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))) / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])));
}

// Up to where radius(t) grows with t, at most `limit`.
template <typename Radius>
double EndOfGrowth(double limit, const Radius& radius) {
  constexpr int kSteps = 4000;
  double last = 0;
  for (int i = 1; i <= kSteps; ++i) {
    const double next = radius(limit * i / kSteps);
    if (!(next > last)) return limit * (i - 1) / kSteps;
    last = next;
  }
  return limit;
}

}  // namespace

std::string_view NameOf(LensModel lens) {
  switch (lens) {
    case LensModel::kPinhole:
      return "pinhole";
    case LensModel::kPlumbBob:
      return "plumb_bob";
    case LensModel::kFisheye:
      return "fisheye";
  }
  return "unknown";
}

void CheckCamera(const CameraModel& camera, std::string_view what) {
  const std::string begin(what);
  if (camera.width_px < 0 || camera.height_px < 0) {
    throw InvalidArgument(begin + ": image size " + std::to_string(camera.width_px) + "x" +
                          std::to_string(camera.height_px) + " is negative");
  }
  bool finite = std::isfinite(camera.fx_px) && std::isfinite(camera.fy_px) && std::isfinite(camera.cx_px) &&
                std::isfinite(camera.cy_px);
  for (const double k : camera.distortion) finite = finite && std::isfinite(k);
  if (!finite) throw InvalidArgument(begin + ": its numbers must be finite");
  if (!(camera.fx_px > 0) || !(camera.fy_px > 0)) {
    throw InvalidArgument(begin + ": focal lengths " + std::to_string(camera.fx_px) + " and " +
                          std::to_string(camera.fy_px) + " px must be above 0");
  }
}

CameraProjection::CameraProjection(const CameraModel& camera) : camera_(camera) {
  CheckCamera(camera, "camera");
  const auto& k = camera_.distortion;
  if (camera_.lens == LensModel::kFisheye) {
    max_radius_ = EndOfGrowth(kWidestAngle, [&](double angle) { return FisheyeRadius(k, angle); });
  } else if (camera_.lens == LensModel::kPlumbBob) {
    max_radius_ = EndOfGrowth(kWidestRadius, [&](double r) { return r * RadialScale(k, r * r); });
  } else {
    max_radius_ = kWidestRadius;
  }
}

Vector2 CameraProjection::Distorted(const Vector2& p) const {
  const auto& k = camera_.distortion;
  const double r2 = p.x * p.x + p.y * p.y, scale = RadialScale(k, r2);
  return {p.x * scale + 2 * k[2] * p.x * p.y + k[3] * (r2 + 2 * p.x * p.x),
          p.y * scale + k[2] * (r2 + 2 * p.y * p.y) + 2 * k[3] * p.x * p.y};
}

std::optional<Vector2> CameraProjection::Project(const Vector3& point) const {
  Vector2 p;
  if (camera_.lens == LensModel::kFisheye) {
    const double r = std::hypot(point.x, point.y);
    const double angle = std::atan2(r, point.z);
    if (!(angle <= max_radius_)) return std::nullopt;
    const double scale = r > 0 ? FisheyeRadius(camera_.distortion, angle) / r : 0;
    p = {point.x * scale, point.y * scale};
  } else {
    if (!(point.z > 0)) return std::nullopt;
    p = {point.x / point.z, point.y / point.z};
    if (!(std::hypot(p.x, p.y) <= max_radius_)) return std::nullopt;
    if (camera_.lens == LensModel::kPlumbBob) p = Distorted(p);
  }
  return Vector2{camera_.fx_px * p.x + camera_.cx_px, camera_.fy_px * p.y + camera_.cy_px};
}

std::optional<Vector3> CameraProjection::Unproject(const Vector2& pixel) const {
  const Vector2 target{(pixel.x - camera_.cx_px) / camera_.fx_px, (pixel.y - camera_.cy_px) / camera_.fy_px};
  if (!std::isfinite(target.x) || !std::isfinite(target.y)) return std::nullopt;
  if (camera_.lens == LensModel::kPinhole) return Normalized({target.x, target.y, 1});
  if (camera_.lens == LensModel::kFisheye) {
    const double radius = std::hypot(target.x, target.y);
    if (radius == 0) return Vector3{0, 0, 1};
    if (radius > FisheyeRadius(camera_.distortion, max_radius_)) return std::nullopt;
    double low = 0, high = max_radius_, angle = std::min(radius, max_radius_);
    for (int i = 0; i < 100; ++i) {  // Newton, kept between what is too low and what is too high
      const double error = FisheyeRadius(camera_.distortion, angle) - radius;
      (error > 0 ? high : low) = angle;
      double next = angle - error / FisheyeSlope(camera_.distortion, angle);
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (std::abs(next - angle) < 1e-14) break;
      angle = next;
    }
    const double scale = std::sin(angle) / radius;
    return Vector3{target.x * scale, target.y * scale, std::cos(angle)};
  }
  // Newton in two dimensions, with the Jacobian by differences, and shorter steps where one leads too far.
  const auto error_at = [&](const Vector2& p) {
    const Vector2 d = Distorted(p);
    return Vector2{d.x - target.x, d.y - target.y};
  };
  Vector2 p = target;
  if (const double r = std::hypot(p.x, p.y); r > 0.9 * max_radius_) {
    p = {p.x * 0.9 * max_radius_ / r, p.y * 0.9 * max_radius_ / r};
  }
  Vector2 error = error_at(p);
  const double tolerance = 1e-10 / std::max(camera_.fx_px, camera_.fy_px);
  for (int i = 0; i < 100; ++i) {
    const double size = std::hypot(error.x, error.y);
    if (size <= tolerance) break;
    constexpr double kStep = 1e-6;
    const Vector2 ex = error_at({p.x + kStep, p.y}), ex_back = error_at({p.x - kStep, p.y});
    const Vector2 ey = error_at({p.x, p.y + kStep}), ey_back = error_at({p.x, p.y - kStep});
    const double a = (ex.x - ex_back.x) / (2 * kStep), c = (ex.y - ex_back.y) / (2 * kStep);
    const double b = (ey.x - ey_back.x) / (2 * kStep), d = (ey.y - ey_back.y) / (2 * kStep);
    const double determinant = a * d - b * c;
    if (!(std::abs(determinant) > 1e-12)) return std::nullopt;
    const Vector2 step{-(d * error.x - b * error.y) / determinant,
                       -(a * error.y - c * error.x) / determinant};
    bool improved = false;
    for (double length = 1; length > 1e-4 && !improved; length /= 2) {
      const Vector2 next{p.x + length * step.x, p.y + length * step.y};
      if (std::hypot(next.x, next.y) > max_radius_) continue;
      const Vector2 next_error = error_at(next);
      if (std::hypot(next_error.x, next_error.y) < size) {
        p = next;
        error = next_error;
        improved = true;
      }
    }
    if (!improved) break;
  }
  constexpr double kClose_px = 1e-7;
  if (!(std::hypot(error.x * camera_.fx_px, error.y * camera_.fy_px) < kClose_px)) return std::nullopt;
  return Normalized({p.x, p.y, 1});
}

}  // namespace parallax
