#include <gtest/gtest.h>

#include <bit>

#include "pipeline/reference/stages.h"
#include "pipeline/rules/matching_tables.h"
#include "tests/support/images.h"

namespace parallax::reference {
namespace {

using test::ImageFrom;
using test::ImageOf;

HostImage<std::uint64_t> Census(const HostImage<std::uint8_t>& image, CensusWindow window) {
  ThreadPool threads(2);
  HostImage<std::uint64_t> census(image.width(), image.height());
  CensusTransform(image.ConstView(), window, census.View(), threads);
  return census;
}

TEST(CensusTransform, PeakIsBrighterThanEveryNeighbourOfTheWindow) {
  // The window's whole centre row and column count too: 62 bits in 9x7, not 48.
  const auto peak = ImageFrom<std::uint8_t>(13, 13, [](int x, int y) { return x == 6 && y == 6 ? 9 : 1; });
  EXPECT_EQ(Census(peak, CensusWindow::k5x5)(6, 6), (std::uint64_t{1} << 24) - 1);
  EXPECT_EQ(Census(peak, CensusWindow::k7x7)(6, 6), (std::uint64_t{1} << 48) - 1);
  EXPECT_EQ(Census(peak, CensusWindow::k9x7)(6, 6), (std::uint64_t{1} << 62) - 1);
  for (const CensusWindow window : {CensusWindow::k5x5, CensusWindow::k7x7, CensusWindow::k9x7})
    EXPECT_EQ(std::popcount(Census(peak, window)(6, 6)), NumCensusBits(window));
}

TEST(CensusTransform, NineBySevenIsNineWide) {
  // Only the pixel 4 to the right is darker: the last of the centre row. 4 below is outside the window.
  const auto image = ImageFrom<std::uint8_t>(
      11, 11, [](int x, int y) { return (x == 9 && y == 5) || (x == 5 && y == 9) ? 0 : 5; });
  EXPECT_EQ(Census(image, CensusWindow::k9x7)(5, 5), std::uint64_t{1} << (3 * 9 + 7));
}

TEST(CensusTransform, BitsAreInReadingOrder) {
  // On a ramp to the right, the two columns to the left are darker.
  const auto ramp = ImageFrom<std::uint8_t>(9, 9, [](int x, int) { return x; });
  std::uint64_t expected = 0;
  for (const int bit : {0, 1, 5, 6, 10, 11, 14, 15, 19, 20}) expected |= std::uint64_t{1} << bit;
  EXPECT_EQ(Census(ramp, CensusWindow::k5x5)(4, 4), expected);
}

TEST(CensusTransform, CenterSymmetricComparesThePixelsBeforeTheCentreWithTheirMirrorImages) {
  const auto falling = ImageFrom<std::uint8_t>(9, 7, [](int x, int y) { return 200 - (y * 9 + x); });
  EXPECT_EQ(Census(falling, CensusWindow::kCenterSymmetric9x7)(4, 3), (std::uint64_t{1} << 31) - 1);
  const auto rising = ImageFrom<std::uint8_t>(9, 7, [](int x, int y) { return y * 9 + x; });
  EXPECT_EQ(Census(rising, CensusWindow::kCenterSymmetric9x7)(4, 3), 0U);
  // Pair number 27 is the first of the centre row: (x - 4, y) against (x + 4, y).
  const auto pair = ImageFrom<std::uint8_t>(9, 7, [](int x, int y) { return x == 0 && y == 3 ? 9 : 3; });
  EXPECT_EQ(Census(pair, CensusWindow::kCenterSymmetric9x7)(4, 3), std::uint64_t{1} << 27);
}

TEST(CensusTransform, TwoScalesCompareTheImageNearbyAndTheSmoothedOneAround) {
  const auto peak = ImageFrom<std::uint8_t>(15, 13, [](int x, int y) { return x == 7 && y == 6 ? 9 : 1; });
  EXPECT_EQ(Census(peak, CensusWindow::kTwoScale)(7, 6), ~std::uint64_t{0});
  // 4 to the right and 2 below: number 25 of both scales.
  const auto dark = ImageFrom<std::uint8_t>(15, 13, [](int x, int y) { return x == 11 && y == 8 ? 1 : 9; });
  EXPECT_EQ(Census(dark, CensusWindow::kTwoScale)(7, 6), std::uint64_t{1} << 25 | std::uint64_t{1} << 55);
  // 1 to the right: in no comparison itself, but in the sums of the centre and of (2, 0), number 17, with the
  // same weight.
  const auto bright = [](int x, int y) { return x == 8 && y == 6 ? 101 : 100; };
  EXPECT_EQ(Census(ImageFrom<std::uint8_t>(15, 13, bright), CensusWindow::kTwoScale)(7, 6),
            ~((std::uint64_t{1} << 30) - 1) & ~(std::uint64_t{1} << 47));
  // Of 16-bit images by 16 and rounded down: 1602 is no more than 1600.
  const auto deep = ImageFrom<std::uint16_t>(15, 13, bright);
  ThreadPool threads(1);
  HostImage<std::uint64_t> census(15, 13);
  CensusTransform(deep.ConstView(), CensusWindow::kTwoScale, census.View(), threads);
  EXPECT_EQ(census(7, 6), 0U);
}

TEST(CensusTransform, PairsOnTwoScalesCompareTheImageBesideTheCentreAndTheSmoothedOneAround) {
  const auto census = [](const auto& pixel) {
    return Census(ImageFrom<std::uint8_t>(15, 13, pixel), CensusWindow::kCenterSymmetricTwoScale)(7, 6);
  };
  EXPECT_EQ(census([](int x, int y) { return 250 - (y * 15 + x); }), (std::uint64_t{1} << 31) - 1);
  EXPECT_EQ(census([](int x, int y) { return y * 15 + x; }), 0U);
  // The left neighbour is the first of pair 3. Smoothed, it reaches 2 to the left, in the centre's row (pair 30) and
  // in those above (24) and below, where it is the second of its pair.
  EXPECT_EQ(census([](int x, int y) { return x == 6 && y == 6 ? 9 : 1; }),
            std::uint64_t{1} << 3 | std::uint64_t{1} << 24 | std::uint64_t{1} << 30);
}

TEST(CensusTransform, SmoothedOutsideIsTheSumOfTheNearestPixelInside) {
  // Sums of the row 4 4 0: 64, 48, 16 (of 16 weights 12 and 4 lie on the first two of the middle one's).
  const auto row = ImageOf<std::uint8_t>({{4, 4, 0}});
  const auto census = Census(row, CensusWindow::kTwoScale);
  // Of the middle pixel: the right half of the smoothed image, 2, 4 and 6 to the right in five rows, and of
  // the image itself those at 1 or more to the right.
  std::uint64_t expected = 0;
  int bit = 0;
  for (int dy = -3; dy <= 3; ++dy) {
    for (int dx = -4; dx <= 4; ++dx) {
      if ((dx + dy) % 2 != 0 || (dx == 0 && dy == 0)) continue;
      expected |= std::uint64_t{dx > 0} << bit++;
    }
  }
  for (int dy = -4; dy <= 4; dy += 2) {
    for (int dx = -6; dx <= 6; dx += 2) {
      if (dx == 0 && dy == 0) continue;
      expected |= std::uint64_t{dx > 0} << bit++;
    }
  }
  ASSERT_EQ(bit, 64);
  EXPECT_EQ(census(1, 0), expected);
}

TEST(CensusTransform, OutsideIsTheNearestPixelInside) {
  const auto row = ImageOf<std::uint8_t>({{5, 3, 9}});
  const auto census = Census(row, CensusWindow::k5x5);
  EXPECT_EQ(census(1, 0), 0U);  // 5 5 | 9 9: none darker than 3
  std::uint64_t left_columns = 0;
  for (const int bit : {0, 1, 5, 6, 10, 11, 14, 15, 19, 20}) left_columns |= std::uint64_t{1} << bit;
  EXPECT_EQ(census(2, 0), left_columns);  // 5 3 | 9 9: both to the left are darker than 9
  EXPECT_EQ(Census(ImageOf<std::uint8_t>({{7}}), CensusWindow::k9x7)(0, 0), 0U);
}

TEST(CensusTransform, IgnoresBrightnessAndContrast) {
  const auto image = ImageFrom<std::uint8_t>(40, 30, [](int x, int y) { return test::NoiseAt(x, y) / 4; });
  const auto brighter =
      ImageFrom<std::uint8_t>(40, 30, [](int x, int y) { return test::NoiseAt(x, y) / 4 * 3 + 20; });
  for (const auto window :
       {CensusWindow::k5x5, CensusWindow::k7x7, CensusWindow::k9x7, CensusWindow::kCenterSymmetric9x7,
        CensusWindow::kTwoScale, CensusWindow::kCenterSymmetricTwoScale}) {
    EXPECT_TRUE(test::SamePixels(Census(image, window).ConstView(), Census(brighter, window).ConstView()));
  }
}

TEST(CensusTransform, SixteenBitsAreComparedWhole) {
  // Values that agree in the upper byte, and values that agree in the lower one.
  const auto image = ImageFrom<std::uint16_t>(5, 5, [](int x, int) { return x < 2 ? 0x1200 : 0x1201; });
  ThreadPool threads(1);
  HostImage<std::uint64_t> census(5, 5);
  CensusTransform(image.ConstView(), CensusWindow::k5x5, census.View(), threads);
  std::uint64_t left_columns = 0;
  for (const int bit : {0, 1, 5, 6, 10, 11, 14, 15, 19, 20}) left_columns |= std::uint64_t{1} << bit;
  EXPECT_EQ(census(2, 2), left_columns);
}

TEST(Gray, ColourWeightsAreRoundedAndSumToOne) {
  const auto color = ImageOf<Rgb8>({{{255, 255, 255}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {1, 1, 1}}});
  const auto gray = GrayFromColor(color.ConstView());
  EXPECT_EQ(gray(0, 0), 255);
  EXPECT_EQ(gray(1, 0), 77);   // (77 * 255 + 128) >> 8
  EXPECT_EQ(gray(2, 0), 149);  // (150 * 255 + 128) >> 8
  EXPECT_EQ(gray(3, 0), 29);
  EXPECT_EQ(gray(4, 0), 1);
}

}  // namespace
}  // namespace parallax::reference
