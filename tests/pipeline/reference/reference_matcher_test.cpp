// Properties of the whole line that follow from the method, whatever the code.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/matchers/stereo_matcher.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using test::ImageFrom;
using test::NoiseAt;

template <typename T>
DisparityMap Match(const HostImage<T>& left, const HostImage<T>& right, const Parameters& parameters,
                   StageResults* stages = nullptr, int num_threads = 2) {
  DisparityMap map;
  MakeReferenceMatcher(parameters, {left.width(), left.height(), num_threads})
      ->Compute(left.ConstView(), right.ConstView(), map, nullptr, stages);
  return map;
}

Parameters MatchingWith(int num_disparities, CensusWindow window = CensusWindow::k9x7) {
  Parameters parameters = test::PlainParameters();
  parameters.census_transform.window = window;
  parameters.matching_cost.num_disparities = num_disparities;
  parameters.filter.speckle_size = 20;
  return parameters;
}

class EveryWindow : public testing::TestWithParam<CensusWindow> {};
INSTANTIATE_TEST_SUITE_P(ReferenceMatcher, EveryWindow,
                         testing::Values(CensusWindow::k5x5, CensusWindow::k7x7, CensusWindow::k9x7,
                                         CensusWindow::kCenterSymmetric9x7, CensusWindow::kTwoScale,
                                         CensusWindow::kCenterSymmetricTwoScale),
                         [](const auto& window) {
                           return "Window" + std::string(kCensusWindowNames[static_cast<int>(window.param)]);
                         });

TEST_P(EveryWindow, AConstantShiftIsFoundExactly) {
  const auto left = ImageFrom<std::uint8_t>(90, 41, [](int x, int y) { return NoiseAt(x, y); });
  for (const int shift : {0, 7, -5}) {
    const auto right = ImageFrom<std::uint8_t>(90, 41, [&](int x, int y) { return NoiseAt(x + shift, y); });
    Parameters parameters = MatchingWith(24, GetParam());
    parameters.matching_cost.min_disparity = -10;
    const DisparityMap map = Match(left, right, parameters);
    for (int y = 0; y < 41; ++y) {
      for (int x = 14; x < 90 - 14; ++x)
        ASSERT_EQ(map.disparity(x, y), static_cast<float>(shift)) << x << ", " << y;
    }
  }
}

TEST(ReferenceMatcher, WithoutPenaltiesItIsWinnerTakesAll) {
  const auto left = ImageFrom<std::uint8_t>(40, 9, [](int x, int y) { return NoiseAt(x, y); });
  const auto right = ImageFrom<std::uint8_t>(40, 9, [](int x, int y) { return NoiseAt(x, y, 2); });
  Parameters parameters = MatchingWith(16);
  parameters.aggregation = {8, 0, 0, 0, 0, 100, 100};
  StageResults stages;
  Match(left, right, parameters, &stages);
  const auto& census_left = stages.Get<HostImage<std::uint64_t>>("census_left");
  const auto& census_right = stages.Get<HostImage<std::uint64_t>>("census_right");
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 40; ++x) {
      int best = 0, best_cost = 1000;
      for (int d = 0; d < 16; ++d) {
        const int cost = x - d < 0 ? 26 : std::popcount(census_left(x, y) ^ census_right(x - d, y));
        if (cost < best_cost) best = d, best_cost = cost;
      }
      ASSERT_EQ(stages.Get<HostImage<std::uint16_t>>("winner_left")(x, y), best);
    }
  }
}

TEST(ReferenceMatcher, TurningBothImagesUpsideDownTurnsTheResult) {
  const auto at = [](int shift) {
    return [shift](int x, int y) { return NoiseAt((x + shift * (y / 10)) / 2, y / 2); };
  };
  const auto left = ImageFrom<std::uint8_t>(60, 37, at(0)), right = ImageFrom<std::uint8_t>(60, 37, at(2));
  const auto flipped = [](const HostImage<std::uint8_t>& image) {
    return ImageFrom<std::uint8_t>(60, 37, [&](int x, int y) { return image(x, 36 - y); });
  };
  Parameters parameters = MatchingWith(16);
  parameters.aggregation.p2_slope = 1;
  const DisparityMap map = Match(left, right, parameters),
                     turned = Match(flipped(left), flipped(right), parameters);
  for (int y = 0; y < 37; ++y) {
    for (int x = 0; x < 60; ++x)
      ASSERT_TRUE(test::SameValue(map.disparity(x, y), turned.disparity(x, 36 - y)));
  }
}

TEST(ReferenceMatcher, SwappingAndMirroringTheImagesMirrorsTheResult) {
  // A square of disparity 9 before a ground of disparity 3; the mirrored pair sees it from the other camera.
  constexpr int kWidth = 100, kHeight = 50;
  HostImage<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
  const auto in_square = [](int x, int y) { return x >= 40 && x < 70 && y >= 12 && y < 38; };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      left(x, y) = in_square(x, y) ? NoiseAt(x, y, 5) : NoiseAt(x, y, 6);
      right(x, y) = in_square(x + 9, y) ? NoiseAt(x + 9, y, 5) : NoiseAt(x + 3, y, 6);
    }
  }
  const auto mirrored = [](const HostImage<std::uint8_t>& image) {
    return ImageFrom<std::uint8_t>(kWidth, kHeight, [&](int x, int y) { return image(kWidth - 1 - x, y); });
  };
  const Parameters parameters = MatchingWith(16);
  const DisparityMap seen_left = Match(left, right, parameters);
  const DisparityMap seen_right = Match(mirrored(right), mirrored(left), parameters);
  int wrong = 0, checked = 0;
  for (int y = 3; y < kHeight - 3; ++y) {
    for (int x = 16; x < kWidth - 4; ++x) {
      if (seen_left.validity(x, y) != kValid) continue;
      const int x_right = x - static_cast<int>(std::lround(seen_left.disparity(x, y)));
      ++checked;
      wrong += std::fabs(seen_right.disparity(kWidth - 1 - x_right, y) - seen_left.disparity(x, y)) > 1;
    }
  }
  EXPECT_GT(checked, kWidth * kHeight / 2);
  EXPECT_LT(wrong, checked / 50);
  EXPECT_NEAR(seen_left.disparity(55, 25), 9, 0.2);
  EXPECT_NEAR(seen_right.disparity(kWidth - 1 - 55 + 9, 25), 9, 0.2);
}

TEST(ReferenceMatcher, SlantedPlaneIsFoundToATenthOfAPixel) {
  // Right pixel xr shows what the left image shows at x with x - d(x) = xr, d = 6 + 0.05 x.
  constexpr int kWidth = 200, kHeight = 60;
  const auto texture = [](double x, int y) {
    double value = 128;
    for (int k = 1; k <= 7; ++k) {
      value += 14 * std::sin(x * 0.21 * k + NoiseAt(k, y / 3) * 0.05 + k * k) * std::cos(0.37 * y * k + k);
    }
    return static_cast<int>(std::lround(value));
  };
  const auto left = ImageFrom<std::uint8_t>(kWidth, kHeight, [&](int x, int y) { return texture(x, y); });
  const auto right =
      ImageFrom<std::uint8_t>(kWidth, kHeight, [&](int x, int y) { return texture((x + 6) / 0.95, y); });
  const auto rms_error = [&](Subpixel method) {
    Parameters parameters = MatchingWith(32);
    parameters.selection.subpixel = method;
    parameters.filter.median = 5;
    const DisparityMap map = Match(left, right, parameters);
    double sum = 0;
    int count = 0;
    for (int y = 4; y < kHeight - 4; ++y) {
      for (int x = 30; x < kWidth - 10; ++x, ++count)
        sum += std::pow(map.disparity(x, y) - (6 + 0.05 * x), 2);
    }
    return std::sqrt(sum / count);
  };
  EXPECT_LT(rms_error(Subpixel::kEquiangular), 0.1);
  EXPECT_LT(rms_error(Subpixel::kParabola), 0.12);  // fits Hamming costs less well
  EXPECT_GT(rms_error(Subpixel::kNone), 0.25);      // a whole pixel's uniform error is 0.29
}

TEST(ReferenceMatcher, EverySizeAndRangeGivesTheSameBytesTwiceOnAnyNumberOfThreads) {
  struct Case {
    int width, height, num_disparities, min_disparity;
  };
  for (const Case c : {Case{1, 1, 1, 0},
                       {1, 1, 1024, -3},
                       {1, 9, 5, 0},
                       {9, 1, 5, 2},
                       {2, 3, 64, -70},
                       {31, 17, 33, -4},
                       {5, 4, 7, 16384}}) {
    const auto left = ImageFrom<std::uint8_t>(c.width, c.height, [](int x, int y) { return NoiseAt(x, y); });
    const auto right =
        ImageFrom<std::uint8_t>(c.width, c.height, [](int x, int y) { return NoiseAt(x + 2, y); });
    Parameters parameters = MatchingWith(c.num_disparities);
    parameters.matching_cost.min_disparity = c.min_disparity;
    const DisparityMap once = Match(left, right, parameters, nullptr, 1);
    for (const int num_threads : {1, 2, 3, 7}) {
      const DisparityMap again = Match(left, right, parameters, nullptr, num_threads);
      EXPECT_TRUE(test::SamePixels(once.disparity.ConstView(), again.disparity.ConstView()));
      EXPECT_TRUE(test::SamePixels(once.validity.ConstView(), again.validity.ConstView()));
      EXPECT_TRUE(test::SamePixels(once.confidence.ConstView(), again.confidence.ConstView()));
    }
  }
}

TEST(ReferenceMatcher, SixteenBitsAndColourGiveTheSameAsTheGrayTheyHold) {
  const auto gray_at = [](int shift) { return [shift](int x, int y) { return NoiseAt(x + shift, y); }; };
  const auto wide_at = [](int shift) { return [shift](int x, int y) { return NoiseAt(x + shift, y) << 8; }; };
  HostImage<Rgb8> color_left(50, 20), color_right(50, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 50; ++x) {
      color_left(x, y) = {NoiseAt(x, y), NoiseAt(x, y), NoiseAt(x, y)};
      color_right(x, y) = {NoiseAt(x + 4, y), NoiseAt(x + 4, y), NoiseAt(x + 4, y)};
    }
  }
  Parameters parameters = MatchingWith(16);
  parameters.aggregation.p2_slope = 0.5F;
  const DisparityMap gray = Match(ImageFrom<std::uint8_t>(50, 20, gray_at(0)),
                                  ImageFrom<std::uint8_t>(50, 20, gray_at(4)), parameters);
  const DisparityMap wide = Match(ImageFrom<std::uint16_t>(50, 20, wide_at(0)),
                                  ImageFrom<std::uint16_t>(50, 20, wide_at(4)), parameters);
  const DisparityMap color = Match(color_left, color_right, parameters);
  EXPECT_TRUE(test::SamePixels(gray.disparity.ConstView(), wide.disparity.ConstView()));
  EXPECT_TRUE(test::SamePixels(gray.disparity.ConstView(), color.disparity.ConstView()));
}

TEST(ReferenceMatcher, RefusesWhatDoesNotFit) {
  EXPECT_THROW(MakeReferenceMatcher(MatchingWith(0), {4, 4}), InvalidArgument);
  EXPECT_THROW(MakeReferenceMatcher(MatchingWith(1025), {4, 4}), InvalidArgument);
  EXPECT_THROW(MakeReferenceMatcher(MatchingWith(8), {0, 4}), InvalidArgument);
  EXPECT_THROW(MakeReferenceMatcher(MatchingWith(8), {4, 0}), InvalidArgument);
  const auto matcher = MakeReferenceMatcher(MatchingWith(8), {4, 4});
  const HostImage<std::uint8_t> right_size(4, 4, 0), wrong_size(5, 4, 0);
  const HostImage<std::uint16_t> wide(4, 4, 0);
  DisparityMap map;
  EXPECT_THROW(matcher->Compute(right_size.ConstView(), wrong_size.ConstView(), map), InvalidArgument);
  EXPECT_THROW(matcher->Compute(right_size.ConstView(), wide.ConstView(), map), InvalidArgument);
  const HostImage<std::uint8_t> higher(4, 5, 0), no_columns(0, 4), no_rows(4, 0);
  EXPECT_THROW(matcher->Compute(right_size.ConstView(), higher.ConstView(), map), InvalidArgument);
  for (const auto* both : {&wrong_size, &higher, &no_columns, &no_rows})
    EXPECT_THROW(matcher->Compute(both->ConstView(), both->ConstView(), map), InvalidArgument);
  Parameters ad_census = MatchingWith(8);
  ad_census.method = Method::kAdCensus;
  EXPECT_THROW(
      MakeReferenceAdCensusMatcher(ad_census, {4, 4})->Compute(higher.ConstView(), higher.ConstView(), map),
      InvalidArgument);
  const std::vector<std::uint16_t> values(64);
  const auto matches = [&](std::ptrdiff_t stride_bytes) {
    const HostImageView<const std::uint16_t> view(values.data() + 32, 4, 4, stride_bytes);
    matcher->Compute(view, view, map);
  };
  for (const std::ptrdiff_t stride_bytes : {8, 10, -8})
    EXPECT_NO_THROW(matches(stride_bytes)) << stride_bytes;
  for (const std::ptrdiff_t stride_bytes : {4, 9, 0, -6})
    EXPECT_THROW(matches(stride_bytes), InvalidArgument) << stride_bytes;
}

}  // namespace
}  // namespace parallax
