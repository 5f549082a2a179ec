#include "pipeline/calibration/camera_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "parallax/error.h"

namespace parallax {
namespace {

constexpr double kWidestRadius = 12;  // X/Z at 85 degrees from the axis: no plane holds more
constexpr double kWidestAngle = 0.75 * std::numbers::pi;  // of a fisheye: 270 degrees in all
constexpr double kSureGrowth = 0.2;

double FisheyeRadius(const std::array<double, 8>& k, double angle) {
  const double a2 = angle * angle;
  return angle * (1 + a2 * (k[0] + a2 * (k[1] + a2 * (k[2] + a2 * k[3]))));
}
double FisheyeSlope(const std::array<double, 8>& k, double angle) {
  const double a2 = angle * angle;
  return 1 + a2 * (3 * k[0] + a2 * (5 * k[1] + a2 * (7 * k[2] + a2 * 9 * k[3])));
}
// Whether the radial formula has no denominator: divisions by 1 are left out.
bool IsPolynomial(const std::array<double, 8>& k) { return k[5] == 0 && k[6] == 0 && k[7] == 0; }
double RadialScale(const std::array<double, 8>& k, double r2) {
  const double above = 1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
  return IsPolynomial(k) ? above : above / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])));
}
double RadialScaleSlope(const std::array<double, 8>& k, double r2) {  // by r2
  const double above = k[0] + r2 * (2 * k[1] + r2 * 3 * k[4]);
  if (IsPolynomial(k)) return above;
  const double below = 1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7]));
  return (above - RadialScale(k, r2) * (k[5] + r2 * (2 * k[6] + r2 * 3 * k[7]))) / below;
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

CameraProjection::CameraProjection(const CameraModel& camera)
    : camera_(camera), tangential_(std::hypot(camera.distortion[2], camera.distortion[3])) {
  CheckCamera(camera, "camera");
  const double limit = camera_.lens == LensModel::kFisheye ? kWidestAngle : kWidestRadius;
  max_radius_ = sure_radius_ = limit;
  if (camera_.lens == LensModel::kPinhole) return;
  constexpr int kSteps = 1000;
  const auto last_above = [&](double growth, double low, double high) {
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (Growth(middle) > growth ? low : high) = middle;
    }
    return low;
  };
  for (int i = 1; i <= kSteps; ++i) {
    const double before = limit * (i - 1) / kSteps, radius = limit * i / kSteps, growth = Growth(radius);
    if (sure_radius_ == limit && !(growth > kSureGrowth))
      sure_radius_ = last_above(kSureGrowth, before, radius);
    if (!(growth > 0)) {
      max_radius_ = last_above(0, before, radius);
      break;
    }
  }
}

double CameraProjection::Growth(double radius) const {
  const auto& k = camera_.distortion;
  if (camera_.lens == LensModel::kPinhole) return 1;
  if (camera_.lens == LensModel::kFisheye) return RadialSlope(radius);
  const double r2 = radius * radius;
  if (!(1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])) > 0)) return 0;  // beyond a pole
  return RadialSlope(radius) - 6 * radius * tangential_;
}

double CameraProjection::Radial(double radius) const {
  const auto& k = camera_.distortion;
  return camera_.lens == LensModel::kFisheye ? FisheyeRadius(k, radius)
                                             : radius * RadialScale(k, radius * radius);
}
double CameraProjection::RadialSlope(double radius) const {
  const auto& k = camera_.distortion;
  const double r2 = radius * radius;
  return camera_.lens == LensModel::kFisheye ? FisheyeSlope(k, radius)
                                             : RadialScale(k, r2) + 2 * r2 * RadialScaleSlope(k, r2);
}

Vector2 CameraProjection::Distorted(const Vector2& p) const {
  const auto& k = camera_.distortion;
  const double r2 = p.x * p.x + p.y * p.y, scale = RadialScale(k, r2);
  return {p.x * scale + 2 * k[2] * p.x * p.y + k[3] * (r2 + 2 * p.x * p.x),
          p.y * scale + k[2] * (r2 + 2 * p.y * p.y) + 2 * k[3] * p.x * p.y};
}

std::optional<Vector2> CameraProjection::Project(const Vector3& point, ProjectionSlopes* slopes) const {
  const auto& k = camera_.distortion;
  Vector2 p;
  if (camera_.lens == LensModel::kFisheye) {
    const double r = std::hypot(point.x, point.y);
    const double angle = std::atan2(r, point.z);
    if (!(angle <= max_radius_)) return std::nullopt;
    const double scale = r > 0 ? FisheyeRadius(k, angle) / r : 0;
    p = {point.x * scale, point.y * scale};
    if (slopes != nullptr) {
      const double square = r * r + point.z * point.z, slope = FisheyeSlope(k, angle);
      const double unit_x = r > 0 ? point.x / r : 0, unit_y = r > 0 ? point.y / r : 0;
      const double across = r > 0 ? scale : 1 / point.z, along = slope * point.z / square - across;
      slopes->x_by_point = {across + along * unit_x * unit_x, along * unit_x * unit_y,
                            -slope * point.x / square};
      slopes->y_by_point = {along * unit_x * unit_y, across + along * unit_y * unit_y,
                            -slope * point.y / square};
      double power = angle * angle * angle;
      for (std::size_t i = 0; i < 4; ++i, power *= angle * angle)
        slopes->by_distortion[i] = {unit_x * power, unit_y * power};
    }
  } else {
    if (!(point.z > 0)) return std::nullopt;
    const Vector2 q{point.x / point.z, point.y / point.z};
    if (!(q.x * q.x + q.y * q.y <= max_radius_ * max_radius_)) return std::nullopt;
    p = camera_.lens == LensModel::kPlumbBob ? Distorted(q) : q;
    if (slopes != nullptr) {
      const double r2 = q.x * q.x + q.y * q.y, scale = RadialScale(k, r2),
                   slope = 2 * RadialScaleSlope(k, r2);
      const double xx = scale + q.x * q.x * slope + 2 * k[2] * q.y + 6 * k[3] * q.x;
      const double xy = q.x * q.y * slope + 2 * k[2] * q.x + 2 * k[3] * q.y;
      const double yy = scale + q.y * q.y * slope + 6 * k[2] * q.y + 2 * k[3] * q.x;
      slopes->x_by_point = (1 / point.z) * Vector3{xx, xy, -(xx * q.x + xy * q.y)};
      slopes->y_by_point = (1 / point.z) * Vector3{xy, yy, -(xy * q.x + yy * q.y)};
      const double above = r2 / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7]))), below = -scale * above;
      const auto along = [&](double factor) { return Vector2{q.x * factor, q.y * factor}; };
      slopes->by_distortion = {along(above),
                               along(above * r2),
                               {2 * q.x * q.y, r2 + 2 * q.y * q.y},
                               {r2 + 2 * q.x * q.x, 2 * q.x * q.y},
                               along(above * r2 * r2),
                               along(below),
                               along(below * r2),
                               along(below * r2 * r2)};
    }
  }
  return Vector2{camera_.fx_px * p.x + camera_.cx_px, camera_.fy_px * p.y + camera_.cy_px};
}

std::optional<Vector3> CameraProjection::Unproject(const Vector2& pixel) const {
  const Vector2 target{(pixel.x - camera_.cx_px) / camera_.fx_px, (pixel.y - camera_.cy_px) / camera_.fy_px};
  if (!std::isfinite(target.x) || !std::isfinite(target.y)) return std::nullopt;
  if (camera_.lens == LensModel::kPinhole) return Normalized({target.x, target.y, 1});
  const double target_radius = std::hypot(target.x, target.y), most = Radial(max_radius_);
  if (target_radius == 0 && camera_.lens == LensModel::kFisheye) return Vector3{0, 0, 1};
  double low = 0, high = max_radius_, radius = std::min(target_radius, max_radius_);
  for (int i = 0; i < 100; ++i) {  // Newton, kept between what is too low and what is too high
    const double error = Radial(radius) - target_radius;
    (error > 0 ? high : low) = radius;
    double next = radius - error / RadialSlope(radius);
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (std::abs(next - radius) < 1e-14) break;
    radius = next;
  }
  if (camera_.lens == LensModel::kFisheye) {
    if (target_radius > most) return std::nullopt;
    const double scale = std::sin(radius) / target_radius;
    return Vector3{target.x * scale, target.y * scale, std::cos(radius)};
  }
  const double tangential = 3 * std::hypot(camera_.distortion[2], camera_.distortion[3]);
  if (target_radius > most + tangential * max_radius_ * max_radius_) return std::nullopt;
  // The tangential terms: Newton in two dimensions, with shorter steps where one leads too far.
  const double start = target_radius > 0 ? (1 - 1e-9) * radius / target_radius : 0;
  Vector3 p{start * target.x, start * target.y, 1};
  ProjectionSlopes slopes;
  const auto error_at = [&](const Vector3& place, ProjectionSlopes* to) -> std::optional<Vector2> {
    const auto seen = Project(place, to);
    if (!seen) return std::nullopt;
    return Vector2{seen->x - pixel.x, seen->y - pixel.y};
  };
  std::optional<Vector2> error = error_at(p, &slopes);
  for (int i = 0; error && i < 50; ++i) {
    const double size = std::hypot(error->x, error->y);
    if (size <= 1e-10) break;
    const double x = error->x / camera_.fx_px, y = error->y / camera_.fy_px;
    const double a = slopes.x_by_point.x, b = slopes.x_by_point.y, c = slopes.y_by_point.x,
                 d = slopes.y_by_point.y;
    const double determinant = a * d - b * c;
    if (!(std::abs(determinant) > 1e-12)) break;
    bool improved = false;
    for (double length = 1; length > 1e-4 && !improved; length /= 2) {
      const Vector3 next{p.x - length * (d * x - b * y) / determinant,
                         p.y - length * (a * y - c * x) / determinant, 1};
      const auto next_error = error_at(next, &slopes);
      if (!next_error || !(std::hypot(next_error->x, next_error->y) < size)) continue;
      p = next;
      error = next_error;
      improved = true;
    }
    if (!improved) break;
  }
  constexpr double kClose_px = 1e-7;
  if (!error || !(std::hypot(error->x, error->y) < kClose_px)) return std::nullopt;
  return Normalized(p);
}

Vector3 CameraProjection::ViewRay(const Vector2& pixel) const {
  const bool is_angle = camera_.lens == LensModel::kFisheye;
  Vector3 ray;
  if (const auto seen = Unproject(pixel)) {
    ray = *seen;
  } else {  // the end of the model, where it projects towards the pixel
    const auto direction = [&](const Vector2& p) {
      return std::atan2((p.y - camera_.cy_px) / camera_.fy_px, (p.x - camera_.cx_px) / camera_.fx_px);
    };
    const double end = (1 - 1e-9) * max_radius_, wanted = direction(pixel);
    double angle = wanted;
    for (int i = 0; i < 10; ++i) {  // the tangential terms turn it a little
      const double sine = is_angle ? std::sin(end) : end;
      ray = {sine * std::cos(angle), sine * std::sin(angle), is_angle ? std::cos(end) : 1};
      if (const auto p = Project(ray)) angle += std::remainder(wanted - direction(*p), 2 * std::numbers::pi);
    }
  }
  const double across = std::hypot(ray.x, ray.y),
               radius = is_angle ? std::atan2(across, ray.z) : across / ray.z;
  if (radius <= sure_radius_) return ray;
  constexpr int kSteps = 200;
  const double step = (radius - sure_radius_) / kSteps;
  double kept = sure_radius_, least = kSureGrowth;
  for (int i = 0; i < kSteps; ++i) {
    least = std::clamp(Growth(sure_radius_ + (i + 0.5) * step), 0.0, least);
    kept += step * least / kSureGrowth;
  }
  const double z = is_angle ? std::cos(kept) : 1, sine = is_angle ? std::sin(kept) : kept;
  return Normalized({sine * ray.x / across, sine * ray.y / across, z});
}

}  // namespace parallax
