#include "pipeline/rules/texture.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parallax {
namespace {

TEST(Texture, OnePixelThatDiffersIsEnoughWhereverItIs) {
  for (const auto& [width, height] : {std::pair{1, 2}, {2, 1}, {5, 3}, {64, 2}}) {
    HostImage<std::uint8_t> image(width, height, 7);
    EXPECT_TRUE(IsConstant(image.ConstView())) << width << "x" << height;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        image(x, y) = 8;
        EXPECT_FALSE(IsConstant(image.ConstView())) << width << "x" << height << " at " << x << " " << y;
        image(x, y) = 7;
      }
    }
  }
}

TEST(Texture, ASinglePixelIsConstant) {
  EXPECT_TRUE(IsConstant(HostImage<std::uint8_t>(1, 1, 200).ConstView()));
}

// Rows and columns that are constant by themselves.
TEST(Texture, StripesAreNotConstant) {
  HostImage<std::uint8_t> rows(6, 4), columns(6, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) {
      rows(x, y) = static_cast<std::uint8_t>(y);
      columns(x, y) = static_cast<std::uint8_t>(x);
    }
  }
  EXPECT_FALSE(IsConstant(rows.ConstView()));
  EXPECT_FALSE(IsConstant(columns.ConstView()));
}

// Of colour all three channels count, of 16 bits both bytes; bytes between rows do not, nor their order.
TEST(Texture, LooksAtWholePixelsAndAtNothingElse) {
  HostImage<Rgb8> color(3, 2, Rgb8{1, 2, 3});
  EXPECT_TRUE(IsConstant(color.ConstView()));
  color(2, 1).b = 4;
  EXPECT_FALSE(IsConstant(color.ConstView()));

  HostImage<std::uint16_t> deep(3, 2, 0x0101);
  EXPECT_TRUE(IsConstant(deep.ConstView()));
  deep(1, 0) = 0x0201;
  EXPECT_FALSE(IsConstant(deep.ConstView()));

  std::vector<std::uint8_t> padded(5 * 3, 9);
  for (std::size_t y = 0; y < 3; ++y) padded[y * 5 + 4] = static_cast<std::uint8_t>(y);  // behind each row
  EXPECT_TRUE(IsConstant(HostImageView<const std::uint8_t>(padded.data(), 4, 3, 5)));
  EXPECT_TRUE(IsConstant(HostImageView<const std::uint8_t>(padded.data() + 10, 4, 3, -5)));
  EXPECT_FALSE(IsConstant(HostImageView<const std::uint8_t>(padded.data(), 5, 3, 5)));
}

TEST(Texture, ConfidenceIsTakenBackWhereEitherImageIsConstant) {
  HostImage<std::uint8_t> constant(4, 2, 50), textured(4, 2, 50);
  textured(3, 1) = 51;
  const auto confidence_beside = [](const HostImage<std::uint8_t>& left,
                                    const HostImage<std::uint8_t>& right) {
    HostImage<std::uint8_t> confidence(4, 2, 200);
    ClearConfidenceOfConstantImages(left.ConstView(), right.ConstView(), confidence.View());
    return int{confidence(0, 0)} + confidence(3, 1);
  };
  EXPECT_EQ(confidence_beside(textured, textured), 400);
  EXPECT_EQ(confidence_beside(constant, textured), 0);
  EXPECT_EQ(confidence_beside(textured, constant), 0);
  EXPECT_EQ(confidence_beside(constant, constant), 0);
}

}  // namespace
}  // namespace parallax
