#include "pipeline/live/temporal_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "parallax/disparity_map.h"
#include "tests/support/nan.h"
#include "tests/support/plain_temporal_filter.h"

namespace parallax {
namespace {

// One pixel through the filter.
std::vector<float> Filtered(const LiveParameters& p, const std::vector<float>& values) {
  TemporalFilter filter;
  ThreadPool threads(1);
  std::vector<float> results;
  for (const float value : values) {
    HostImage<float> map(1, 1, value);
    HostImage<std::uint8_t> validity(1, 1, std::uint8_t{0});
    filter.Apply(p, map, validity, threads);
    results.push_back(map(0, 0));
  }
  return results;
}

TEST(TemporalFilter, EqualsThePlainRulesForEveryPersistence) {
  constexpr int kWidth = 37, kHeight = 21, kFrames = 40;
  for (int mode = 0; mode <= static_cast<int>(Persistence::kAlways); ++mode) {
    LiveParameters p;
    p.persistence = static_cast<Persistence>(mode);
    p.temporal_alpha = 0.1F * static_cast<float>(mode + 1);
    p.temporal_delta = 8 + 10 * mode;
    std::vector<test::PlainTemporalPixel> plain(kWidth * kHeight, test::PlainTemporalPixel(p));
    TemporalFilter filter;
    ThreadPool threads(2);
    std::mt19937 random(static_cast<unsigned>(mode));
    for (int t = 0; t < kFrames; ++t) {
      HostImage<float> map(kWidth, kHeight);
      HostImage<std::uint8_t> validity(kWidth, kHeight, std::uint8_t{0});
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          map(x, y) = random() % 3 == 0 ? kNan : 10.0F + static_cast<float>(random() % 200) / 100.0F;
        }
      }
      const HostImage<float> before = map.Clone();
      filter.Apply(p, map, validity, threads);
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          const float expected = plain[static_cast<std::size_t>(y * kWidth + x)].Next(before(x, y));
          ASSERT_EQ(std::isnan(expected), std::isnan(map(x, y))) << "mode " << mode << " frame " << t;
          if (!std::isnan(expected)) {
            ASSERT_EQ(expected, map(x, y));
          }
          ASSERT_EQ(validity(x, y) == kFilled, std::isnan(before(x, y)) && !std::isnan(map(x, y)));
        }
      }
    }
  }
}

TEST(TemporalFilter, ValuesByHand) {
  const std::vector<float> result = Filtered({}, {10, 10.5F, 20});  // alpha 0.4, delta 20 / 32 px
  EXPECT_EQ(result[0], 10);
  EXPECT_EQ(result[1], 0.4F * 10.5F + (1.0F - 0.4F) * 10);
  EXPECT_EQ(result[2], 20);  // a step is taken as it is
}

TEST(TemporalFilter, NoGhostOutlivesItsPersistence) {
  const auto frames_of_ghost = [](Persistence persistence) {
    LiveParameters p;
    p.persistence = persistence;
    std::vector<float> values(9, 10.0F);
    values.insert(values.end(), 12, kNan);
    const std::vector<float> result = Filtered(p, values);
    return std::count_if(result.begin() + 9, result.end(), [](float v) { return !std::isnan(v); });
  };
  EXPECT_EQ(frames_of_ghost(Persistence::kOff), 0);
  EXPECT_EQ(frames_of_ghost(Persistence::k8Of8), 1);
  EXPECT_EQ(frames_of_ghost(Persistence::k2Of3), 2);
  EXPECT_EQ(frames_of_ghost(Persistence::k2Of4), 3);
  EXPECT_EQ(frames_of_ghost(Persistence::k2Of8), 7);
  EXPECT_EQ(frames_of_ghost(Persistence::k1Of2), 2);
  EXPECT_EQ(frames_of_ghost(Persistence::k1Of5), 5);
  EXPECT_EQ(frames_of_ghost(Persistence::k1Of8), 8);
  EXPECT_EQ(frames_of_ghost(Persistence::kAlways), 12);
}

// Temporal noise as depth cameras state it (docs/calibration.md, parallax quality): the standard deviation of
// a pixel over 40 frames, the median of the pixels. Of noise that differs from frame to frame alpha leaves
// sqrt(alpha / (2 - alpha)), half at 0.4, once and for all frames, and 40 of them see 0.48 of it, as they
// follow slow changes.
TEST(TemporalFilter, OnAStaticSceneNoiseFallsByHalfAndHolesByFourFifths) {
  constexpr int kWidth = 60, kHeight = 40, kBegin = 10, kFrames = kBegin + 40;
  LiveParameters p;
  TemporalFilter filter;
  ThreadPool threads(1);
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0, 0.1F);
  struct Sums {
    double n = 0, x = 0, xx = 0;
    void Add(float value) {
      if (!std::isnan(value)) n += 1, x += value - 30.0, xx += (value - 30.0) * (value - 30.0);
    }
    double Deviation() const { return std::sqrt((xx - x * x / n) / (n - 1)); }
  };
  std::vector<Sums> raw_sums(kWidth * kHeight), sums(kWidth * kHeight);
  int holes_before = 0, holes_after = 0;
  for (int t = 0; t < kFrames; ++t) {
    HostImage<float> map(kWidth, kHeight);
    HostImage<std::uint8_t> validity(kWidth, kHeight, std::uint8_t{0});
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) map(x, y) = random() % 10 == 0 ? kNan : 30 + noise(random);
    }
    const HostImage<float> raw = map.Clone();
    filter.Apply(p, map, validity, threads);
    if (t < kBegin) continue;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        holes_before += std::isnan(raw(x, y)), holes_after += std::isnan(map(x, y));
        raw_sums[static_cast<std::size_t>(y * kWidth + x)].Add(raw(x, y));
        sums[static_cast<std::size_t>(y * kWidth + x)].Add(map(x, y));
      }
    }
  }
  const auto median = [](const std::vector<Sums>& pixels) {
    std::vector<double> deviations;
    for (const Sums& pixel : pixels) deviations.push_back(pixel.Deviation());
    std::nth_element(deviations.begin(), deviations.begin() + kWidth * kHeight / 2, deviations.end());
    return deviations[kWidth * kHeight / 2];
  };
  EXPECT_NEAR(median(raw_sums), 0.1, 0.003);
  EXPECT_LT(median(sums), 0.5 * median(raw_sums));
  EXPECT_LT(holes_after, holes_before / 5);
}

TEST(TemporalFilter, AnotherSizeOrOtherParametersBeginAnew) {
  TemporalFilter filter;
  ThreadPool threads(1);
  LiveParameters p;
  p.persistence = Persistence::kAlways;
  const auto apply = [&](int width, float value) {
    HostImage<float> map(width, 1, value);
    HostImage<std::uint8_t> validity(width, 1, std::uint8_t{0});
    filter.Apply(p, map, validity, threads);
    return map(0, 0);
  };
  apply(2, 10);
  EXPECT_EQ(apply(2, kNan), 10);
  EXPECT_TRUE(std::isnan(apply(3, kNan)));
  apply(3, 10);
  p.temporal_alpha = 0.5F;
  EXPECT_TRUE(std::isnan(apply(3, kNan)));
}

}  // namespace
}  // namespace parallax
