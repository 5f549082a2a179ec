// A street with two lanes, pavements, parked and moving cars, posts, trees, buildings and hills. It has no
// end: the seed and the number of a stretch determine what stands there.
#include <algorithm>
#include <cmath>

#include "datasets/synthetic/named_scenes.h"

namespace parallax::synthetic {
namespace {

constexpr double kCameraHeight_m = 1.65;  // y of the ground
constexpr double kSpeed_m = 0.8;          // forward, per frame
constexpr double kView_m = 150;           // objects farther ahead are left out (hills: twice that)
constexpr double kClearance_m = 2.7;      // nothing stands nearer to the camera's path on either side

Material Plain(Color dark, Color light, double cell_m, double contrast, double weak_share,
               std::uint64_t seed) {
  Material m;
  m.dark = dark;
  m.light = light;
  m.cell_m = cell_m;
  m.num_octaves = 8;
  m.contrast = contrast;
  m.weak_share = weak_share;
  m.seed = static_cast<std::uint32_t>(seed);
  return m;
}

class Street {
 public:
  Street(Scene& scene, std::uint64_t seed, double camera_z_m)
      : scene_(scene), seed_(seed), camera_z_m_(camera_z_m) {}

  void Ground() {
    Object o;
    o.center_m = {0, kCameraHeight_m, -camera_z_m_};
    o.axis[0] = {1, 0, 0}, o.axis[1] = {0, 0, 1}, o.axis[2] = {0, -1, 0};
    o.half_m = {800, camera_z_m_ + 1000, 0};
    o.material = Plain({48, 48, 50}, {136, 134, 130}, 0.9, 1.1, 0.35, seed_);
    o.material.num_octaves = 9;
    o.material.persistence = 0.98;
    o.material.pattern = Pattern::kRoad;
    scene_.objects.push_back(o);
  }

  // Calls place(number, z of the middle) for every stretch of the street that can be seen.
  template <typename F>
  void ForEachStretch(double length_m, double view_m, const F& place) {
    const auto first = static_cast<std::int64_t>(std::floor(camera_z_m_ / length_m));
    for (std::int64_t n = first; (static_cast<double>(n) + 0.5) * length_m < camera_z_m_ + view_m; ++n) {
      place(n, (static_cast<double>(n) + 0.5) * length_m);
    }
  }
  Random RandomOf(int kind, std::int64_t number, int side) const {
    return Random(DeriveSeed(DeriveSeed(DeriveSeed(seed_, kind), static_cast<std::uint64_t>(number)), side));
  }

  // Stands on the ground, or on something at the given height; z along the street.
  void Box(double x_m, double bottom_m, double z_m, Vector3 size_m, const Material& material, int id) {
    Object o;
    o.shape = Shape::kBox;
    o.center_m = {x_m, kCameraHeight_m - bottom_m - size_m.y / 2, z_m - camera_z_m_};
    o.half_m = 0.5 * size_m;
    o.material = material;
    o.id = static_cast<std::uint8_t>(id);
    if (o.center_m.z + o.half_m.z > 0) scene_.objects.push_back(o);
  }
  void Sphere(double x_m, double center_height_m, double z_m, double radius_m, const Material& material) {
    Object o;
    o.shape = Shape::kSphere;
    o.center_m = {x_m, kCameraHeight_m - center_height_m, z_m - camera_z_m_};
    o.half_m = {radius_m, radius_m, radius_m};
    o.material = material;
    if (o.center_m.z + radius_m > 0) scene_.objects.push_back(o);
  }

  void Car(double x_m, double z_m, int id, Random random) {
    Material paint = RandomMaterial(random, 0.7);
    paint.contrast = 0.8;  // smooth, but not free of texture
    paint.weak_share = 0.5;
    const Material glass = Plain({14, 18, 24}, {118, 130, 142}, 0.5, 1.2, 0.3, random.Next());
    const Material tyres = Plain({10, 10, 10}, {74, 72, 70}, 0.3, 1.3, 0.2, random.Next());
    Box(x_m, 0, z_m, {1.62, 0.4, 3.6}, tyres, id);
    Box(x_m, 0.3, z_m, {1.78, 0.62, 4.2}, paint, id);
    Box(x_m, 0.92, z_m - 0.2, {1.5, 0.5, 2.1}, glass, id);
    Box(x_m, 1.42, z_m - 0.2, {1.46, 0.06, 2.0}, paint, id);
  }

  void Tree(double x_m, double z_m, Random random) {
    const Material bark = Plain({30, 24, 18}, {128, 108, 86}, 0.3, 1.8, 0.1, random.Next());
    const double height_m = random.Uniform(2.4, 3.4), radius_m = random.Uniform(1.1, 1.7);
    Box(x_m, 0, z_m, {0.28, height_m, 0.28}, bark, 0);
    for (int i = 0; i < 3; ++i) {
      const Material leaves = Plain({14, 30, 10}, {142, 170, 84}, 0.8, 2.0, 0.05, random.Next());
      // Each number has its own statement: the order in which a call evaluates its arguments is not fixed.
      const double aside_m = random.Uniform(-0.6, 0.6), along_m = random.Uniform(-0.7, 0.7);
      const double up_m = random.Uniform(0.4, 1.6), size = random.Uniform(0.7, 1);
      Sphere(x_m + aside_m, height_m + up_m, z_m + along_m, radius_m * size, leaves);
    }
  }

  void Building(double face_x_m, int side, double z_m, double length_m, Random random) {
    Material wall = RandomMaterial(random, 2.4);
    wall.pattern = Pattern::kWindows;
    wall.contrast = random.Uniform(0.6, 1.5);
    wall.weak_share = random.Uniform(0.2, 0.6);
    const double depth_m = 9, storeys = random.Integer(2, 5);
    Box(face_x_m + side * depth_m / 2, 0, z_m, {depth_m, 3 * storeys + 0.6, length_m}, wall, 0);
  }

 private:
  Scene& scene_;
  std::uint64_t seed_;
  double camera_z_m_;
};

enum Kind { kParked = 1, kPost, kTree, kBuilding, kHill, kOncoming, kLeading };

void AddRoadside(Street& street, int side) {
  // The camera drives on the right: the left pavement is a lane farther away.
  const double lane_m = side < 0 ? 3.6 : 0;
  const int side_index = side < 0 ? 0 : 1;
  street.ForEachStretch(7, kView_m, [&](std::int64_t n, double z_m) {
    Random random = street.RandomOf(kParked, n, side_index);
    const int id = static_cast<int>(10 + (2 * n + side_index) % 240);
    if (!random.Chance(0.45)) return;
    const double along_m = random.Uniform(-1, 1);
    street.Car(side * (lane_m + 3.75), z_m + along_m, id, random);
  });
  street.ForEachStretch(26, kView_m, [&](std::int64_t n, double z_m) {
    Random random = street.RandomOf(kPost, n, side_index);
    const Material iron = Plain({44, 48, 48}, {150, 152, 148}, 0.25, 1.4, 0.2, random.Next());
    const double along_m = random.Uniform(-4, 4), height_m = random.Uniform(3, 6.5);
    street.Box(side * (lane_m + 2.85), 0, z_m + along_m, {0.14, height_m, 0.14}, iron, 0);
  });
  street.ForEachStretch(17, kView_m, [&](std::int64_t n, double z_m) {
    const Random random = street.RandomOf(kTree, n, side_index);
    if (Random(random).Chance(0.6)) street.Tree(side * (lane_m + 6.4), z_m, random);
  });
  street.ForEachStretch(18, kView_m, [&](std::int64_t n, double z_m) {
    Random random = street.RandomOf(kBuilding, n, side_index);
    if (random.Chance(0.12)) return;  // a gap
    const double face_m = lane_m + 9 + random.Uniform(0, 2), length_m = random.Uniform(13, 18);
    street.Building(side * face_m, side, z_m, length_m, random);
  });
  street.ForEachStretch(40, 2 * kView_m, [&](std::int64_t n, double z_m) {
    Random random = street.RandomOf(kHill, n, side_index);
    const double radius_m = random.Uniform(20, 34), aside_m = radius_m + random.Uniform(16, 50);
    const Material wood = Plain({24, 38, 28}, {122, 140, 96}, 9, 2, 0.1, random.Next());
    street.Sphere(side * aside_m, -0.45 * radius_m, z_m, radius_m, wood);
  });
}

}  // namespace

Scene BuildDrive(const SyntheticSpec& spec, int frame) {
  Scene scene;
  // KITTI's rig: focal length and principal point in proportion to the image, cameras 0.53 m apart.
  StereoRig& rig = scene.rig;
  rig.fx_px = 721.5377 / 1242 * spec.width;
  rig.cx_px = 609.5593 / 1242 * spec.width;
  rig.cy_px = 172.854 / 375 * spec.height;
  rig.doffs_px = spec.doffs;
  // The nearest visible point: the ground at the bottom, or an object next to the path at the edge of the
  // image.
  const double widest_px = std::max(rig.cx_px, spec.width - rig.cx_px) + 1;
  const double lowest_px = std::max(1.0, spec.height - rig.cy_px);
  const double nearest_m = rig.fx_px * std::min(kClearance_m / widest_px, kCameraHeight_m / lowest_px);
  rig.baseline_m = std::min(0.5327, 0.99 * spec.disparities * nearest_m / rig.fx_px);

  const auto seed = static_cast<std::uint64_t>(spec.seed);
  const double camera_z_m = kSpeed_m * frame;
  Street street(scene, seed, camera_z_m);
  scene.sky.seed = static_cast<std::uint32_t>(DeriveSeed(seed, 99));
  street.Ground();
  AddRoadside(street, -1);
  AddRoadside(street, 1);
  // One car ahead, drawing away; others come towards us, as fast as we go.
  street.Car(0.1, 15 + camera_z_m + 0.15 * frame, 1, street.RandomOf(kLeading, 0, 0));
  for (int n = 0; n < 8; ++n) {
    const Random random = street.RandomOf(kOncoming, n, 0);
    const double spacing_m = 38, cycle_m = 8 * spacing_m;
    double ahead_m = 30 + n * spacing_m + Random(random).Uniform(-8, 8) - 2 * camera_z_m;
    ahead_m -= cycle_m * std::floor((ahead_m + 10) / cycle_m);  // who has passed comes again from afar
    if (ahead_m < kView_m) street.Car(-3.62, camera_z_m + ahead_m, 2 + n, random);
  }
  return scene;
}

}  // namespace parallax::synthetic
