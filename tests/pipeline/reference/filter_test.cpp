#include <gtest/gtest.h>

#include "pipeline/reference/stages.h"
#include "tests/support/images.h"

namespace parallax::reference {
namespace {

using test::ImageOf;
using test::kNone;
using test::SamePixels;

DisparityMap MapOf(HostImage<float> disparity, std::uint8_t missing = kMismatched) {
  DisparityMap map{std::move(disparity), {}, {}};
  const int width = map.disparity.width(), height = map.disparity.height();
  map.confidence = HostImage<std::uint8_t>(width, height, 0);
  map.validity = test::ImageFrom<std::uint8_t>(width, height, [&](int x, int y) {
    return std::isnan(map.disparity(x, y)) ? missing : std::uint8_t{0};
  });
  return map;
}

TEST(RemoveSpeckles, SmallIslandsGoLargeOnesStay) {
  DisparityMap map = MapOf(ImageOf<float>({{1, 1, 9, 5},  //
                                           {1, 1, 9, 5},
                                           {9, 9, 9, 7}}));
  FilterParameters parameters;
  parameters.speckle_size = 3;
  parameters.speckle_range = 1;
  RemoveSpeckles(parameters, map);  // islands: four 1, five 9, two 5, one 7
  EXPECT_TRUE(SamePixels(map.disparity.ConstView(), ImageOf<float>({{1, 1, 9, kNone},  //
                                                                    {1, 1, 9, kNone},
                                                                    {9, 9, 9, kNone}})
                                                        .ConstView()));
  EXPECT_EQ(map.validity(3, 0), kSpeckle);
  EXPECT_EQ(map.validity(0, 0), kValid);
}

TEST(RemoveSpeckles, NeighboursChainWithinTheRangeAndDiagonalsDoNotTouch) {
  FilterParameters parameters;
  parameters.speckle_size = 3;
  parameters.speckle_range = 1;
  DisparityMap slope = MapOf(ImageOf<float>({{1, 2, 3}}));
  RemoveSpeckles(parameters, slope);
  EXPECT_EQ(slope.disparity(2, 0), 3);  // one island: each step is 1
  DisparityMap diagonal = MapOf(ImageOf<float>({{1, kNone, 1}, {kNone, 1, kNone}}));
  RemoveSpeckles(parameters, diagonal);
  for (int x = 0; x < 3; ++x) EXPECT_TRUE(std::isnan(diagonal.disparity(x, x % 2)));
  DisparityMap exact = MapOf(ImageOf<float>({{1, 1}, {1, kNone}}));
  RemoveSpeckles(parameters, exact);
  EXPECT_EQ(exact.disparity(0, 0), 1);  // an island of exactly speckle_size stays
}

TEST(FillHoles, OccludedFromTheBackgroundOfTheRowMismatchedFromTheMiddle) {
  // Values around the hole, ascending: 1 2 3 4 5 6 7 8; 7 and 3 beside it.
  const auto around = [] { return ImageOf<float>({{1, 8, 2}, {7, kNone, 3}, {6, 4, 5}}); };
  ThreadPool threads(1);
  DisparityMap occluded = MapOf(around(), kOccluded);
  FillHoles(occluded, threads);
  EXPECT_EQ(occluded.disparity(1, 1), 3);
  EXPECT_EQ(occluded.validity(1, 1), kOccluded | kFilled);
  DisparityMap outside = MapOf(around(), kOutOfRange | kNotUnique);
  FillHoles(outside, threads);
  EXPECT_EQ(outside.disparity(1, 1), 3);
  DisparityMap mismatched = MapOf(around(), kMismatched);
  FillHoles(mismatched, threads);
  EXPECT_EQ(mismatched.disparity(1, 1), 4);  // lower median of eight
  EXPECT_EQ(mismatched.validity(0, 0), kValid);
}

TEST(FillHoles, AtTheLeftBorderTheRightNeighbourAndInAnEmptyRowTheSecondLowest) {
  ThreadPool threads(1);
  DisparityMap border = MapOf(ImageOf<float>({{1, 2, 3}, {kNone, kNone, 9}, {4, 5, 6}}), kOutOfRange);
  FillHoles(border, threads);
  EXPECT_EQ(border.disparity(0, 1), 9);
  DisparityMap empty_row = MapOf(ImageOf<float>({{5, 1, 3}, {kNone, kNone, kNone}, {9, 7, 8}}), kOccluded);
  FillHoles(empty_row, threads);
  EXPECT_EQ(empty_row.disparity(1, 1), 3);  // 1 3 5 7 8 9
  DisparityMap one_value = MapOf(ImageOf<float>({{kNone}, {2}}), kOccluded);
  FillHoles(one_value, threads);
  EXPECT_EQ(one_value.disparity(0, 0), 2);
}

TEST(FillHoles, OneValueReachesEveryPixelAndAnEmptyMapStaysEmpty) {
  ThreadPool threads(2);
  for (const auto& [x, y] : {std::pair{0, 0}, {4, 2}, {6, 6}, {1, 5}}) {
    HostImage<float> disparity(7, 7, kNone);
    disparity(x, y) = 3;
    DisparityMap map = MapOf(std::move(disparity));
    FillHoles(map, threads);
    EXPECT_TRUE(SamePixels(map.disparity.ConstView(), HostImage<float>(7, 7, 3.0F).ConstView()));
  }
  DisparityMap empty = MapOf(HostImage<float>(5, 3, kNone));
  FillHoles(empty, threads);
  EXPECT_TRUE(SamePixels(empty.disparity.ConstView(), HostImage<float>(5, 3, kNone).ConstView()));
  EXPECT_EQ(empty.validity(2, 1), kMismatched);
}

TEST(MedianFilter, NeighboursWithoutAValueCountAsTheCentre) {
  ThreadPool threads(1);
  DisparityMap map = MapOf(ImageOf<float>({{1, 2, 3}, {4, 50, 6}, {7, 8, kNone}}));
  MedianFilter(3, map, threads);
  EXPECT_EQ(map.disparity(1, 1), 6);  // 1 2 3 4 6 7 8 50 50
  // Corner 1: itself, 2, 4, 50 and five times outside as 1.
  EXPECT_EQ(map.disparity(0, 0), 1);
  EXPECT_TRUE(std::isnan(map.disparity(2, 2)));
}

TEST(MedianFilter, FiveByFiveRemovesWhatCoversLessThanHalfTheWindow) {
  ThreadPool threads(1);
  DisparityMap map = MapOf(
      test::ImageFrom<float>(9, 9, [](int x, int y) { return x >= 3 && x < 6 && y >= 3 && y < 7 ? 9 : 2; }));
  MedianFilter(5, map, threads);  // 12 of 25
  EXPECT_EQ(map.disparity(4, 4), 2);
  DisparityMap off = MapOf(ImageOf<float>({{1, 9, 1}}));
  MedianFilter(0, off, threads);
  EXPECT_EQ(off.disparity(1, 0), 9);
}

}  // namespace
}  // namespace parallax::reference
