// The pixels and the truth of every synthetic scene: other tests' numbers rest on them.
#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/synthetic/material.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/golden/golden.h"

namespace parallax {
namespace {

void ExpectGoldenFrame(const std::string& name, const StereoFrame& frame) {
  test::Hash left, right, truth;
  std::visit([&](const auto& image) { left.Add(image.ConstView()); }, frame.left);
  std::visit([&](const auto& image) { right.Add(image.ConstView()); }, frame.right);
  truth.Add(frame.truth->disparity.ConstView());
  truth.Add(frame.truth->nonoccluded.ConstView());
  truth.Add(frame.truth->objects.ConstView());
  test::ExpectGolden(name + ".left", left);
  test::ExpectGolden(name + ".right", right);
  test::ExpectGolden(name + ".truth", truth);
}

class GoldenScene : public testing::TestWithParam<const char*> {};

TEST_P(GoldenScene, GrayColourAndNoise) {
  const std::string scene = GetParam();
  const std::string size = ",width=161,height=83,seed=11,frames=2";
  ExpectGoldenFrame("synthetic." + scene + ".gray", test::RenderFrame(scene + size));
  ExpectGoldenFrame("synthetic." + scene + ".second", test::RenderFrame(scene + size + ",color=1", 1));
  ExpectGoldenFrame("synthetic." + scene + ".noisy",
                    test::RenderFrame(scene + size + ",noise=2.5,gain=0.9,offset=3,bits=16,doffs=-4.5"));
}

// From nearer than these scenes show it: every octave of its noise, marks, kerbs, pavements and lawns.
TEST(GoldenMaterial, AStreetFromNearby) {
  synthetic::Material street;
  street.dark = {48, 48, 50}, street.light = {136, 134, 130};
  street.pattern = synthetic::Pattern::kRoad;
  street.seed = 11;
  HostImage<Rgb8> colors(300, 60);
  for (int y = 0; y < colors.height(); ++y) {
    for (int x = 0; x < colors.width(); ++x) {
      synthetic::SurfacePoint point;
      point.local_m = {0.1 * x - 18, 0.07 * y, 0};
      point.footprint_m = point.footprint_u_m = point.footprint_v_m = 0.01;
      const synthetic::Color c = synthetic::ColorAt(street, point);
      const auto byte = [](float v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0F, 254.5F) + 0.5F); };
      colors(x, y) = {byte(c.r), byte(c.g), byte(c.b)};
    }
  }
  test::Hash hash;
  hash.Add(colors.ConstView());
  test::ExpectGolden("synthetic.street_from_nearby", hash);
}

INSTANTIATE_TEST_SUITE_P(Synthetic, GoldenScene,
                         testing::Values("planes", "slanted", "spheres", "boxes", "drive", "shift"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace parallax
