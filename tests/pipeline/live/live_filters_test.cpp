#include "pipeline/live/live_filters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "parallax/error.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/cpu/cpu_matcher.h"
#include "pipeline/live/decimation.h"
#include "pipeline/live/limits.h"
#include "pipeline/live/simple_filling.h"
#include "tests/support/nan.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

HostImage<float> MapOf(int width, int height, std::initializer_list<float> values) {
  HostImage<float> map(width, height);
  auto value = values.begin();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) map(x, y) = *value++;
  }
  return map;
}

TEST(SimpleFilling, TheThreeRulesByHand) {
  const auto fill = [](LiveHoles rule) {
    HostImage<float> map = MapOf(3, 3,
                                 {7, 9, 5,        //
                                  4, kNan, kNan,  //
                                  6, 2, kNan});
    HostImage<std::uint8_t> validity(3, 3, std::uint8_t{kSpeckle});
    FillSimply(rule, map, validity);
    EXPECT_EQ(validity(1, 1), kSpeckle | kFilled);
    EXPECT_EQ(validity(0, 0), kSpeckle);
    return std::vector<float>{map(1, 1), map(2, 1), map(2, 2)};
  };
  EXPECT_EQ(fill(LiveHoles::kLeft), (std::vector<float>{4, 4, 2}));
  EXPECT_EQ(fill(LiveHoles::kFarthest), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(fill(LiveHoles::kNearest), (std::vector<float>{9, 9, 9}));
}

TEST(SimpleFilling, AMapWithoutAValueStaysSo) {
  HostImage<float> map(4, 3, kNan);
  HostImage<std::uint8_t> validity(4, 3, std::uint8_t{0});
  FillSimply(LiveHoles::kFarthest, map, validity);
  EXPECT_TRUE(std::isnan(map(3, 2)));
}

TEST(Limits, TextureSumsEqualTheStatedOnes) {
  constexpr int kWidth = 45, kHeight = 70;
  std::mt19937 random(3);
  HostImage<std::uint8_t> gray(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) gray(x, y) = static_cast<std::uint8_t>(random());
  }
  ThreadPool threads(2);
  const HostImage<std::uint16_t> sums = TextureSums(gray.ConstView(), threads);
  const auto difference = [&](int x, int y) {
    x = std::clamp(x, 0, kWidth - 1), y = std::clamp(y, 0, kHeight - 1);
    return std::abs(gray(x, y) - gray(x, std::max(y - 1, 0))) +
           std::abs(gray(x, y) - gray(std::max(x - 1, 0), y));
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      int sum = 0;
      for (int v = y - 4; v <= y + 4; ++v) {
        for (int u = x - 4; u <= x + 4; ++u) sum += difference(u, v);
      }
      ASSERT_EQ(sums(x, y), sum) << x << "," << y;
    }
  }
}

TEST(Limits, EachLimitTakesItsPixels) {
  const auto kept = [](const LiveParameters& p) {
    // Disparities of 5 m and 10 m (fx * baseline = 100), of little and of much confidence, dark and bright.
    DisparityMap map{MapOf(4, 1, {20, 10, 20, 20}), HostImage<std::uint8_t>(4, 1, std::uint8_t{kFilled}),
                     HostImage<std::uint8_t>(4, 1, std::uint8_t{200})};
    map.confidence(2, 0) = 10;
    HostImage<std::uint8_t> gray(4, 1, std::uint8_t{100});
    gray(3, 0) = 255;
    ThreadPool threads(1);
    RemoveOutOfLimits(p, gray.ConstView(), StereoRig{.fx_px = 200, .baseline_m = 0.5}, map, threads);
    std::string text;
    for (int x = 0; x < 4; ++x) {
      EXPECT_EQ(std::isnan(map.disparity(x, 0)), map.validity(x, 0) == kOutOfLimits);
      text += std::isnan(map.disparity(x, 0)) ? '.' : 'x';
    }
    return text;
  };
  EXPECT_EQ(kept({}), "xxxx");
  EXPECT_EQ(kept({.far_m = 6}), "x.xx");
  EXPECT_EQ(kept({.near_m = 6}), ".x..");
  EXPECT_EQ(kept({.near_m = 5, .far_m = 10}), "xxxx");  // the limits themselves are kept
  EXPECT_EQ(kept({.min_confidence = 11}), "xx.x");
  EXPECT_EQ(kept({.darkest = 101}), "...x");
  EXPECT_EQ(kept({.brightest = 254}), "xxx.");
}

TEST(Limits, TextureIsItsMeanOverTheWindow) {
  // Each row is 2 gray levels brighter than the one above it, so the texture of a pixel far from the border is 2.
  HostImage<std::uint8_t> gray(9, 20);
  for (int y = 0; y < 20; ++y) std::fill_n(gray.Row(y), 9, static_cast<std::uint8_t>(2 * y));
  const auto is_kept = [&](float min_texture) {
    DisparityMap map{HostImage<float>(9, 20, 5.0F), HostImage<std::uint8_t>(9, 20, std::uint8_t{0}),
                     HostImage<std::uint8_t>(9, 20, std::uint8_t{0})};
    ThreadPool threads(1);
    RemoveOutOfLimits({.min_texture = min_texture}, gray.ConstView(), std::nullopt, map, threads);
    return !std::isnan(map.disparity(4, 10));
  };
  EXPECT_TRUE(is_kept(2));
  EXPECT_FALSE(is_kept(2.1F));
}

TEST(Limits, DepthNeedsARig) {
  DisparityMap map{HostImage<float>(1, 1, 3.0F), HostImage<std::uint8_t>(1, 1, std::uint8_t{0}),
                   HostImage<std::uint8_t>(1, 1, std::uint8_t{0})};
  const HostImage<std::uint8_t> gray(1, 1, std::uint8_t{0});
  ThreadPool threads(1);
  EXPECT_THROW(RemoveOutOfLimits({.far_m = 6}, gray.ConstView(), std::nullopt, map, threads), Error);
}

StereoFrame FrameOf(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  HostImage<std::uint8_t> left(width, height), right(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) left(x, y) = static_cast<std::uint8_t>(random() % 250);
    for (int x = 0; x < width; ++x) right(x, y) = x + 7 < width ? left(x + 7, y) : std::uint8_t{0};
    for (int x = 20; x < 30 && x < width; ++x) right(x, y) = static_cast<std::uint8_t>(random() % 250);
  }
  StereoFrame frame;
  frame.left = std::move(left);
  frame.right = std::move(right);
  frame.rig = StereoRig{.fx_px = 100, .cx_px = 49.5, .cy_px = 19.5, .baseline_m = 0.5, .doffs_px = 4};
  return frame;
}

TEST(Decimation, MediansMeansAndWhatFollows) {
  StereoFrame frame = FrameOf(101, 41, 1);
  auto& left = std::get<HostImage<std::uint8_t>>(frame.left);
  left(0, 0) = 1, left(1, 0) = 2, left(0, 1) = 90, left(1, 1) = 200;
  frame.num_disparities_hint = 33;
  Decimate(2, frame);
  EXPECT_EQ(std::get<HostImage<std::uint8_t>>(frame.left)(0, 0), 2);  // the lower of the two in the middle
  EXPECT_EQ(WidthOf(ViewOf(frame.right)), 50);
  EXPECT_EQ(HeightOf(ViewOf(frame.right)), 20);
  EXPECT_EQ(frame.rig->fx_px, 50);
  EXPECT_EQ(frame.rig->cx_px, 24.5);  // the middle stays the middle
  EXPECT_EQ(frame.rig->cy_px, 9.5);
  EXPECT_EQ(frame.rig->doffs_px, 2);
  EXPECT_EQ(frame.num_disparities_hint, 17);

  StereoFrame bordered = FrameOf(4, 4, 1);
  auto seen = std::make_shared<SeenPixelsOfPair>();
  seen->left = HostImage<std::uint8_t>(4, 4, std::uint8_t{255});
  seen->right = seen->left.Clone();
  seen->left(3, 0) = 0;
  bordered.seen = std::move(seen);
  Decimate(2, bordered);
  EXPECT_EQ(bordered.seen->left(1, 0), 0);
  EXPECT_EQ(bordered.seen->left(0, 0), 255);
  EXPECT_EQ(bordered.seen->right(1, 1), 255);

  StereoFrame flat = FrameOf(16, 8, 1);
  flat.left = HostImage<Rgb8>(16, 8, Rgb8{10, 20, 30});
  Decimate(4, flat);
  const Rgb8 mean = std::get<HostImage<Rgb8>>(flat.left)(1, 1);
  EXPECT_EQ(mean.g, 20);
  for (const int last : {17, 18}) {  // the means are 10 7/16 and 10 8/16; a half is rounded up
    StereoFrame rounded = FrameOf(16, 8, 1);
    HostImage<std::uint8_t> tens(16, 8, std::uint8_t{10});
    tens(3, 3) = static_cast<std::uint8_t>(last);
    rounded.left = std::move(tens);
    Decimate(4, rounded);
    EXPECT_EQ(std::get<HostImage<std::uint8_t>>(rounded.left)(0, 0), last - 7);
  }
  EXPECT_THROW(Decimate(9, flat), InvalidArgument);
  EXPECT_THROW(Decimate(8, flat), Error);  // 4x2 is left
}

Parameters SmallSearch() {
  Parameters p = test::PlainParameters();
  p.matching_cost.num_disparities = 16;
  p.refinement.planes = true;
  p.refinement.smoothing_passes = 1;
  return p;
}

DisparityMap Matched(const Parameters& p, const StereoFrame& frame) {
  DisparityMap map;
  MakeCpuMatcher(p, {.width = WidthOf(ViewOf(frame.left)), .height = HeightOf(ViewOf(frame.left))})
      ->Compute(ViewOf(frame.left), ViewOf(frame.right), map, nullptr, nullptr);
  return map;
}

void ExpectSame(const DisparityMap& a, const DisparityMap& b) {
  for (int y = 0; y < a.disparity.height(); ++y) {
    const auto width = static_cast<std::size_t>(a.disparity.width());
    ASSERT_EQ(std::memcmp(a.disparity.Row(y), b.disparity.Row(y), width * sizeof(float)), 0) << "row " << y;
    ASSERT_EQ(std::memcmp(a.validity.Row(y), b.validity.Row(y), width), 0) << "row " << y;
  }
}

TEST(LiveFilters, TheLastStagesAreTheMatchersOwn) {
  const StereoFrame frame = FrameOf(130, 50, 4);
  Parameters p = SmallSearch();
  const DisparityMap whole = Matched(p, frame);
  p.live.brightest = 254;  // takes nothing here, but puts the last stages after the matcher
  ASSERT_TRUE(HasLiveFilters(p));
  DisparityMap map = Matched(ForMatcher(p), frame);
  LiveFilters(2).Apply(p, ViewOf(frame.left), frame.rig, map);
  ExpectSame(whole, map);
}

TEST(LiveFilters, DoNothingWhereNothingIsAskedFor) {
  const StereoFrame frame = FrameOf(60, 30, 4);
  const Parameters p = SmallSearch();
  EXPECT_FALSE(HasLiveFilters(p));
  EXPECT_TRUE(ForMatcher(p) == p);
  const DisparityMap before = Matched(p, frame);
  DisparityMap map = Clone(before);
  LiveFilters(1).Apply(p, ViewOf(frame.left), frame.rig, map);
  ExpectSame(before, map);
}

TEST(LiveFilters, HolesAreFilledAfterTheFiltersOverTime) {
  Parameters p = SmallSearch();
  p.live.temporal = true;
  p.live.persistence = Persistence::kAlways;
  p.filter.fill = p.refinement.planes = false;
  p.filter.median = 0;
  p.refinement.smoothing_passes = 0;
  LiveFilters filters(1);
  DisparityMap map;
  int holes_first = 0, holes_later = 0;
  for (int t = 0; t < 4; ++t) {
    const StereoFrame frame = FrameOf(130, 50, static_cast<unsigned>(t) + 10);
    map = Matched(ForMatcher(p), frame);
    filters.Apply(p, ViewOf(frame.left), frame.rig, map);
    int holes = 0;
    for (int y = 0; y < 50; ++y) {
      for (int x = 0; x < 130; ++x) holes += std::isnan(map.disparity(x, y));
    }
    (t == 0 ? holes_first : holes_later) = holes;
  }
  EXPECT_GT(holes_first, 0);
  EXPECT_LT(holes_later, holes_first);
}

}  // namespace
}  // namespace parallax
