// Properties of the whole line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "parallax/error.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax {
namespace {

using test::ImageFrom;
using test::NoiseAt;

Parameters With(int num_disparities) {
  Parameters parameters = test::PlainParameters();
  parameters.method = Method::kAdCensus;
  parameters.census_transform.window = CensusWindow::k9x7;
  parameters.matching_cost.num_disparities = num_disparities;
  parameters.filter.speckle_size = 0;
  return parameters;
}

DisparityMap Match(const CameraImageView& left, const CameraImageView& right, const Parameters& parameters,
                   StageResults* stages = nullptr) {
  DisparityMap map;
  MakeReferenceAdCensusMatcher(parameters, {WidthOf(left), HeightOf(left), 2})
      ->Compute(left, right, map, nullptr, stages);
  return map;
}

TEST(AdCensusMatcher, AConstantShiftIsFoundExactly) {
  const auto left = ImageFrom<std::uint8_t>(70, 31, [](int x, int y) { return NoiseAt(x, y); });
  for (const RightWinner right_winner : {RightWinner::kDiagonal, RightWinner::kOwn}) {
    for (const int shift : {0, 7, -5}) {
      const auto right = ImageFrom<std::uint8_t>(70, 31, [&](int x, int y) { return NoiseAt(x + shift, y); });
      Parameters parameters = With(20);
      parameters.matching_cost.min_disparity = -8;
      parameters.ad_census.right_winner = right_winner;
      const DisparityMap map = Match(left.ConstView(), right.ConstView(), parameters);
      for (int y = 0; y < 31; ++y) {
        for (int x = 12; x < 70 - 12; ++x) {
          ASSERT_EQ(map.disparity(x, y), static_cast<float>(shift)) << x << ", " << y;
          ASSERT_EQ(map.validity(x, y), kValid);
        }
      }
    }
  }
}

// The same gray in three channels is that gray.
TEST(AdCensusMatcher, GrayIsColorOfEqualChannels) {
  const auto gray_left = ImageFrom<std::uint8_t>(40, 20, [](int x, int y) { return NoiseAt(x / 3, y / 2); });
  const auto gray_right =
      ImageFrom<std::uint8_t>(40, 20, [](int x, int y) { return NoiseAt(x / 3 + 1, y / 2); });
  const auto color = [](const HostImage<std::uint8_t>& gray) {
    HostImage<Rgb8> image(gray.width(), gray.height());
    for (int y = 0; y < gray.height(); ++y) {
      for (int x = 0; x < gray.width(); ++x) image(x, y) = {gray(x, y), gray(x, y), gray(x, y)};
    }
    return image;
  };
  const HostImage<Rgb8> color_left = color(gray_left), color_right = color(gray_right);
  EXPECT_TRUE(test::SamePixels(
      Match(gray_left.ConstView(), gray_right.ConstView(), With(9)).disparity.ConstView(),
      Match(color_left.ConstView(), color_right.ConstView(), With(9)).disparity.ConstView()));
}

TEST(AdCensusMatcher, AnySizeAndRange) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 3}}) {
    for (const int num_disparities : {1, 2, 40}) {
      for (const int min_disparity : {-3, 0, 30}) {
        const HostImage<std::uint8_t> image =
            ImageFrom<std::uint8_t>(width, height, [](int x, int y) { return x * 9 + y; });
        Parameters parameters = With(num_disparities);
        parameters.matching_cost.min_disparity = min_disparity;
        const DisparityMap map = Match(image.ConstView(), image.ConstView(), parameters);
        EXPECT_EQ(map.disparity.width(), width);
        EXPECT_EQ(map.disparity.height(), height);
      }
    }
  }
}

TEST(AdCensusMatcher, HandsOutEveryStage) {
  const HostImage<std::uint8_t> image(5, 4, 7);
  StageResults stages;
  Match(image.ConstView(), image.ConstView(), With(3), &stages);
  EXPECT_THAT(
      stages.names(),
      testing::ElementsAre("census_left", "census_right", "arms_left", "arms_right", "costs", "aggregated",
                           "sums", "winner_left", "winner_right", "selected", "consistent",
                           "without_speckles", "voted", "filled", "adjusted", "refined"));
}

}  // namespace
}  // namespace parallax
