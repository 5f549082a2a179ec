#include "datasets/synthetic/named_scenes.h"

#include <algorithm>
#include <cmath>

#include "parallax/error.h"

namespace parallax::synthetic {
namespace {

// The field of view of KITTI's cameras, at any image size.
constexpr double kFocalPerWidth = 721.5377 / 1242;
constexpr double kBaseline_m = 0.54;
constexpr double kBoundless_px = 1e6;

StereoRig CentredRig(const SyntheticSpec& spec) {
  StereoRig rig;
  rig.fx_px = kFocalPerWidth * spec.width;
  rig.cx_px = (spec.width - 1) / 2.0;
  rig.cy_px = (spec.height - 1) / 2.0;
  rig.baseline_m = kBaseline_m;
  rig.doffs_px = spec.doffs;
  return rig;
}

// Disparities below are "full": d + doffs, f b / Z.
double DepthOf(const StereoRig& rig, double full_disparity_px) {
  return rig.fx_px * rig.baseline_m / full_disparity_px;
}

// Shrinks an object until no corner of it is nearer than the largest disparity allows.
void KeepFarEnough(Object& o, const StereoRig& rig, double max_full_disparity_px) {
  const double nearest_m = DepthOf(rig, max_full_disparity_px);
  while (true) {
    const double reach = o.shape == Shape::kSphere
                             ? o.half_m.x
                             : std::fabs(o.axis[0].z) * o.half_m.x + std::fabs(o.axis[1].z) * o.half_m.y +
                                   (o.shape == Shape::kBox ? std::fabs(o.axis[2].z) * o.half_m.z : 0);
    if (o.center_m.z - reach >= nearest_m) return;
    o.half_m = 0.8 * o.half_m;
  }
}

void TurnAnyhow(Object& o, Random& random) {
  // A rotation from a random quaternion; near-zero ones would lose its direction.
  double w = 0, x = 0, y = 0, z = 0, norm = 0;
  while (norm < 0.1) {
    w = random.Uniform(-1, 1), x = random.Uniform(-1, 1), y = random.Uniform(-1, 1),
    z = random.Uniform(-1, 1);
    norm = w * w + x * x + y * y + z * z;
  }
  const double s = 2 / norm;
  o.axis[0] = {1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
  o.axis[1] = {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)};
  o.axis[2] = {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)};
}

// Puts objects before the background. Their disparities rise from object to object, their sizes fall.
class Arranger {
 public:
  Arranger(const SyntheticSpec& spec, Scene& scene, Random& random)
      : spec_(spec), scene_(scene), random_(random) {}

  void Background(double full_disparity_px, double slope_x, double slope_y) {
    const StereoRig& rig = scene_.rig;
    Object o = RectangleOfDisparity(rig, rig.cx_px, rig.cy_px, full_disparity_px - rig.doffs_px, slope_x,
                                    slope_y, kBoundless_px, kBoundless_px);
    o.material = RandomMaterial(random_, MetresOf(40, full_disparity_px));
    o.material.weak_share = 0.1;
    o.material.num_octaves = 8;  // slanted: its near end needs finer ones
    scene_.objects.push_back(o);
  }

  void Add(int index, int count) {
    const StereoRig& rig = scene_.rig;
    const double order = (index + random_.Uniform(0, 1)) / count;  // 0 far .. 1 near
    const double full_px = spec_.disparities * (0.25 + 0.6 * order);
    const double x_px = random_.Uniform(0.03, 0.97) * spec_.width,
                 y_px = random_.Uniform(0.05, 0.95) * spec_.height;
    const double size = 1 - 0.5 * order;
    double half_width_px = size * random_.Uniform(0.06, 0.17) * spec_.width;
    double half_height_px = size * random_.Uniform(0.08, 0.22) * spec_.height;
    const bool planes = spec_.scene == "planes";
    if (planes && index % 4 == 3) half_width_px = 0.007 * spec_.width, half_height_px *= 2;  // a post
    Object o;
    if (planes || spec_.scene == "slanted") {
      const double tilt = planes ? 0 : 0.12 * spec_.disparities;
      const double slope_x = random_.Uniform(-tilt, tilt) / half_width_px;
      const double slope_y = random_.Uniform(-tilt, tilt) / half_height_px;
      o = RectangleOfDisparity(rig, x_px, y_px, full_px - rig.doffs_px, slope_x, slope_y, half_width_px,
                               half_height_px);
    } else {
      const double depth_m = DepthOf(rig, full_px), m_per_px = depth_m / rig.fx_px;
      o.center_m = {(x_px - rig.cx_px) * m_per_px, (y_px - rig.cy_px) * m_per_px, depth_m};
      const double side_m = std::min(half_width_px, half_height_px) * m_per_px;
      if (spec_.scene == "spheres") {
        o.shape = Shape::kSphere;
        o.half_m = {side_m, side_m, side_m};
      } else {
        o.shape = Shape::kBox;
        o.half_m = {side_m * random_.Uniform(0.6, 1.4), side_m * random_.Uniform(0.6, 1.4), side_m};
        TurnAnyhow(o, random_);
      }
    }
    KeepFarEnough(o, rig, 0.97 * spec_.disparities);
    o.material = RandomMaterial(random_, MetresOf(random_.Uniform(14, 40), full_px));
    if (planes && index % 4 == 2) {
      o.material.pattern = Pattern::kStripes;
      o.material.pattern_pitch_m = MetresOf(9, full_px);
    }
    o.id = static_cast<std::uint8_t>(index + 1);
    scene_.objects.push_back(o);
  }

 private:
  double MetresOf(double pixels, double full_disparity_px) const {
    return pixels * DepthOf(scene_.rig, full_disparity_px) / scene_.rig.fx_px;
  }
  const SyntheticSpec& spec_;
  Scene& scene_;
  Random& random_;
};

}  // namespace

Material RandomMaterial(Random& random, double cell_m) {
  struct Pair {
    Color dark, light;
  };
  static constexpr Pair kPairs[] = {{{44, 40, 36}, {216, 206, 190}}, {{62, 30, 22}, {222, 160, 122}},
                                    {{24, 44, 34}, {164, 204, 150}}, {{22, 34, 60}, {160, 194, 226}},
                                    {{66, 54, 18}, {238, 216, 132}}, {{50, 28, 54}, {206, 164, 210}},
                                    {{12, 14, 18}, {128, 134, 140}}, {{104, 100, 96}, {246, 242, 236}}};
  const Pair& pair = kPairs[random.Integer(0, std::size(kPairs) - 1)];
  Material m;
  m.dark = pair.dark;
  m.light = pair.light;
  m.cell_m = cell_m;
  m.num_octaves = 7;
  m.persistence = random.Uniform(0.75, 1.0);
  m.contrast = random.Uniform(1.2, 2.2);
  m.weak_share = random.Uniform(0.05, 0.35);
  m.seed = static_cast<std::uint32_t>(random.Next());
  return m;
}

Scene BuildScene(const SyntheticSpec& spec, int frame) {
  if (spec.scene == "drive") return BuildDrive(spec, frame);
  Random random(DeriveSeed(static_cast<std::uint64_t>(spec.seed), static_cast<std::uint64_t>(frame)));
  Scene scene;
  scene.rig = CentredRig(spec);
  Arranger arrange(spec, scene, random);
  const double full_px = spec.disparities;
  if (spec.scene == "shift") {
    if (spec.shift + scene.rig.doffs_px <= 0)
      scene.rig.doffs_px = 1.0 - spec.shift;  // keeps the depth positive
    arrange.Background(spec.shift + scene.rig.doffs_px, 0, 0);
    return scene;
  }
  int count = 0;
  if (spec.scene == "planes") {
    arrange.Background(full_px * random.Uniform(0.08, 0.16), 0, 0);
    count = 11;
  } else {
    const auto slope = [&] { return random.Uniform(0.1, 0.3) * (random.Chance(0.5) ? 1 : -1); };
    const double slope_x = slope() * full_px / spec.width, slope_y = slope() * full_px / spec.height;
    arrange.Background(full_px * 0.35, slope_x, slope_y);
    count = spec.scene == "slanted" ? 6 : 9;
  }
  if (spec.objects >= 0) count = spec.objects;
  for (int i = 0; i < count; ++i) arrange.Add(i, count);
  return scene;
}

}  // namespace parallax::synthetic
