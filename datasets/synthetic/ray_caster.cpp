#include "datasets/synthetic/ray_caster.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "datasets/synthetic/random.h"

namespace parallax::synthetic {
namespace {

// Pixels of one camera that an object may cover, and its least depth; the ray caster tests no others for a block of a
// row.
struct PixelBounds {
  double left, right, top, bottom, nearest_m;
};

constexpr int kBlock_px = 8;
constexpr PixelBounds kEverywhere{-HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL, 0};

PixelBounds Project(const Object& o, const StereoRig& rig, double camera_x_m, double cx_px) {
  PixelBounds bounds{HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL};
  const Vector3 half = o.shape == Shape::kSphere ? Vector3{o.half_m.x, o.half_m.x, o.half_m.x} : o.half_m;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 p = o.center_m + (corner & 1 ? half.x : -half.x) * o.axis[0] +
                      (corner & 2 ? half.y : -half.y) * o.axis[1] +
                      (corner & 4 ? half.z : -half.z) * o.axis[2];
    if (!(p.z > 1e-3)) return kEverywhere;  // reaches beside or behind the camera
    const double x = (p.x - camera_x_m) / p.z * rig.fx_px + cx_px, y = p.y / p.z * rig.fx_px + rig.cy_px;
    bounds = {std::min(bounds.left, x), std::max(bounds.right, x), std::min(bounds.top, y),
              std::max(bounds.bottom, y), std::min(bounds.nearest_m, p.z)};
  }
  bounds.nearest_m *= 1 - 1e-9;  // a hit's depth is rounded
  return bounds;
}

// One camera of the pair, with the objects it may see in each place.
class View {
 public:
  View(const Scene& scene, Camera camera)
      : scene_(scene),
        position_m_{camera == Camera::kLeft ? 0 : scene.rig.baseline_m, 0, 0},
        cx_px_(scene.rig.cx_px + (camera == Camera::kLeft ? 0 : scene.rig.doffs_px)) {
    for (const Object& o : scene.objects) {
      bounds_.push_back(Project(o, scene.rig, position_m_.x, cx_px_));
      origins_.push_back(OriginFor(o, position_m_));
    }
  }

  // Direction with z = 1, so that t of a hit is its depth.
  Vector3 Direction(double x, double y) const {
    return {(x - cx_px_) / scene_.rig.fx_px, (y - scene_.rig.cy_px) / scene_.rig.fx_px, 1};
  }
  Vector3 position_m() const { return position_m_; }

  // Objects that may be seen within half a pixel (and rounding) of row y; those of them in the block of pixels
  // that begins at x.
  void CandidatesInRow(int y, std::vector<int>& candidates) const {
    candidates.clear();
    for (int i = 0; i < static_cast<int>(bounds_.size()); ++i) {
      if (bounds_[i].top <= y + 0.51 && bounds_[i].bottom >= y - 0.51) candidates.push_back(i);
    }
  }
  void CandidatesAt(int x, const std::vector<int>& row, std::vector<int>& candidates) const {
    candidates.clear();
    for (const int i : row) {
      if (bounds_[i].left <= x + kBlock_px - 0.49 && bounds_[i].right >= x - 0.51) candidates.push_back(i);
    }
  }

  // The nearest object along the ray.
  std::optional<Hit> Cast(Vector3 direction, const std::vector<int>& candidates) const {
    std::optional<Hit> nearest;
    for (const int i : candidates) {
      const double until = nearest ? nearest->t : HUGE_VAL;
      if (bounds_[i].nearest_m > until) continue;
      if (const auto hit = Intersect(scene_.objects[i], origins_[i], direction, 0, until))
        nearest = Hit{hit->t, i, hit->face};
    }
    return nearest;
  }

  // Whether this camera sees `point`, which a ray of the left camera hit: the surface faces this camera, and no
  // other object lies between. x: the column of its image where the point would appear. row: what may appear there.
  bool Sees(Vector3 point, const Hit& hit, double x, const std::vector<int>& row) const {
    const Vector3 towards = position_m_ - point;
    // The objects are convex: one hides its own surface only where that turns away from the camera.
    const Vector3 normal = NormalAt(scene_.objects[hit.object], point, hit.face);
    if (Dot(normal, -point) * Dot(normal, towards) <= 0) return false;
    return std::none_of(row.begin(), row.end(), [&](int i) {
      return i != hit.object && bounds_[i].left <= x + 0.51 && bounds_[i].right >= x - 0.51 &&
             Intersect(scene_.objects[i], OriginFor(scene_.objects[i], point), towards, 1e-9, 1);
    });
  }

 private:
  const Scene& scene_;
  Vector3 position_m_;
  double cx_px_;
  std::vector<PixelBounds> bounds_;
  std::vector<Vector3> origins_;  // position_m_ for each object
};

Color SkyColor(const Sky& sky, Vector3 direction) {
  // A function of the direction only: infinitely far away, both cameras see the same.
  const double height = std::clamp(-direction.y * 2.5, 0.0, 1.0);
  const double cloud = ValueNoise(direction.x * 4, direction.y * 14, sky.seed) * 0.6 +
                       ValueNoise(direction.x * 11, direction.y * 37, sky.seed + 1) * 0.3 +
                       ValueNoise(direction.x * 29, direction.y * 71, sky.seed + 2) * 0.1;
  const double white = std::clamp((cloud - 0.45) * 2.5, 0.0, 1.0);
  const auto mix = [&](float low, float high) {
    const double blue = low + (high - low) * height;
    return static_cast<float>(blue + (236 - blue) * white);
  };
  return {mix(sky.horizon.r, sky.zenith.r), mix(sky.horizon.g, sky.zenith.g),
          mix(sky.horizon.b, sky.zenith.b)};
}

Color SurfaceColor(const Scene& scene, const Object& object, Vector3 point, std::uint32_t face) {
  const Vector3 normal = NormalAt(object, point, face);
  SurfacePoint surface = SurfaceAt(object, point, face);
  // One pixel step along x and y, on the tangent plane. Seen from midway between the cameras, so that the
  // texture's detail is the same function of the place for both.
  const double depth_m = std::max(point.z, 1e-6), step_m = depth_m / scene.rig.fx_px;
  const Vector3 ray = (1 / depth_m) * (point - Vector3{scene.rig.baseline_m / 2, 0, 0});
  const double towards = Dot(normal, ray);
  const double grazing = std::copysign(std::max(std::fabs(towards), 0.004), towards);
  const Vector3 dx = step_m * (Vector3{1, 0, 0} - (normal.x / grazing) * ray);
  const Vector3 dy = step_m * (Vector3{0, 1, 0} - (normal.y / grazing) * ray);
  surface.footprint_m = std::max(Length(dx), Length(dy));
  Vector3 u = object.axis[0], v = object.axis[1];
  if (object.shape == Shape::kBox && face / 2 == 0) u = object.axis[2];
  if (object.shape == Shape::kBox && face / 2 == 1) v = object.axis[2];
  surface.footprint_u_m = std::fabs(Dot(dx, u)) + std::fabs(Dot(dy, u));
  surface.footprint_v_m = std::fabs(Dot(dx, v)) + std::fabs(Dot(dy, v));

  const Color albedo = ColorAt(object.material, surface);
  constexpr Vector3 kToLight{-0.48, -0.8, -0.36};
  const double facing = Dot(towards > 0 ? -normal : normal, kToLight);  // rectangles have two sides
  const auto light = static_cast<float>(0.62 + 0.38 * std::max(0.0, facing));
  return {albedo.r * light, albedo.g * light, albedo.b * light};
}

Color ColorOf(const Scene& scene, const View& view, Vector3 direction, const std::optional<Hit>& hit) {
  if (!hit) return SkyColor(scene.sky, direction);
  return SurfaceColor(scene, scene.objects[hit->object], view.position_m() + hit->t * direction, hit->face);
}

// Sums colours in double, in the order they come.
class ColorMean {
 public:
  void Add(Color c) { r_ += c.r, g_ += c.g, b_ += c.b, ++count_; }
  Color Get() const {
    return {static_cast<float>(r_ / count_), static_cast<float>(g_ / count_),
            static_cast<float>(b_ / count_)};
  }

 private:
  double r_ = 0, g_ = 0, b_ = 0;
  int count_ = 0;
};

// One pixel. All its rays decide what is seen; where they all see the same face, whose texture holds nothing
// finer than a pixel, 2 x 2 of them are enough for the colour.
class PixelSampler {
 public:
  PixelSampler(const Scene& scene, const View& view, int samples)
      : scene_(scene), view_(view), samples_(samples), hits_(static_cast<std::size_t>(samples) * samples) {}

  Color Sample(int x, int y, const std::vector<int>& candidates) {
    bool uniform = true;
    std::size_t k = 0;
    for (int j = 0; j < samples_; ++j) {
      for (int i = 0; i < samples_; ++i, ++k) {
        hits_[k] = view_.Cast(DirectionOf(x, y, i, j, samples_), candidates);
        uniform &= hits_[k].has_value() == hits_[0].has_value() &&
                   (!hits_[k] || (hits_[k]->object == hits_[0]->object && hits_[k]->face == hits_[0]->face));
      }
    }
    ColorMean mean;
    const int n = uniform ? std::min(samples_, 2) : samples_;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const Vector3 direction = DirectionOf(x, y, i, j, n);
        if (n == samples_) {
          mean.Add(ColorOf(scene_, view_, direction, hits_[static_cast<std::size_t>(j) * samples_ + i]));
        } else {
          mean.Add(ColorOf(scene_, view_, direction, view_.Cast(direction, candidates)));
        }
      }
    }
    return mean.Get();
  }

 private:
  Vector3 DirectionOf(int x, int y, int i, int j, int n) const {
    return view_.Direction(x + (i + 0.5) / n - 0.5, y + (j + 0.5) / n - 0.5);
  }
  const Scene& scene_;
  const View& view_;
  int samples_;
  std::vector<std::optional<Hit>> hits_;
};

}  // namespace

HostImage<Color> RenderView(const Scene& scene, Camera camera, int width, int height, int samples,
                            ThreadPool& pool) {
  const View view(scene, camera);
  HostImage<Color> image(width, height);
  pool.ParallelFor(height, [&](int y) {
    std::vector<int> in_row, candidates;
    PixelSampler sampler(scene, view, samples);
    view.CandidatesInRow(y, in_row);
    for (int x = 0; x < width; ++x) {
      if (x % kBlock_px == 0) view.CandidatesAt(x, in_row, candidates);
      image(x, y) = sampler.Sample(x, y, candidates);
    }
  });
  return image;
}

GroundTruth RenderTruth(const Scene& scene, int width, int height, ThreadPool& pool) {
  const View view(scene, Camera::kLeft), right(scene, Camera::kRight);
  const double fb = scene.rig.fx_px * scene.rig.baseline_m;
  GroundTruth truth{HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
                    HostImage<std::uint8_t>(width, height)};
  pool.ParallelFor(height, [&](int y) {
    std::vector<int> in_row, in_right_row, candidates;
    view.CandidatesInRow(y, in_row);
    right.CandidatesInRow(y, in_right_row);
    for (int x = 0; x < width; ++x) {
      if (x % kBlock_px == 0) view.CandidatesAt(x, in_row, candidates);
      const Vector3 direction = view.Direction(x, y);
      const auto hit = view.Cast(direction, candidates);
      if (!hit) {
        truth.disparity(x, y) = std::numeric_limits<float>::quiet_NaN();
        truth.nonoccluded(x, y) = truth.objects(x, y) = 0;
        continue;
      }
      const double disparity_px = fb / hit->t - scene.rig.doffs_px, x_right_px = x - disparity_px;
      const bool inside = x_right_px >= 0 && x_right_px <= width - 1;
      truth.disparity(x, y) = static_cast<float>(disparity_px);
      truth.nonoccluded(x, y) =
          inside && right.Sees(hit->t * direction, *hit, x_right_px, in_right_row) ? 255 : 0;
      truth.objects(x, y) = scene.objects[hit->object].id;
    }
  });
  return truth;
}

}  // namespace parallax::synthetic
