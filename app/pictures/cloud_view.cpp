#include "app/pictures/cloud_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "app/pictures/point_vectors.h"
#include "pipeline/cloud/finite.h"

namespace parallax::app {
namespace {

constexpr std::size_t kMaxViewSamples = 4096;  // enough for percentiles, few enough for every frame

std::vector<Point3f> Sample(std::span<const Point3f> points) {
  const std::size_t step = std::max<std::size_t>(1, points.size() / kMaxViewSamples);
  std::vector<Point3f> samples;
  for (std::size_t i = 0; i < points.size(); i += step) {
    if (IsFinite(points[i])) samples.push_back(points[i]);
  }
  if (samples.empty()) samples.push_back({});
  return samples;
}

float NthOf(std::vector<float>& values, double fraction) {
  const auto nth =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

float Percentile(const std::vector<Point3f>& points, float Point3f::*axis, double fraction) {
  std::vector<float> values;
  values.reserve(points.size());
  for (const Point3f& p : points) values.push_back(p.*axis);
  return NthOf(values, fraction);
}

Point3f Percentiles(const std::vector<Point3f>& points, double fraction) {
  return {Percentile(points, &Point3f::x, fraction), Percentile(points, &Point3f::y, fraction),
          Percentile(points, &Point3f::z, fraction)};
}

// The target and the extent that a pinhole camera at a given eye has to show.
struct Aim {
  Point3f target;
  float tangent = std::numeric_limits<float>::infinity();  // of half the vertical opening angle
  float coverage = 0;                                      // share of the picture's cells with a point
};

struct CameraAxes {
  CameraAxes(Point3f eye, Point3f target, Point3f up)
      : forward(Unit(target - eye)), right(Unit(Cross(forward, up))), down(Cross(forward, right)) {}
  Point3f forward, right, down;
};

// Turns a camera that looks at `target` so that the middle of what it sees comes to the middle of the
// picture, and opens it until all but 3 % of the points are in.
Aim AimAt(const std::vector<Point3f>& points, Point3f eye, Point3f target, Point3f up, float aspect) {
  constexpr double kOutside = 0.02;  // beyond either edge, in the aim
  const CameraAxes before(eye, target, up);
  std::vector<float> across, along;
  for (const Point3f& p : points) {
    const Point3f d = p - eye;
    const float z = Dot(d, before.forward);
    if (!(z > 0)) continue;
    across.push_back(Dot(d, before.right) / z);
    along.push_back(Dot(d, before.down) / z);
  }
  if (across.empty()) return {.target = target};
  const float middle_x = 0.5f * (NthOf(across, kOutside) + NthOf(across, 1 - kOutside));
  const float middle_y = 0.5f * (NthOf(along, kOutside) + NthOf(along, 1 - kOutside));
  Aim aim;
  const float reach = Dot(target - eye, before.forward);
  aim.target = target + (reach * middle_x) * before.right + (reach * middle_y) * before.down;

  const CameraAxes axes(eye, aim.target, up);
  std::vector<float> tangents;
  std::vector<std::array<float, 2>> places;
  for (const Point3f& p : points) {
    const Point3f d = p - eye;
    const float z = Dot(d, axes.forward);
    const float x = Dot(d, axes.right) / (z * aspect), y = Dot(d, axes.down) / z;
    tangents.push_back(z > 0 ? std::max(std::abs(x), std::abs(y)) : std::numeric_limits<float>::infinity());
    if (z > 0) places.push_back({x, y});
  }
  constexpr double kShare = 0.97;
  aim.tangent = NthOf(tangents, kShare);
  if (!std::isfinite(aim.tangent)) return aim;
  constexpr int kCells = 24;
  std::array<bool, kCells * kCells> covered{};
  for (const auto& [x, y] : places) {
    const float column = 0.5f * (x / std::max(aim.tangent, 1e-9f) + 1) * kCells;
    const float row = 0.5f * (y / std::max(aim.tangent, 1e-9f) + 1) * kCells;
    if (!(column >= 0 && column < kCells && row >= 0 && row < kCells)) continue;
    covered[static_cast<std::size_t>(row) * kCells + static_cast<std::size_t>(column)] = true;
  }
  aim.coverage = static_cast<float>(std::count(covered.begin(), covered.end(), true)) / covered.size();
  return aim;
}

constexpr float kNarrowest_deg = 10, kWidest_deg = 50, kMargin = 1.06f;

float OpeningOf(const Aim& aim) {
  return std::atan(kMargin * aim.tangent) * 360.0f / std::numbers::pi_v<float>;
}

CloudView Bounds(const std::vector<Point3f>& samples) {
  CloudView view;
  view.low = Percentiles(samples, 0.02);
  view.high = Percentiles(samples, 0.98);
  view.target = 0.5f * (view.low + view.high);
  return view;
}

// One point of each cell of a 64 x 64 x 64 grid over the box of all but the outermost points. Near surfaces,
// which have more points, then count no more than far ones.
std::vector<Point3f> Thinned(const std::vector<Point3f>& points) {
  constexpr int kCells = 64;
  const Point3f low = Percentiles(points, 0.005), high = Percentiles(points, 0.995);
  const auto cell = [&](float v, float from, float to) {
    return static_cast<int>(std::clamp((v - from) / std::max(to - from, 1e-6f), -0.01f, 1.01f) * kCells);
  };
  std::set<std::array<int, 3>> cells;
  std::vector<Point3f> thinned;
  for (const Point3f& p : points) {
    if (cells.insert({cell(p.x, low.x, high.x), cell(p.y, low.y, high.y), cell(p.z, low.z, high.z)}).second)
      thinned.push_back(p);
  }
  return thinned;
}

// Looks along one direction, from as far away as needed.
CloudView ViewAlong(const std::vector<Point3f>& samples, float aspect, Point3f away, Point3f up) {
  CloudView view = Bounds(samples);
  view.up = up;
  const Point3f middle = view.target;
  const float reach = std::max(Norm(view.high - view.low), 1e-3f);
  constexpr float kNearest = 0.8f, kFarthest = 6.0f, kStep = 1.08f, kCalm_deg = 30;
  for (float distance = kNearest; distance <= kFarthest; distance *= kStep) {
    const Point3f eye = middle + (distance * reach) * away;
    const Aim aim = AimAt(samples, eye, middle, up, aspect);
    // Shifted, not turned: a view from straight above stays one.
    view.eye = eye + (aim.target - middle);
    view.target = aim.target;
    view.vertical_fov_deg = std::clamp(OpeningOf(aim), kNarrowest_deg, kWidest_deg);
    if (OpeningOf(aim) <= kCalm_deg) break;
  }
  return view;
}

}  // namespace

CloudView FirstView(std::span<const Point3f> points, float aspect) {
  const std::vector<Point3f> samples = Sample(points);
  CloudView view = Bounds(samples);
  const bool in_front = view.low.z > 0;
  // The depth to look at is where most points are, not the middle of the range.
  if (in_front) view.target.z = Percentiles(samples, 0.5).z;
  const Point3f middle = view.target;
  const float reach = in_front ? middle.z : std::max(Norm(view.high - view.low), 1e-3f);

  // Chooses the distance from which the cloud covers most of the picture. Of two that cover the same, the
  // nearer one counts, because surfaces have fewer gaps there.
  constexpr float kNearest = 1.05f, kFarthest = 6.0f, kStep = 1.15f;
  constexpr std::array<float, 4> kElevations = {0.12f, 0.17f, 0.22f, 0.3f};
  float best = -2;
  for (float distance = kNearest; distance <= kFarthest; distance *= kStep) {
    for (const float elevation : kElevations) {
      const Point3f away = in_front ? Unit({0.12f, -elevation, -0.96f}) : Unit({0.3f, -0.4f, -0.85f});
      const Point3f eye = middle + (distance * reach) * away;
      const Aim aim = AimAt(samples, eye, middle, view.up, aspect);
      const float opening_deg = OpeningOf(aim);
      const bool fits = opening_deg <= kWidest_deg;
      const float worth = fits ? aim.coverage / std::pow(distance, 0.3f) : -1 / distance;
      if (worth <= best) continue;
      best = worth;
      view.eye = eye;
      view.target = aim.target;
      view.vertical_fov_deg = std::clamp(opening_deg, kNarrowest_deg, kWidest_deg);
    }
  }
  return view;
}

CloudView BirdsEyeView(std::span<const Point3f> points, float aspect) {
  const std::vector<Point3f> samples = Thinned(Sample(points));
  const CloudView bounds = Bounds(samples);
  const bool is_long = bounds.high.z - bounds.low.z > bounds.high.x - bounds.low.x;
  return ViewAlong(samples, aspect, {0, -1, 0},
                   is_long && aspect > 1.3f ? Point3f{-1, 0, 0} : Point3f{0, 0, 1});
}

CloudView SideView(std::span<const Point3f> points, float aspect) {
  return ViewAlong(Thinned(Sample(points)), aspect, {1, 0, 0}, {0, -1, 0});
}

bool IsOtherScene(const CloudView& shown, const CloudView& wanted) {
  const float before = Norm(shown.target - shown.eye), after = Norm(wanted.target - wanted.eye);
  constexpr float kNoticeable = 1.5f;
  return after > kNoticeable * before || before > kNoticeable * after ||
         Norm(wanted.target - shown.target) > 0.5f * before ||
         wanted.vertical_fov_deg > kNoticeable * shown.vertical_fov_deg ||
         shown.vertical_fov_deg > kNoticeable * wanted.vertical_fov_deg;
}

}  // namespace parallax::app
