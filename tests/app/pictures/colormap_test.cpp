#include "app/pictures/colormap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "parallax/disparity_map.h"
#include "tests/support/nan.h"

namespace parallax::app {
namespace {

Rgb8 Level(int i) { return ColorOf(static_cast<float>(i) / 255.0F); }
double Luma(Rgb8 c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; }
double Linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

// Distance in OKLab (Ottosson 2020).
double Distance(Rgb8 p, Rgb8 q) {
  const auto lab = [](Rgb8 c) {
    const double r = Linear(c.r / 255.0), g = Linear(c.g / 255.0), b = Linear(c.b / 255.0);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return std::array<double, 3>{0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                                 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                                 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
  };
  const auto a = lab(p), b = lab(q);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

TEST(Colormap, LightnessGrowsAllTheWay) {
  for (int i = 16; i <= 255; i += 16) EXPECT_GT(Luma(Level(i)), Luma(Level(i - 16)));
}

TEST(Colormap, EqualStepsAreEqualDistances) {
  constexpr int kSteps = 16;
  double smallest = 1, largest = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double d =
        Distance(ColorOf(static_cast<float>(i) / kSteps), ColorOf(static_cast<float>(i + 1) / kSteps));
    smallest = std::min(smallest, d);
    largest = std::max(largest, d);
  }
  EXPECT_LT(largest / smallest, 1.15);
}

TEST(Colormap, InvalidIsFarFromEveryColour) {
  for (int i = 0; i <= 255; ++i) EXPECT_GT(Distance(Level(i), kInvalidColor), 0.35);
  EXPECT_EQ(ColorOf(kNan), kInvalidColor);
}

TEST(Colormap, ClampsAndTakesTheStatedRange) {
  HostImage<float> d(5, 1);
  const float values[] = {kNan, -3, 10, 20, 1000};
  for (int x = 0; x < 5; ++x) d(x, 0) = values[x];
  const HostImage<Rgb8> picture = ColorDisparity(d.ConstView(), 10, 20);
  EXPECT_EQ(picture(0, 0), kInvalidColor);
  EXPECT_EQ(picture(1, 0), ColorOf(0));
  EXPECT_EQ(picture(2, 0), ColorOf(0));
  EXPECT_EQ(picture(3, 0), ColorOf(1));
  EXPECT_EQ(picture(4, 0), ColorOf(1));
}

TEST(Colormap, FilledPixelsArePalerAndHolesStayHoles) {
  HostImage<float> d(3, 1, 15.0F);
  d(2, 0) = kNan;
  HostImage<std::uint8_t> validity(3, 1, std::uint8_t{kOccluded | kFilled});
  validity(0, 0) = kValid;
  const HostImage<Rgb8> picture = ColorDisparity(d.ConstView(), 10, 20, validity.ConstView());
  EXPECT_EQ(picture(0, 0), ColorOf(0.5F));
  EXPECT_EQ(picture(1, 0), Paler(ColorOf(0.5F)));
  EXPECT_EQ(picture(2, 0), kInvalidColor);
  for (int i = 0; i <= 255; ++i) EXPECT_GT(Distance(Level(i), Paler(Level(i))), 0.02) << i;
}

TEST(Colormap, AnEmptyRangeStillTellsInvalidFromValid) {
  HostImage<float> d(2, 1);
  d(0, 0) = 7;
  d(1, 0) = kNan;
  const HostImage<Rgb8> picture = ColorDisparity(d.ConstView(), 7, 7);
  EXPECT_EQ(picture(0, 0), ColorOf(0));
  EXPECT_EQ(picture(1, 0), kInvalidColor);
}

}  // namespace
}  // namespace parallax::app
