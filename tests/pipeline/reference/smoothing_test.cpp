#include <gtest/gtest.h>

#include <utility>

#include "pipeline/reference/refinement.h"
#include "pipeline/rules/refinement_math.h"
#include "tests/support/images.h"

namespace parallax::reference {
namespace {

using test::ImageFrom;
using test::ImageOf;
using test::kNone;
using test::SamePixels;

HostImage<float> Smoothed(HostImage<float> disparity, int passes, float range) {
  RefinementParameters parameters;
  parameters.smoothing_passes = passes;
  parameters.smoothing_range = range;
  ThreadPool threads(1);
  Smooth(parameters, disparity.View(), threads);
  return disparity;
}

TEST(Smooth, APlaneStaysThatPlaneUpToTheBorders) {
  const auto plane = ImageFrom<float>(40, 30, [](int x, int y) { return 20 + 0.25 * x - 0.5 * y; });
  EXPECT_TRUE(SamePixels(Smoothed(plane.Clone(), 2, 4).ConstView(), plane.ConstView()));
}

TEST(Smooth, AStepOfTwiceTheRangeStaysSharp) {
  const auto step = ImageFrom<float>(32, 9, [](int x, int) { return x < 16 ? 3.0F : 11.0F; });
  EXPECT_TRUE(SamePixels(Smoothed(step.Clone(), 1, 4).ConstView(), step.ConstView()));
  EXPECT_FALSE(SamePixels(Smoothed(step.Clone(), 1, 8).ConstView(), step.ConstView()));
}

// A row of nine with a 1 at pixel 3, range 1: a neighbour that differs by 1 has (4 - 1)^2 = 9 where others
// have 4^2 = 16. What lies at -3 is mirrored in the point at pixel 0: 2 * 0 - 1, 7 left of pixel 4 and 5 left
// of pixel 2.
TEST(Smooth, WorkedByHand) {
  const HostImage<float> smoothed = Smoothed(ImageOf<float>({{0, 0, 0, 1, 0, 0, 0, 0, 0}}), 1, 1);
  const float g1 = kSmoothingWeights[0], g3 = kSmoothingWeights[1], g5 = kSmoothingWeights[2],
              g7 = kSmoothingWeights[3];
  EXPECT_FLOAT_EQ(smoothed(4, 0), (g1 * 9 - g7 * 9) / (16 + g1 * 25 + g3 * 32 + g5 * 32 + g7 * 25));
  EXPECT_FLOAT_EQ(smoothed(2, 0), (g1 * 9 - g5 * 9) / (16 + g1 * 25 + g3 * 32 + g5 * 25 + g7 * 32));
}

TEST(Smooth, HolesStayAndCountForNothing) {
  HostImage<float> map = ImageFrom<float>(20, 12, [](int x, int y) { return 5 + (x * 7 + y * 3) % 4; });
  const HostImage<float> whole = Smoothed(map.Clone(), 2, 4);
  for (int x = 3; x < 17; ++x) map(x, 6) = kNone;
  const HostImage<float> holed = Smoothed(map.Clone(), 2, 4);
  for (int x = 3; x < 17; ++x) EXPECT_TRUE(std::isnan(holed(x, 6)));
  EXPECT_FALSE(std::isnan(holed(10, 5)));
  EXPECT_NE(holed(10, 5), whole(10, 5));
  const HostImage<float> empty = Smoothed(HostImage<float>(9, 5, kNone), 2, 4);
  EXPECT_TRUE(SamePixels(empty.ConstView(), HostImage<float>(9, 5, kNone).ConstView()));
}

TEST(Smooth, SizesFromOnePixelOn) {
  for (int width : {1, 2, 3, 7, 8, 9}) {
    for (int height : {1, 2, 7, 8}) {
      const HostImage<float> constant(width, height, -3.5F);
      EXPECT_TRUE(SamePixels(Smoothed(constant.Clone(), 3, 2).ConstView(), constant.ConstView()));
    }
  }
}

TEST(Smooth, EachPassHalvesTheRange) {
  const auto map = ImageFrom<float>(30, 20, [](int x, int y) { return test::NoiseAt(x, y) / 64.0F; });
  EXPECT_TRUE(SamePixels(Smoothed(map.Clone(), 2, 4).ConstView(),
                         Smoothed(Smoothed(map.Clone(), 1, 4), 1, 2).ConstView()));
}

}  // namespace
}  // namespace parallax::reference
