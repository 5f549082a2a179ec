#include "parallax/image.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "pipeline/types/cost_volume.h"

namespace parallax {
namespace {

TEST(HostImage, RowsAreAlignedAndHoldTheirPixels) {
  for (const int width : {1, 21, 64, 65}) {
    HostImage<Rgb8> image(width, 3, Rgb8{1, 2, 3});
    for (int y = 0; y < 3; ++y) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.Row(y)) % 64, 0U);
      EXPECT_EQ(image(width - 1, y), (Rgb8{1, 2, 3}));
    }
  }
}

TEST(HostImage, MovesLeaveNothingBehindAndClonesAreApart) {
  HostImage<int> a(3, 2, 7);
  HostImage<int> b = a.Clone();
  b(0, 0) = 1;
  EXPECT_EQ(a(0, 0), 7);
  const HostImage<int> c = std::move(a);
  EXPECT_EQ(c(2, 1), 7);
  EXPECT_TRUE(a.Empty());  // NOLINT(bugprone-use-after-move): the moved-from state is what is tested
  EXPECT_EQ(a.width(), 0);
}

TEST(HostImage, EmptyAndNegativeSizes) {
  EXPECT_TRUE(HostImage<float>(0, 5).Empty());
  EXPECT_TRUE(HostImage<float>(5, 0, 1.0F).Empty());
  EXPECT_THROW(HostImage<float>(-1, 5), InvalidArgument);
}

TEST(ImageView, RowsLieAsManyBytesApartAsTheViewSays) {
  // RGB of 3 px, rows padded to 4 bytes: 9 + 3.
  std::uint8_t bytes[24] = {};
  for (int i = 0; i < 24; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const auto* first = reinterpret_cast<const Rgb8*>(bytes);
  const HostImageView<const Rgb8> padded(first, 3, 2, 12);
  EXPECT_EQ(padded(0, 1), (Rgb8{12, 13, 14}));
  EXPECT_EQ(padded(2, 1), (Rgb8{18, 19, 20}));
  EXPECT_EQ(HostImageView<const Rgb8>(first, 3, 2)(0, 1), (Rgb8{9, 10, 11}));  // without gaps
  const HostImageView<const Rgb8> upside_down(reinterpret_cast<const Rgb8*>(bytes + 12), 3, 2, -12);
  EXPECT_EQ(upside_down(1, 1), (Rgb8{3, 4, 5}));
  EXPECT_EQ(AsConst(HostImageView<std::uint8_t>(bytes, 3, 2, 7))(1, 1), 8);
}

TEST(HostCostVolume, CellsAreDenseWithDisparityInnermost) {
  HostCostVolume<std::uint16_t> volume(3, 2, 5);
  EXPECT_EQ(volume.View().Cell(1, 0) - volume.View().Cell(0, 0), 5);
  EXPECT_EQ(volume.View().Cell(0, 1) - volume.View().Cell(0, 0), 15);
  EXPECT_TRUE(HostCostVolume<float>(0, 4, 4).Empty());
}

}  // namespace
}  // namespace parallax
