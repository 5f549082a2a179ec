// parallax run with the temporal filter: what it makes of a scene that stands still and of a street that is
// driven along, compared with the same run without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "datasets/formats/pfm.h"
#include "tests/support/plain_temporal_filter.h"
#include "tests/support/run_program.h"

namespace parallax::test {
namespace {

namespace fs = std::filesystem;
using Maps = std::vector<HostImage<float>>;

class TemporalRun : public ::testing::Test {
 protected:
  // The maps before holes are filled and smoothed, in their order.
  Maps MapsOf(const std::string& scene, std::vector<std::string> settings) const {
    settings.insert(settings.end(), {"filter.median=0", "refinement.smoothing_passes=0"});
    return UnfilledMapsOf("default", scene, std::move(settings));
  }

  // The maps as the preset smooths them, in their order, with the holes that it would fill.
  Maps UnfilledMapsOf(const std::string& preset, const std::string& scene,
                      std::vector<std::string> settings) const {
    const fs::path out = folder_.path() / "out";
    std::vector<std::string> arguments{"run",  "synthetic:" + scene, "--write",    "pfm",        "--config",
                                       preset, "--output",           out.string(), "--overwrite"};
    settings.insert(settings.end(), {"filter.fill=false", "refinement.planes=false"});
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const ProgramResult result = RunParallax(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
      if (entry.path().extension() == ".pfm") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    Maps maps;
    for (const fs::path& file : files) maps.push_back(ReadPfm(file));
    return maps;
  }

  TemporaryFolder folder_;
};

std::string StillScene(const std::string& name, const std::string& noise) {
  return name + ",still=1,frames=50,width=160,height=96,samples=1,seed=3,noise=" + noise;
}

// Of each pixel over the frames from the tenth on.
struct StillFigures {
  double noise_px = 0;  // standard deviation, the median of the pixels
  double holes = 0;     // frames without a value, of those pixels that have one in half the frames at least
};
StillFigures FiguresOf(const Maps& maps, const Maps& raw) {
  constexpr std::size_t kBegin = 10;
  std::vector<double> deviations;
  StillFigures figures;
  for (int y = 0; y < raw[0].height(); ++y) {
    for (int x = 0; x < raw[0].width(); ++x) {
      double n = 0, sum = 0, squares = 0, num_raw = 0;
      for (std::size_t t = kBegin; t < maps.size(); ++t) {
        num_raw += !std::isnan(raw[t](x, y));
        const double value = static_cast<double>(maps[t](x, y)) - 20;
        if (!std::isnan(value)) n += 1, sum += value, squares += value * value;
      }
      const double num_frames = static_cast<double>(maps.size() - kBegin);
      if (num_raw < num_frames / 2) continue;
      figures.holes += num_frames - n;
      deviations.push_back(std::sqrt(std::max(0.0, squares - sum * sum / n) / (n - 1)));
    }
  }
  EXPECT_FALSE(deviations.empty());
  const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2);
  std::nth_element(deviations.begin(), middle, deviations.end());
  figures.noise_px = *middle;
  return figures;
}

// A value that is delta away from the last one begins anew by the rules, with one frame of history, so that
// fewer holes are closed where pixels jump about: by default four fifths of them up to a noise of 0.7 to 1 gray
// levels (docs/benchmarks.md).
TEST_F(TemporalRun, HalvesTheNoiseOfAStillSceneAndClosesFourFifthsOfItsHoles) {
  for (const std::string scene : {"boxes", "slanted"}) {
    for (const auto& [noise, most_holes] : {std::pair{"0.5", 0.2}, {"1", 0.25}}) {
      SCOPED_TRACE(scene + ", noise " + noise);
      const std::string still = StillScene(scene, noise);
      const Maps raw = MapsOf(still, {});
      ASSERT_EQ(raw.size(), 50U);
      const StillFigures before = FiguresOf(raw, raw);
      EXPECT_GT(before.noise_px, 0.05);
      EXPECT_GT(before.holes, 500);
      const StillFigures after = FiguresOf(MapsOf(still, {"live.temporal=true"}), raw);
      EXPECT_LT(after.noise_px, 0.5 * before.noise_px);
      EXPECT_LT(after.holes, most_holes * before.holes);
    }
  }
}

// What a person runs before a still scene: all that the preset does, but for filling.
TEST_F(TemporalRun, ThePresetLiveDoesSoAtTheNoiseOfCameras) {
  for (const std::string scene : {"boxes", "slanted"}) {
    for (const std::string noise : {"1", "2"}) {
      SCOPED_TRACE(scene + ", noise " + noise);
      const std::string still = StillScene(scene, noise);
      const Maps raw = UnfilledMapsOf("live", still, {"live.temporal=false"});
      const StillFigures before = FiguresOf(raw, raw),
                         after = FiguresOf(UnfilledMapsOf("live", still, {}), raw);
      EXPECT_GT(before.holes, 500);
      EXPECT_LT(after.noise_px, 0.5 * before.noise_px);
      EXPECT_LT(after.holes, 0.2 * before.holes);
    }
  }
}

TEST_F(TemporalRun, OfAMovingSceneEveryPixelFollowsTheRulesAndNoGhostOutlivesItsPersistence) {
  constexpr const char* kMovingScene = "drive,frames=16,noise=4,width=203,height=61,samples=1";
  constexpr int kLongest = 3;  // frames without a value of their own, at persistence 2/4
  const Maps raw = MapsOf(kMovingScene, {}), filtered = MapsOf(kMovingScene, {"live.temporal=true"});
  ASSERT_EQ(raw.size(), 16U);
  ASSERT_EQ(filtered.size(), 16U);
  std::size_t num_remembered = 0, num_smoothed = 0;
  for (int y = 0; y < raw[0].height(); ++y) {
    for (int x = 0; x < raw[0].width(); ++x) {
      PlainTemporalPixel plain{LiveParameters{}};
      int num_without = 0;
      for (std::size_t t = 0; t < raw.size(); ++t) {
        const float value = raw[t](x, y), expected = plain.Next(value), seen = filtered[t](x, y);
        ASSERT_EQ(std::isnan(expected), std::isnan(seen)) << x << " " << y << " frame " << t;
        num_without = std::isnan(value) ? num_without + 1 : 0;
        if (std::isnan(seen)) continue;
        ASSERT_EQ(expected, seen) << x << " " << y << " frame " << t;
        ASSERT_LE(num_without, kLongest);
        num_remembered += num_without > 0;
        num_smoothed += num_without == 0 && seen != value;
      }
    }
  }
  EXPECT_GT(num_remembered, 1000U);
  EXPECT_GT(num_smoothed, 10000U);
}

}  // namespace
}  // namespace parallax::test
