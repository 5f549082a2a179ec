// What a Matcher by the presets by task makes of a street that is driven along: with their filters over space and
// time.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "config/presets.h"
#include "parallax/matcher.h"
#include "tests/datasets/synthetic_frames.h"
#include "tests/golden/golden.h"
#include "tests/golden/preset_names.h"

namespace parallax {
namespace {

std::vector<PresetFile> TaskPresets() {
  std::vector<PresetFile> presets;
  std::copy_if(Presets().begin(), Presets().end(), std::back_inserter(presets),
               [](const PresetFile& preset) { return preset.is_for_task; });
  return presets;
}

class GoldenTaskPreset : public testing::TestWithParam<PresetFile> {};

TEST_P(GoldenTaskPreset, OfThreeFramesOfAStreet) {
  const std::string name(GetParam().name);
  Parameters parameters = Preset(name);
  parameters.matching_cost.num_disparities = 48;
  for (const char* backend : {"reference", "cpu"}) {
    Matcher matcher(parameters, {.backend = backend});
    test::Hash hash;
    for (int i = 0; i < 3; ++i) {
      const StereoFrame frame = test::RenderFrame("drive,width=161,height=83,seed=11,noise=2,frames=3", i);
      const MatchResult map = matcher.Compute(ViewOf(frame.left), ViewOf(frame.right), *frame.rig);
      hash.Add(map.disparity.ConstView());
      hash.Add(map.validity.ConstView());
      hash.Add(map.confidence.ConstView());
    }
    test::ExpectGolden("task." + name, hash);
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, GoldenTaskPreset, testing::ValuesIn(TaskPresets()), TestNameOf);

}  // namespace
}  // namespace parallax
