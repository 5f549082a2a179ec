// The pixels and the truth of every synthetic scene: other tests' numbers rest on them.
#include <gtest/gtest.h>

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

INSTANTIATE_TEST_SUITE_P(Synthetic, GoldenScene,
                         testing::Values("planes", "slanted", "spheres", "boxes", "drive", "shift"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace parallax
