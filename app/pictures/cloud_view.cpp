#include "app/pictures/cloud_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMaxSamples = 8192;  // enough for percentiles, few enough for every frame

Point3f operator+(Point3f a, Point3f b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Point3f operator-(Point3f a, Point3f b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Point3f operator*(float s, Point3f a) { return {s * a.x, s * a.y, s * a.z}; }
float Dot(Point3f a, Point3f b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Point3f Cross(Point3f a, Point3f b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Point3f Unit(Point3f a) { return (1.0f / std::sqrt(std::max(Dot(a, a), 1e-30f))) * a; }

std::vector<Point3f> Sample(std::span<const Point3f> points) {
  const std::size_t step = std::max<std::size_t>(1, points.size() / kMaxSamples);
  std::vector<Point3f> samples;
  for (std::size_t i = 0; i < points.size(); i += step) {
    if (IsFinite(points[i])) samples.push_back(points[i]);
  }
  if (samples.empty()) samples.push_back({});
  return samples;
}

float Percentile(const std::vector<Point3f>& points, float Point3f::*axis, double fraction) {
  std::vector<float> values;
  values.reserve(points.size());
  for (const Point3f& p : points) values.push_back(p.*axis);
  const auto nth =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

Point3f Percentiles(const std::vector<Point3f>& points, double fraction) {
  return {Percentile(points, &Point3f::x, fraction), Percentile(points, &Point3f::y, fraction),
          Percentile(points, &Point3f::z, fraction)};
}

float Length(Point3f a) { return std::sqrt(Dot(a, a)); }

// Tangent of half the vertical opening angle that a pinhole camera at eye, looking at target with -y up,
// needs to have all but 3 % of the points in its picture; infinite when more than that lie behind it.
float NeededTangent(const std::vector<Point3f>& points, Point3f eye, Point3f target, float aspect) {
  const Point3f forward = Unit(target - eye);
  const Point3f right = Unit(Cross({0, 1, 0}, forward));
  const Point3f down = Cross(forward, right);
  std::vector<float> tangents;
  tangents.reserve(points.size());
  for (const Point3f& p : points) {
    const Point3f d = p - eye;
    const float z = Dot(d, forward);
    const float across = std::max(std::abs(Dot(d, down)), std::abs(Dot(d, right)) / aspect);
    tangents.push_back(z > 0 ? across / z : std::numeric_limits<float>::infinity());
  }
  constexpr double kShare = 0.97;
  const auto nth =
      tangents.begin() + static_cast<std::ptrdiff_t>(kShare * static_cast<double>(tangents.size() - 1));
  std::nth_element(tangents.begin(), nth, tangents.end());
  return *nth;
}

}  // namespace

CloudView FirstView(std::span<const Point3f> points, float aspect) {
  const std::vector<Point3f> samples = Sample(points);
  CloudView view;
  view.low = Percentiles(samples, 0.02);
  view.high = Percentiles(samples, 0.98);
  const bool in_front = view.low.z > 0;

  // The depth to look at is where most points are, not the middle of the range.
  view.target = 0.5f * (view.low + view.high);
  if (in_front) view.target.z = Percentiles(samples, 0.5).z;
  const float reach = in_front ? view.target.z : std::max(Length(view.high - view.low), 1e-3f);
  const Point3f away = in_front ? Point3f{0.16f, -0.22f, -0.96f} : Point3f{0.3f, -0.4f, -0.85f};

  // From there as narrow a picture as possible; where it would be too wide, from further away.
  constexpr float kNearest = 1.1f, kFarthest = 6.0f, kStep = 1.08f;
  constexpr float kNarrowest_deg = 10, kWidest_deg = 50, kMargin = 1.1f;
  for (float distance = kNearest; distance <= kFarthest; distance *= kStep) {
    view.eye = view.target + (distance * reach) * away;
    const float tangent = kMargin * NeededTangent(samples, view.eye, view.target, aspect);
    const float needed_deg = std::atan(tangent) * 360.0f / std::numbers::pi_v<float>;
    view.vertical_fov_deg = std::clamp(needed_deg, kNarrowest_deg, kWidest_deg);
    if (needed_deg <= kWidest_deg) break;
  }
  return view;
}

bool IsOtherScene(const CloudView& shown, const CloudView& wanted) {
  const float before = Length(shown.target - shown.eye), after = Length(wanted.target - wanted.eye);
  constexpr float kNoticeable = 1.5f;
  return after > kNoticeable * before || before > kNoticeable * after ||
         Length(wanted.target - shown.target) > 0.5f * before ||
         wanted.vertical_fov_deg > kNoticeable * shown.vertical_fov_deg ||
         shown.vertical_fov_deg > kNoticeable * wanted.vertical_fov_deg;
}

}  // namespace parallax::app
