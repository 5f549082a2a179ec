#include "app/view/cloud/ground.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMaxGroundSamples = 3000;
constexpr float kSteepest = 0.27f;  // tan 15 degrees

std::vector<Point3f> SampleOf(std::span<const Point3f> points) {
  const std::size_t step = std::max<std::size_t>(1, points.size() / kMaxGroundSamples) | 1;
  std::vector<Point3f> samples;
  for (std::size_t i = 0; i < points.size(); i += step) {
    if (IsFinite(points[i])) samples.push_back(points[i]);
  }
  return samples;
}

// Determinant of three columns.
double Det(const double (&a)[3], const double (&b)[3], const double (&c)[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
         c[0] * (a[1] * b[2] - a[2] * b[1]);
}

// Least squares of y over x and z, of the points that pass. nullopt if they do not span a plane.
template <typename Passes>
std::optional<Ground> Fit(const std::vector<Point3f>& points, const Passes& passes) {
  double xx = 0, xz = 0, zz = 0, x = 0, z = 0, n = 0, xy = 0, zy = 0, y = 0;
  for (const Point3f& p : points) {
    if (!passes(p)) continue;
    const double px = p.x, py = p.y, pz = p.z;
    xx += px * px, xz += px * pz, zz += pz * pz, x += px, z += pz, ++n;
    xy += px * py, zy += pz * py, y += py;
  }
  const double a[3] = {xx, xz, x}, b[3] = {xz, zz, z}, c[3] = {x, z, n}, r[3] = {xy, zy, y};
  const double det = Det(a, b, c);
  if (!(std::abs(det) > 1e-9 * std::max(1e-30, xx * zz * n))) return std::nullopt;
  return Ground{static_cast<float>(Det(r, b, c) / det), static_cast<float>(Det(a, r, c) / det),
                static_cast<float>(Det(a, b, r) / det)};
}

bool IsLevel(const Ground& ground) { return std::hypot(ground.slope_x, ground.slope_z) <= kSteepest; }

}  // namespace

std::optional<Ground> FindGround(std::span<const Point3f> points) {
  const std::vector<Point3f> samples = SampleOf(points);
  constexpr std::size_t kFewest = 50;
  if (samples.size() < kFewest) return std::nullopt;
  // Errors of stereo grow with the distance, so what counts as on the plane does.
  const auto tolerance = [](const Point3f& p) {
    return 0.006f * std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
  };
  const auto is_on = [&](const Ground& ground, const Point3f& p) {
    return std::abs(ground.HeightOf(p)) <= tolerance(p);
  };
  const auto is_below = [&](const Ground& ground, const Point3f& p) {
    return ground.HeightOf(p) < -3 * tolerance(p);
  };
  std::uint32_t state = 12345;
  const auto draw = [&] {
    state = state * 1664525U + 1013904223U;
    return samples[(state >> 8) % samples.size()];
  };
  std::optional<Ground> best;
  std::ptrdiff_t best_worth = 0;
  constexpr int kDraws = 200;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<Point3f> three = {draw(), draw(), draw()};
    const std::optional<Ground> drawn = Fit(three, [](const Point3f&) { return true; });
    if (!drawn || !IsLevel(*drawn)) continue;
    std::ptrdiff_t worth = 0;
    for (const Point3f& p : samples) {
      if (is_on(*drawn, p)) ++worth;
      if (is_below(*drawn, p)) worth -= 3;
    }
    if (worth > best_worth) best_worth = worth, best = drawn;
  }
  constexpr std::size_t kSmallestShare = 10;  // one in so many
  if (!best || best_worth * static_cast<std::ptrdiff_t>(kSmallestShare) <
                   static_cast<std::ptrdiff_t>(samples.size())) {
    return std::nullopt;
  }
  const std::optional<Ground> fitted = Fit(samples, [&](const Point3f& p) { return is_on(*best, p); });
  return fitted && IsLevel(*fitted) ? fitted : best;
}

Ground LevelBelow(std::span<const Point3f> points) {
  std::vector<float> ys;
  for (const Point3f& p : SampleOf(points)) ys.push_back(p.y);
  if (ys.empty()) return {};
  const auto nth = ys.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(ys.size() - 1));
  std::nth_element(ys.begin(), nth, ys.end());
  return {.y_m = *nth};
}

}  // namespace parallax::app
