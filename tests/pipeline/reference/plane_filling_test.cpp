#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/reference/refinement.h"
#include "tests/support/images.h"
#include "tests/support/plain_parameters.h"

namespace parallax::reference {
namespace {

using test::ImageFrom;
using test::kNone;
using test::SamePixels;

Parameters WithPlanes(int tile = 8, int step = 2) {
  Parameters parameters = test::PlainParameters();
  parameters.refinement.planes = true;
  parameters.refinement.plane_tile = tile;
  parameters.refinement.plane_step = step;
  return parameters;
}

// rejected(x, y): validity bits, 0 for a kept pixel.
template <typename Disparity, typename Rejected>
DisparityMap MapOf(int width, int height, const Disparity& disparity, const Rejected& rejected) {
  return {ImageFrom<float>(width, height, disparity), ImageFrom<std::uint8_t>(width, height, rejected),
          HostImage<std::uint8_t>(width, height, 9)};
}

void Fill(const Parameters& parameters, DisparityMap& map, const HostImage<std::uint8_t>* guide = nullptr) {
  const HostImage<std::uint8_t> even(map.disparity.width(), map.disparity.height(), 100);
  ThreadPool threads(1);
  FillFromPlanes(parameters, (guide != nullptr ? *guide : even).ConstView(), map, threads);
}

TEST(FillFromPlanes, AHoleInASlopeTakesTheSlope) {
  const auto slope = [](int x, int y) { return 10 + 0.25 * x + 0.125 * y; };
  const auto is_hole = [](int x, int y) { return x >= 20 && x < 30 && y >= 12 && y < 22; };
  // What filling gave: the value beside the hole.
  DisparityMap map = MapOf(
      64, 40, [&](int x, int y) { return is_hole(x, y) ? slope(19, y) : slope(x, y); },
      [&](int x, int y) { return is_hole(x, y) ? kOccluded | kFilled : kValid; });
  Fill(WithPlanes(), map);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 64; ++x) {
      if (!is_hole(x, y)) {
        EXPECT_EQ(map.disparity(x, y), static_cast<float>(slope(x, y)));
      } else {
        EXPECT_NEAR(map.disparity(x, y), slope(x, y), 0.2) << x << ' ' << y;
        EXPECT_EQ(map.validity(x, y), kOccluded | kFilled);
      }
      EXPECT_EQ(map.confidence(x, y), 9);
    }
  }
}

TEST(FillFromPlanes, KeptPixelsNeverChange) {
  DisparityMap map = MapOf(
      50, 30, [](int x, int y) { return test::NoiseAt(x, y) / 3.0F; }, [](int, int) { return kValid; });
  const HostImage<float> before = map.disparity.Clone();
  Fill(WithPlanes(), map);
  EXPECT_TRUE(SamePixels(map.disparity.ConstView(), before.ConstView()));
}

TEST(FillFromPlanes, AConstantMapStaysAndAnEmptyOneIsLeftEmpty) {
  for (int width : {1, 2, 9, 40}) {
    for (int height : {1, 3, 17}) {
      DisparityMap constant = MapOf(
          width, height, [](int, int) { return 7.0F; },
          [](int x, int) { return x % 2 == 0 ? kSpeckle : kValid; });
      Fill(WithPlanes(), constant);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) EXPECT_NEAR(constant.disparity(x, y), 7.0F, 1e-5);
      }
      DisparityMap empty = MapOf(
          width, height, [](int, int) { return kNone; }, [](int, int) { return kMismatched; });
      Fill(WithPlanes(), empty);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          EXPECT_TRUE(std::isnan(empty.disparity(x, y)));
          EXPECT_EQ(empty.validity(x, y), kMismatched);
        }
      }
    }
  }
}

// One sample, a tile around it: the median is 5 (rounded down), the first round pulls the plane to 5.75 at
// the pixel, where nothing but that sample has a weight.
TEST(FillFromPlanes, OneKeptPixelGivesItsTileAConstant) {
  DisparityMap map = MapOf(
      8, 8, [](int x, int y) { return x == 4 && y == 4 ? 5.75F : kNone; },
      [](int x, int y) { return x == 4 && y == 4 ? kValid : kMismatched; });
  Fill(WithPlanes(), map);
  EXPECT_EQ(map.disparity(1, 1), 5.75F);
  EXPECT_EQ(map.validity(1, 1), kMismatched | kFilled);
  EXPECT_EQ(map.validity(4, 4), kValid);
  // Pixels that see no value 3 px away keep none.
  EXPECT_TRUE(std::isnan(map.disparity(0, 0)));
  EXPECT_EQ(map.validity(0, 0), kMismatched);
}

TEST(FillFromPlanes, ChoosesTheSurfaceOfLikeGrayAmongTwo) {
  // Two walls at 10 and 30, black and white, and a column of rejected white pixels filled from the black one.
  DisparityMap map = MapOf(
      64, 32, [](int x, int) { return x < 34 ? 10.0F : 30.0F; },
      [](int x, int) { return x >= 31 && x < 34 ? kMismatched | kFilled : kValid; });
  const auto guide = ImageFrom<std::uint8_t>(64, 32, [](int x, int) { return x < 31 ? 20 : 200; });
  Fill(WithPlanes(), map, &guide);
  EXPECT_NEAR(map.disparity(31, 16), 30.0F, 1e-4);
  EXPECT_NEAR(map.disparity(33, 16), 30.0F, 1e-4);
}

TEST(FillFromPlanes, ValuesStayWithinTheRangeOfDisparities) {
  Parameters parameters = WithPlanes();
  parameters.matching_cost.num_disparities = 16;  // 0 .. 15
  DisparityMap map = MapOf(
      64, 16, [](int x, int) { return std::min(15.0, 0.5 * x); },
      [](int x, int) { return x > 28 ? kOutOfRange | kFilled : kValid; });
  Fill(parameters, map);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 64; ++x) EXPECT_LE(map.disparity(x, y), 15.0F);
  }
}

}  // namespace
}  // namespace parallax::reference
