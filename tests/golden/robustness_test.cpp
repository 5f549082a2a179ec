// Scenes of which images tell little in places: every preset gives each pixel a value there, and where it is
// wrong it is not sure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "config/parameters_yaml.h"
#include "config/presets.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "tests/golden/preset_names.h"

namespace parallax {
namespace {

using GrayImage = HostImage<std::uint8_t>;
constexpr int kWidth = 160, kHeight = 96, kShift = 9, kDisparities = 48;

struct Region {
  int left, top, right, bottom;
  bool Contains(int x, int y) const { return x >= left && x < right && y >= top && y < bottom; }
};

// A textured wall at kShift px, but for a region of it, whose gray level at a column and row of the wall
// special() gives. Noise of a gray level or so is on both images.
struct Pair {
  GrayImage left{kWidth, kHeight}, right{kWidth, kHeight};
};
Pair Wall(const Region& region, const std::function<int(int, int)>& special) {
  std::mt19937 random(5);
  HostImage<int> wall(kWidth + kShift, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < wall.width(); ++x) {
      const int texture = static_cast<int>(random() % 200) + 20;
      wall(x, y) = region.Contains(x, y) ? special(x, y) : texture;
    }
  }
  const auto seen = [&](int x, int y) {
    const int noise = static_cast<int>(random() % 3) - 1;
    return static_cast<std::uint8_t>(wall(x, y) == 255 ? 255 : wall(x, y) + noise);
  };
  Pair pair;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      pair.left(x, y) = seen(x, y);
      pair.right(x, y) = seen(x + kShift, y);
    }
  }
  return pair;
}

class Robustness : public testing::TestWithParam<PresetFile> {
 protected:
  DisparityMap Match(const Pair& pair) const {
    Parameters parameters = LoadParameters(std::string(GetParam().name));
    parameters.matching_cost.num_disparities = kDisparities;
    const auto make = parameters.method == Method::kSgm ? &MakeCpuMatcher : &MakeCpuAdCensusMatcher;
    DisparityMap map;
    make(parameters, {.width = kWidth, .height = kHeight})
        ->Compute(pair.left.ConstView(), pair.right.ConstView(), map, nullptr, nullptr);
    if (parameters.filter.fill) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) EXPECT_TRUE(std::isfinite(map.disparity(x, y))) << x << ' ' << y;
      }
    }
    return map;
  }
};

// Of pixels whose partner is in the right image at every disparity.
struct Errors {
  int num_wrong = 0, num_below_median = 0;
};
Errors ErrorsOf(const DisparityMap& map) {
  std::vector<int> confidences;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = kDisparities; x < kWidth; ++x) confidences.push_back(map.confidence(x, y));
  }
  const auto middle = confidences.begin() + static_cast<std::ptrdiff_t>(confidences.size() / 2);
  std::nth_element(confidences.begin(), middle, confidences.end());
  Errors errors;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = kDisparities; x < kWidth; ++x) {
      if (std::isnan(map.disparity(x, y)) || std::fabs(map.disparity(x, y) - kShift) <= 1) continue;
      ++errors.num_wrong;
      if (map.confidence(x, y) <= *middle) ++errors.num_below_median;
    }
  }
  return errors;
}

// Errors are few, or at pixels that are not claimed to be sure.
void ExpectHonest(const Errors& errors) {
  constexpr int kFew = (kWidth - kDisparities) * kHeight / 100;
  if (errors.num_wrong <= kFew) return;
  EXPECT_GE(errors.num_below_median, 0.75 * errors.num_wrong) << errors.num_wrong << " are wrong";
}

TEST_P(Robustness, IsHonestAboutASurfaceWithoutTexture) {
  ExpectHonest(ErrorsOf(Match(Wall({64, 24, 144, 88}, [](int, int) { return 128; }))));
}

TEST_P(Robustness, IsHonestAboutASaturatedSky) {
  ExpectHonest(ErrorsOf(Match(Wall({0, 0, kWidth + kShift, 40}, [](int, int) { return 255; }))));
}

TEST_P(Robustness, IsHonestAboutAFence) {
  ExpectHonest(ErrorsOf(Match(Wall({64, 24, 144, 88}, [](int x, int) { return x % 8 < 3 ? 200 : 60; }))));
}

TEST_P(Robustness, IsHonestAboutAFenceAcrossTheImage) {
  const Region fence{0, 24, kWidth + kShift, 64};
  ExpectHonest(ErrorsOf(Match(Wall(fence, [](int x, int) { return x % 8 < 3 ? 200 : 60; }))));
}

INSTANTIATE_TEST_SUITE_P(Presets, Robustness, testing::ValuesIn(Presets().begin(), Presets().end()),
                         TestNameOf);

}  // namespace
}  // namespace parallax
