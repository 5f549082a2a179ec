#include "pipeline/calibration/remap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallax/error.h"
#include "pipeline/simd/instruction_sets.h"
#include "tests/support/images.h"
#include "tests/support/raw_rigs.h"

namespace parallax {
namespace {

using test::NoiseAt;
using test::SamePixels;

RemapTable TableOf(int width, int height, int source_width, int source_height, std::uint32_t seed) {
  RemapTable table;
  table.x = HostImage<std::int32_t>(width, height);
  table.y = HostImage<std::int32_t>(width, height);
  table.source_width_px = source_width;
  table.source_height_px = source_height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto random = [&](std::uint32_t s) {
        return NoiseAt(x, y, seed + s) << 16 | NoiseAt(x, y, seed + s + 1) << 8 | NoiseAt(x, y, seed + s + 2);
      };
      table.x(x, y) = random(1) % ((source_width - 1) << kRemapBits);
      table.y(x, y) = random(9) % ((source_height - 1) << kRemapBits);
      if (random(17) % 11 == 0) table.x(x, y) = table.y(x, y) = -1;
      if (random(23) % 7 == 0) {  // the last pixels of the source
        table.x(x, y) = ((source_width - 1) << kRemapBits) - 1;
        table.y(x, y) = ((source_height - 1) << kRemapBits) - 1;
      }
    }
  }
  return table;
}

template <typename Pixel>
Pixel PixelAt(int x, int y);
template <>
std::uint8_t PixelAt<std::uint8_t>(int x, int y) {
  return NoiseAt(x, y, 3);
}
template <>
std::uint16_t PixelAt<std::uint16_t>(int x, int y) {
  return static_cast<std::uint16_t>(NoiseAt(x, y, 3) << 8 | NoiseAt(x, y, 4));
}
template <>
Rgb8 PixelAt<Rgb8>(int x, int y) {
  return {NoiseAt(x, y, 3), NoiseAt(x, y, 4), NoiseAt(x, y, 5)};
}

// Of an image that is turned and made larger, by halves: eighths of a row begin at odd places, cross rows and
// leave the image at all its sides.
RemapTable SmoothTableOf(int width, int height, int source_width, int source_height, double turn_radians,
                         double scale) {
  RemapTable table;
  table.x = HostImage<std::int32_t>(width, height, -1);
  table.y = HostImage<std::int32_t>(width, height, -1);
  table.source_width_px = source_width;
  table.source_height_px = source_height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double dx = scale * (x - width / 2.0), dy = scale * (y - height / 2.0);
      const double u = source_width / 2.0 + std::cos(turn_radians) * dx - std::sin(turn_radians) * dy;
      const double v = source_height / 2.0 + std::sin(turn_radians) * dx + std::cos(turn_radians) * dy;
      const auto fixed_x = static_cast<std::int32_t>(std::floor(u * 128));
      const auto fixed_y = static_cast<std::int32_t>(std::floor(v * 128));
      if (fixed_x < 0 || fixed_y < 0 || fixed_x >= (source_width - 1) << kRemapBits ||
          fixed_y >= (source_height - 1) << kRemapBits)
        continue;
      table.x(x, y) = fixed_x;
      table.y(x, y) = fixed_y;
    }
  }
  table.blocks = MakeRemapBlocks(table);
  return table;
}

template <typename Pixel>
void ExpectSameAsReference(const RemapTable& table) {
  const int width = table.width(), height = table.height();
  const int source_width = table.source_width_px, source_height = table.source_height_px;
  // Rows without gaps: reading beyond the last pixel would leave the memory.
  std::vector<Pixel> pixels;
  for (int y = 0; y < source_height; ++y) {
    for (int x = 0; x < source_width; ++x) pixels.push_back(PixelAt<Pixel>(x, y));
  }
  const HostImageView<const Pixel> from(pixels.data(), source_width, source_height);
  HostImage<Pixel> expected(width, height), fast(width, height), threaded(width, height);
  RemapReference(from, table, expected.View());
  Remap(from, table, fast.View());
  EXPECT_TRUE(SamePixels(fast.ConstView(), expected.ConstView())) << width << "x" << height;
  ThreadPool threads(3);
  Remap(from, table, threaded.View(), &threads);
  EXPECT_TRUE(SamePixels(threaded.ConstView(), expected.ConstView()));
}

TEST(Remap, EveryInstructionSetGivesTheReferencesBits) {
  for (const std::string& target : cpu::InstructionSets()) {
    SCOPED_TRACE(target);
    cpu::UseInstructionSet(target);
    for (const auto& [width, height] :
         {std::pair{1, 1}, std::pair{7, 3}, std::pair{33, 17}, std::pair{64, 5}}) {
      for (const auto& [source_width, source_height] :
           {std::pair{2, 2}, std::pair{3, 5}, std::pair{41, 23}}) {
        const RemapTable table = TableOf(width, height, source_width, source_height, 5);
        ExpectSameAsReference<std::uint8_t>(table);
        ExpectSameAsReference<std::uint16_t>(table);
        ExpectSameAsReference<Rgb8>(table);
      }
    }
  }
  cpu::UseInstructionSet("");
}

TEST(Remap, EightsOfPixelsGiveTheReferencesBits) {
  for (const std::string& target : cpu::InstructionSets()) {
    SCOPED_TRACE(target);
    cpu::UseInstructionSet(target);
    for (const double turn : {0.0, 0.03, -0.06, 0.08}) {
      for (const double scale : {0.5, 1.0, 1.7}) {
        const RemapTable table = SmoothTableOf(83, 45, 61, 37, turn, scale);
        EXPECT_FALSE(table.blocks.empty()) << turn << " " << scale;
        ExpectSameAsReference<std::uint8_t>(table);
        ExpectSameAsReference<std::uint16_t>(table);
        ExpectSameAsReference<Rgb8>(table);
      }
    }
    const RemapTable smallest = SmoothTableOf(16, 9, 16, 3, 0.01, 1);
    EXPECT_FALSE(smallest.blocks.empty());
    ExpectSameAsReference<std::uint8_t>(smallest);
    ExpectSameAsReference<Rgb8>(smallest);
    // All but one eighth of each row, which points about.
    RemapTable torn = SmoothTableOf(128, 20, 128, 20, 0.01, 1);
    const RemapTable wild = TableOf(128, 20, 128, 20, 9);
    for (int y = 0; y < 20; ++y) {
      for (int x = 40; x < 48; ++x) torn.x(x, y) = wild.x(x, y), torn.y(x, y) = wild.y(x, y);
    }
    torn.blocks = MakeRemapBlocks(torn);
    ASSERT_FALSE(torn.blocks.empty());
    EXPECT_EQ(torn.blocks[5].column, -1);
    ExpectSameAsReference<std::uint8_t>(torn);
    ExpectSameAsReference<Rgb8>(torn);
  }
  cpu::UseInstructionSet("");
  EXPECT_TRUE(MakeRemapBlocks(TableOf(64, 64, 64, 64, 5)).empty());  // too few
  EXPECT_TRUE(SmoothTableOf(64, 8, 15, 8, 0, 1).blocks.empty());     // a source too small
  EXPECT_TRUE(SmoothTableOf(64, 8, 64, 2, 0, 1).blocks.empty());
  EXPECT_TRUE(SmoothTableOf(64, 64, 200, 200, 0.0, 2.5).blocks.empty());  // shrunk by too much
}

TEST(Remap, MixesByHand) {
  // Half way to the right, a quarter down, of 10 20 / 50 90: above 15, below 70, 15 * 3/4 + 70 / 4 = 28.75.
  const auto source = test::ImageOf<std::uint8_t>({{10, 20}, {50, 90}});
  RemapTable table;
  table.x = test::ImageOf<std::int32_t>({{64, -1, 0}});
  table.y = test::ImageOf<std::int32_t>({{32, -1, 0}});
  table.source_width_px = table.source_height_px = 2;
  HostImage<std::uint8_t> to(3, 1);
  Remap(source.ConstView(), table, to.View());
  EXPECT_EQ(to(0, 0), 29);
  EXPECT_EQ(to(1, 0), 0);
  EXPECT_EQ(to(2, 0), 10);
  HostImage<std::uint8_t> wrong(2, 1);
  EXPECT_THROW(Remap(source.ConstView(), table, wrong.View()), InvalidArgument);
  const HostImage<std::uint8_t> other(5, 5, 1);
  EXPECT_THROW(Remap(other.ConstView(), table, to.View()), InvalidArgument);
}

TEST(Remap, TablesPointWhereTheCameraSees) {
  const RawRig rig = test::WideRig();
  const StereoRig pinhole{.fx_px = 400, .cx_px = 320, .cy_px = 240, .baseline_m = 1};
  const Matrix3 rotation = RotationOf({0.01, -0.02, 0.03});
  const RemapTable table = MakeRemapTable(rig.left, rotation, pinhole, 640, 480);
  EXPECT_FALSE(table.blocks.empty()) << "it is remapped plainly";
  const CameraProjection projection(rig.left);
  for (const auto& [x, y] : {std::pair{100, 50}, std::pair{320, 240}, std::pair{600, 400}}) {
    const auto pixel =
        projection.Project(Transposed(rotation) * Vector3{(x - 320) / 400.0, (y - 240) / 400.0, 1});
    ASSERT_TRUE(pixel);
    EXPECT_NEAR(table.x(x, y) / 128.0, pixel->x, 0.5 / 128);
    EXPECT_NEAR(table.y(x, y) / 128.0, pixel->y, 0.5 / 128);
  }
  const HostImage<std::uint8_t> seen = SeenPixels(table);
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) {
      ASSERT_EQ(seen(x, y) != 0, table.x(x, y) >= 0);
      ASSERT_LT(table.x(x, y), 639 << kRemapBits);
      ASSERT_LT(table.y(x, y), 479 << kRemapBits);
    }
  }
  // A camera that sees the same shows the same: the table is the identity.
  CameraModel plain{.width_px = 8, .height_px = 6, .fx_px = 10, .fy_px = 10, .cx_px = 3.5, .cy_px = 2.5};
  const RemapTable same = MakeRemapTable(plain, {}, {.fx_px = 10, .cx_px = 3.5, .cy_px = 2.5}, 8, 6);
  EXPECT_EQ(same.x(3, 2), 3 * 128);
  EXPECT_EQ(same.y(3, 2), 2 * 128);
  EXPECT_EQ(same.x(7, 5), 7 * 128 - 1);
}

}  // namespace
}  // namespace parallax
