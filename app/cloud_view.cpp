#include "app/cloud_view.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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
    const Point3f& p = points[i];
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) samples.push_back(p);
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

// Share of the points inside the picture of a pinhole camera at eye that looks at target, -y up.
double ShareVisible(const std::vector<Point3f>& points, Point3f eye, Point3f target, float tan_y,
                    float tan_x) {
  const Point3f forward = Unit(target - eye);
  const Point3f right = Unit(Cross({0, 1, 0}, forward));
  const Point3f down = Cross(forward, right);
  std::size_t num_visible = 0;
  for (const Point3f& p : points) {
    const Point3f d = p - eye;
    const float z = Dot(d, forward);
    if (z > 0 && std::abs(Dot(d, right)) <= z * tan_x && std::abs(Dot(d, down)) <= z * tan_y) ++num_visible;
  }
  return static_cast<double>(num_visible) / static_cast<double>(points.size());
}

}  // namespace

CloudView FirstView(std::span<const Point3f> points, float vertical_fov_deg, float aspect) {
  const std::vector<Point3f> samples = Sample(points);
  CloudView view;
  view.low = Percentiles(samples, 0.02);
  view.high = Percentiles(samples, 0.98);
  const Point3f size = view.high - view.low;
  const bool in_front = view.low.z > 0;

  // The depth a viewer cares for is where most points are, not the middle of the range.
  view.target = 0.5f * (view.low + view.high);
  if (in_front) view.target.z = Percentiles(samples, 0.5).z;
  const float reach = in_front ? view.target.z : std::max(std::sqrt(Dot(size, size)), 1e-3f);
  const Point3f away = in_front ? Point3f{0.16f, -0.22f, -0.96f} : Point3f{0.3f, -0.4f, -0.85f};

  const float tan_y = std::tan(vertical_fov_deg * std::numbers::pi_v<float> / 360.0f);
  constexpr float kNearest = 1.05f, kFarthest = 4.0f, kStep = 1.08f;
  constexpr double kEnough = 0.95;
  for (float distance = kNearest; distance <= kFarthest; distance *= kStep) {
    view.eye = view.target + (distance * reach) * away;
    if (ShareVisible(samples, view.eye, view.target, tan_y, tan_y * aspect) >= kEnough) break;
  }
  return view;
}

}  // namespace parallax::app
