// What every preset makes of a synthetic street, to the bit, and of images that tell it little.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "config/parameters_yaml.h"
#include "config/presets.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/golden/golden.h"
#include "tests/golden/preset_names.h"

namespace parallax {
namespace {

Parameters PresetOfFewDisparities(const std::string& name) {
  Parameters parameters = LoadParameters(name);
  parameters.matching_cost.num_disparities = 48;
  return parameters;
}

class GoldenPreset : public testing::TestWithParam<PresetFile> {};

TEST_P(GoldenPreset, OfAStreet) {
  if (GetParam().is_for_task) GTEST_SKIP() << "task_presets_test.cpp has it";
  const std::string name(GetParam().name);
  const StereoFrame frame = test::RenderFrame("drive,width=161,height=83,seed=11,noise=2");
  const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
  const MatcherOptions options{.width = WidthOf(left), .height = HeightOf(left)};
  const Parameters parameters = PresetOfFewDisparities(name);
  const bool is_sgm = parameters.method == Method::kSgm;
  for (const auto make : {is_sgm ? &MakeReferenceMatcher : &MakeReferenceAdCensusMatcher,
                          is_sgm ? &MakeCpuMatcher : &MakeCpuAdCensusMatcher}) {
    DisparityMap map;
    make(parameters, options)->Compute(left, right, map, nullptr, nullptr);
    test::ExpectGolden("preset." + name, test::HashOf(map));
  }
}

using GrayImage = HostImage<std::uint8_t>;

DisparityMap Match(const std::string& preset, const GrayImage& left, const GrayImage& right) {
  DisparityMap map;
  const Parameters parameters = PresetOfFewDisparities(preset);
  const auto make = parameters.method == Method::kSgm ? &MakeCpuMatcher : &MakeCpuAdCensusMatcher;
  make(parameters, {.width = left.width(), .height = left.height()})
      ->Compute(left.ConstView(), right.ConstView(), map, nullptr, nullptr);
  return map;
}

GrayImage Noise(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  GrayImage image(width, height);
  for (int y = 0; y < height; ++y) {
    std::generate_n(image.Row(y), width, [&] { return static_cast<std::uint8_t>(random() >> 24); });
  }
  return image;
}

double MeanConfidence(const DisparityMap& map) {
  double sum = 0;
  for (int y = 0; y < map.confidence.height(); ++y) {
    for (int x = 0; x < map.confidence.width(); ++x) sum += map.confidence(x, y);
  }
  return sum / (map.confidence.width() * map.confidence.height());
}

// Confidence is low where nothing can be known, and high where it can.
TEST_P(GoldenPreset, IsLessSureOfChance) {
  const std::string name(GetParam().name);
  const GrayImage left = Noise(97, 41, 1);
  const double of_chance = MeanConfidence(Match(name, left, Noise(97, 41, 2)));
  const double of_equal = MeanConfidence(Match(name, left, left));
  EXPECT_LT(of_chance, 0.4 * of_equal) << name;
}

TEST_P(GoldenPreset, FillsConstantImages) {
  if (!LoadParameters(std::string(GetParam().name)).filter.fill) GTEST_SKIP() << "this preset fills nothing";
  for (const int gray : {0, 128, 255}) {
    const GrayImage constant(97, 41, static_cast<std::uint8_t>(gray));
    const DisparityMap map = Match(std::string(GetParam().name), constant, constant);
    for (int y = 0; y < 41; ++y) {
      for (int x = 0; x < 97; ++x) ASSERT_TRUE(std::isfinite(map.disparity(x, y))) << x << " " << y;
    }
  }
}

// Confidence is also low for an image paired with a constant one: all its disparities are equally good.
TEST_P(GoldenPreset, ClaimsNothingOfConstantImages) {
  const GrayImage constant(97, 41, 128), textured = Noise(97, 41, 4);
  const std::string name(GetParam().name);
  EXPECT_EQ(MeanConfidence(Match(name, constant, constant)), 0);
  EXPECT_EQ(MeanConfidence(Match(name, constant, textured)), 0);
  EXPECT_EQ(MeanConfidence(Match(name, textured, constant)), 0);
}

TEST_P(GoldenPreset, TakesImagesOfAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {5, 3}, {50, 2}}) {
    const GrayImage image = Noise(width, height, 3);
    const DisparityMap map = Match(std::string(GetParam().name), image, image);
    EXPECT_EQ(map.disparity.width(), width);
    EXPECT_EQ(map.disparity.height(), height);
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, GoldenPreset, testing::ValuesIn(Presets().begin(), Presets().end()),
                         TestNameOf);

}  // namespace
}  // namespace parallax
