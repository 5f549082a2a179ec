// What the matcher makes of every synthetic scene, to the bit: back ends are compared with each other
// elsewhere, here with what they gave when the hashes were written.
#include <gtest/gtest.h>

#include "pipeline/cpu/cpu_matcher.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/golden/golden.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

void ExpectGoldenMatch(const std::string& name, const StereoFrame& frame, const Parameters& parameters) {
  const CameraImageView left = ViewOf(frame.left), right = ViewOf(frame.right);
  const MatcherOptions options{.width = WidthOf(left), .height = HeightOf(left)};
  for (const auto make : {&MakeReferenceMatcher, &MakeCpuMatcher}) {
    DisparityMap map;
    make(parameters, options)->Compute(left, right, map, nullptr, nullptr);
    test::ExpectGolden(name, test::HashOf(map));
  }
}

class GoldenMatch : public testing::TestWithParam<const char*> {};

TEST_P(GoldenMatch, ThreeSetsOfParameters) {
  const std::string scene = GetParam();
  const StereoFrame gray = test::RenderFrame(scene + ",width=161,height=83,seed=11");
  const StereoFrame color = test::RenderFrame(scene + ",width=161,height=83,seed=11,color=1,noise=2");
  Parameters parameters = test::PlainParameters();
  parameters.matching_cost.num_disparities = 64;
  ExpectGoldenMatch("match." + scene + ".default", gray, parameters);
  parameters.census_transform.window = CensusWindow::k9x7;
  parameters.matching_cost.min_disparity = -3;
  parameters.matching_cost.num_disparities = 50;
  parameters.aggregation = {.num_paths = 4,
                            .p1 = 16,
                            .p2 = 100,
                            .p2_min = 30,
                            .p2_slope = 3.0F,
                            .p1_ground_percent = 100,
                            .p2_vertical_percent = 100};
  parameters.selection = {.uniqueness_percent = 5, .subpixel = Subpixel::kParabola};
  parameters.filter = {.speckle_size = 40, .speckle_range = 1.0F, .fill = false, .median = 5};
  ExpectGoldenMatch("match." + scene + ".four_paths", color, parameters);
  Parameters all_terms = test::PlainParameters();
  all_terms.census_transform.window = CensusWindow::kTwoScale;
  all_terms.matching_cost = {
      .num_disparities = 64, .gradient_weight = 2, .gradient_cap = 10, .even_percent = 100};
  all_terms.aggregation = {.p1 = 10,
                           .p2 = 98,
                           .p2_min = 30,
                           .p2_slope = 1.0F,
                           .p1_ground_percent = 67,
                           .p2_vertical_percent = 130};
  ExpectGoldenMatch("match." + scene + ".all_terms", gray, all_terms);
  all_terms.matching_cost.even_percent = 33;
  all_terms.matching_cost.even_below = 8;
  ExpectGoldenMatch("match." + scene + ".even", gray, all_terms);
}

INSTANTIATE_TEST_SUITE_P(Synthetic, GoldenMatch,
                         testing::Values("planes", "slanted", "spheres", "boxes", "drive", "shift"),
                         [](const auto& scene) { return std::string(scene.param); });

}  // namespace
}  // namespace parallax
