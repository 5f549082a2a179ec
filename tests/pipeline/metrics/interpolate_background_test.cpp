#include "pipeline/metrics/interpolate_background.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/pipeline/metrics/image_of.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

TEST(InterpolateBackground, AGapTakesTheSmallerNeighbour) {
  const auto left_smaller = InterpolateBackground(Map(5, {2, kMissing, kMissing, 7, 9}).ConstView());
  EXPECT_THAT(PixelsOf(left_smaller), ElementsAre(2, 2, 2, 7, 9));
  const auto right_smaller = InterpolateBackground(Map(4, {7, kMissing, 2, 3}).ConstView());
  EXPECT_THAT(PixelsOf(right_smaller), ElementsAre(7, 2, 2, 3));
}

TEST(InterpolateBackground, RowEndsTakeTheNearestValue) {
  const auto filled = InterpolateBackground(Map(5, {kMissing, kMissing, 4, 6, kMissing}).ConstView());
  EXPECT_THAT(PixelsOf(filled), ElementsAre(4, 4, 4, 6, 6));
}

TEST(InterpolateBackground, EmptyRowsAtTopAndBottomTakeTheNearestRow) {
  const auto filled =
      InterpolateBackground(Map(2, {kMissing, kMissing, 3, kMissing, 5, 6, kMissing, kMissing}).ConstView());
  EXPECT_THAT(PixelsOf(filled), ElementsAre(3, 3, 3, 3, 5, 6, 5, 6));
}

TEST(InterpolateBackground, AnEmptyRowBetweenOthersStaysEmpty) {
  const auto filled = InterpolateBackground(Map(1, {1, kMissing, 2}).ConstView());
  EXPECT_THAT(PixelsOf(filled), ElementsAre(1, IsNan(), 2));
}

TEST(InterpolateBackground, AMapWithoutValuesStaysEmpty) {
  const auto filled = InterpolateBackground(Map(2, {kMissing, kMissing, kMissing, kMissing}).ConstView());
  EXPECT_THAT(PixelsOf(filled), ElementsAre(IsNan(), IsNan(), IsNan(), IsNan()));
  EXPECT_TRUE(InterpolateBackground(HostImage<float>().ConstView()).Empty());
}

TEST(InterpolateBackground, AWholeMapIsUnchanged) {
  const auto filled = InterpolateBackground(Map(2, {0, 1, 2, -3}).ConstView());
  EXPECT_THAT(PixelsOf(filled), ElementsAre(0, 1, 2, -3));
}

}  // namespace
}  // namespace parallax
