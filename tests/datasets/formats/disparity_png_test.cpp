#include "datasets/formats/disparity_png.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "datasets/formats/image_file.h"
#include "tests/datasets/test_files.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using test::TemporaryFolder;

constexpr float kInf = std::numeric_limits<float>::infinity();

HostImage<float> RowOf(std::initializer_list<float> values) {
  HostImage<float> image(static_cast<int>(values.size()), 1);
  std::copy(values.begin(), values.end(), image.Row(0));
  return image;
}

TEST(WriteDisparityPng, TruncatesAndKeepsZeroAsValue) {
  const TemporaryFolder dir;
  const DisparityPngCounts counts = WriteDisparityPng(
      dir / "d.png",
      RowOf({0, 1, 1.0039F, 0.001F, 1.99999F, 255.99609375F, 256, 1e30F, -1, -0.5F, kNan, kInf}).ConstView());
  const auto raw = ReadGray16(dir / "d.png");
  // floor(256 d): 1.0039 * 256 = 256.998; at least 1; at most 65535.
  const std::uint16_t expected[] = {1, 256, 256, 1, 511, 65535, 65535, 65535, 0, 0, 0, 0};
  for (int x = 0; x < raw.width(); ++x) EXPECT_EQ(raw(x, 0), expected[x]) << "pixel " << x;
  EXPECT_EQ(counts.num_valid, 10U) << "all but NaN and infinity";
  EXPECT_EQ(counts.num_negative, 2U);
  EXPECT_EQ(counts.num_clipped, 2U);
}

TEST(ReadDisparityPng, ValueOver256AndZeroIsNone) {
  const TemporaryFolder dir;
  HostImage<std::uint16_t> raw(3, 1);
  raw(0, 0) = 0;
  raw(1, 0) = 1;
  raw(2, 0) = 65535;
  WritePng(dir / "d.png", raw.ConstView());
  const auto disparity = ReadDisparityPng(dir / "d.png");
  EXPECT_TRUE(std::isnan(disparity(0, 0)));
  EXPECT_EQ(disparity(1, 0), 1.0F / 256);
  EXPECT_EQ(disparity(2, 0), 65535.0F / 256);
}

TEST(ReadDisparityPng, EightBitsAreRefused) {
  const TemporaryFolder dir;
  WritePng(dir / "d.png", HostImage<std::uint8_t>(4, 3, 7).ConstView());
  EXPECT_THAT(test::ErrorOf([&] { ReadDisparityPng(dir / "d.png"); }),
              testing::HasSubstr("d.png: is 8-bit gray, not 16-bit gray"));
}

TEST(ReadScaledDisparity, DividesByTheScale) {
  const TemporaryFolder dir;
  HostImage<std::uint8_t> raw(2, 1);
  raw(0, 0) = 0;
  raw(1, 0) = 100;
  WritePng(dir / "d.png", raw.ConstView());
  const auto disparity = ReadScaledDisparity(dir / "d.png", 16);
  EXPECT_TRUE(std::isnan(disparity(0, 0)));
  EXPECT_EQ(disparity(1, 0), 6.25F);
}

TEST(WriteDepthPng, MillimetresRoundedAndNoneBeyond65Metres) {
  const TemporaryFolder dir;
  WriteDepthPng(dir / "z.png", RowOf({kNan, 1.2344F, 1.2346F, 65.535F, 65.54F, kInf, -1, 0}).ConstView());
  const auto raw = ReadGray16(dir / "z.png");
  const std::uint16_t expected[] = {0, 1234, 1235, 65535, 0, 0, 0, 0};
  for (int x = 0; x < raw.width(); ++x) EXPECT_EQ(raw(x, 0), expected[x]) << "pixel " << x;
  const auto back = ReadDepthPng(dir / "z.png");
  EXPECT_TRUE(std::isnan(back(0, 0)));
  EXPECT_FLOAT_EQ(back(1, 0), 1.234F);
}

}  // namespace
}  // namespace parallax
