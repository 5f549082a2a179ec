#include "datasets/formats/pfm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/datasets/test_files.h"
#include "tests/support/nan.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;
using namespace std::string_literals;

constexpr float kUnknown = std::numeric_limits<float>::infinity();

// 1.0 = 3F800000, 2.0 = 40000000, 3.0 = 40400000, 4.0 = 40800000, +inf = 7F800000.
const std::string kBigEndian2x2 = "\x40\x40\x00\x00\x7F\x80\x00\x00\x3F\x80\x00\x00\x40\x00\x00\x00"s;
const std::string kLittleEndian2x2 = "\x00\x00\x40\x40\x00\x00\x80\x7F\x00\x00\x80\x3F\x00\x00\x00\x40"s;

void Expect2x2(const HostImage<float>& image) {
  ASSERT_EQ(image.width(), 2);
  ASSERT_EQ(image.height(), 2);
  EXPECT_EQ(image(0, 0), 1.0F);  // the file's last row is the image's first
  EXPECT_EQ(image(1, 0), 2.0F);
  EXPECT_EQ(image(0, 1), 3.0F);
  EXPECT_TRUE(std::isnan(image(1, 1)));  // +inf: unknown
}

TEST(ReadPfm, LittleAndBigEndianByTheSignOfTheScaleOnly) {
  const TemporaryFolder dir;
  for (const char* scale : {"-1", "-1.0", "-0.003922", "-255"}) {
    Expect2x2(ReadPfm(WriteText(dir / "a.pfm", "Pf\n2 2\n"s + scale + "\n" + kLittleEndian2x2)));
  }
  for (const char* scale : {"1", "+1.0", "0.003922"}) {
    Expect2x2(ReadPfm(WriteText(dir / "a.pfm", "Pf\n2 2\n"s + scale + "\n" + kBigEndian2x2)));
  }
}

TEST(ReadPfm, BytesBeyondThePixelsAreRefused) {
  const TemporaryFolder dir;
  EXPECT_THAT(
      ErrorOf([&] { ReadPfm(WriteText(dir / "a.pfm", "Pf\n2 2\n-1\n"s + kLittleEndian2x2 + "xyz")); }),
      HasSubstr("a.pfm: 3 bytes follow the pixels of its header, 2x2"));
}

TEST(ReadPfm, CommentsBlankLinesAndCarriageReturnsInTheHeader) {
  const TemporaryFolder dir;
  Expect2x2(
      ReadPfm(WriteText(dir / "a.pfm", "Pf\n# made by hand\n\n2\n2\n# scale\n-1\n" + kLittleEndian2x2)));
  Expect2x2(ReadPfm(WriteText(dir / "a.pfm", "Pf\r\n2 2\r\n-1\r\n" + kLittleEndian2x2)));
}

TEST(ReadPfm, PixelBytesThatLookLikeTheHeadersEndAreKept) {
  const TemporaryFolder dir;
  const auto image = ReadPfm(WriteText(dir / "a.pfm", "Pf\n1 1\n-1\r\x0A\x00\x80\x3F"s));
  EXPECT_EQ(image(0, 0), 1.0F + 10 * std::numeric_limits<float>::epsilon());
}

TEST(WritePfm, RoundTripOfOddSizes) {
  const TemporaryFolder dir;
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 1}, {1, 5}, {17, 13}}) {
    HostImage<float> image(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x)
        image(x, y) = (x + y) % 4 == 3 ? kNan : -3.25F + 1.1F * static_cast<float>(x * y);
    }
    WritePfm(dir / "a.pfm", image.ConstView());
    const auto back = ReadPfm(dir / "a.pfm");
    ASSERT_TRUE(SameSize(back.View(), image.ConstView()));
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (std::isnan(image(x, y))) {
          EXPECT_TRUE(std::isnan(back(x, y)));
        } else {
          EXPECT_EQ(back(x, y), image(x, y));
        }
      }
    }
  }
}

TEST(WritePfm, BytesAsTheFormatSays) {
  const TemporaryFolder dir;
  HostImage<float> image(1, 2);
  image(0, 0) = 1.0F;
  image(0, 1) = kNan;
  WritePfm(dir / "a.pfm", image.ConstView());
  EXPECT_EQ(test::ReadText(dir / "a.pfm"), "Pf\n1 2\n-1\n\x00\x00\x80\x7F\x00\x00\x80\x3F"s);
}

TEST(ReadPfm, InfinitiesAndNanAreUnknown) {
  const TemporaryFolder dir;
  HostImage<float> image(3, 1);
  image(0, 0) = kUnknown;
  image(1, 0) = -kUnknown;
  image(2, 0) = kNan;
  WritePfm(dir / "a.pfm", image.ConstView());
  const auto back = ReadPfm(dir / "a.pfm");
  for (int x = 0; x < 3; ++x) EXPECT_TRUE(std::isnan(back(x, 0)));
}

TEST(ReadPfm, BadInputIsNamed) {
  const TemporaryFolder dir;
  const auto error = [&](const std::string& content) {
    return ErrorOf([&] { ReadPfm(WriteText(dir / "bad.pfm", content)); });
  };
  EXPECT_THAT(error(""), HasSubstr("bad.pfm: the file is empty"));
  EXPECT_THAT(error("Pf\n40000 25000\n-1\n1234"),
              HasSubstr("says 40000x25000 pixels, but the file has only 4 bytes"));
  EXPECT_THAT(error("Pf\n4294967296 4294967296\n-1\n1234"), HasSubstr("its header says"));
  EXPECT_THAT(error("Pf\n99999999999999999999 1\n-1\n1234"), HasSubstr("no valid size"));
  EXPECT_THAT(error("Pf\n2 2\n-1\n" + kLittleEndian2x2.substr(1)), HasSubstr("truncated"));
  EXPECT_THAT(error("Pf\n2 2\n-1"), HasSubstr("truncated"));
  EXPECT_THAT(error("Pf\n2 2"), HasSubstr("scale"));
  EXPECT_THAT(error("Pf"), HasSubstr("size"));
  EXPECT_THAT(error("Pf\n0 2\n-1\n"), HasSubstr("size"));
  EXPECT_THAT(error("Pf\n-2 2\n-1\n" + kLittleEndian2x2), HasSubstr("size"));
  EXPECT_THAT(error("Pf\n2 2\n0\n" + kLittleEndian2x2), HasSubstr("scale"));
  EXPECT_THAT(error("PF\n2 2\n-1\n" + kLittleEndian2x2), HasSubstr("colour PFM"));
  EXPECT_THAT(error("P5\n2 2\n255\nabcd"), HasSubstr("is not a PFM"));
  EXPECT_THAT(ErrorOf([&] { ReadPfm(dir / "none.pfm"); }), HasSubstr("none.pfm: no such file"));
  EXPECT_THAT(ErrorOf([&] { ReadPfm(dir.path()); }), HasSubstr("is a folder"));
  std::filesystem::create_symlink("loop.pfm", dir / "loop.pfm");
  EXPECT_THAT(ErrorOf([&] { ReadPfm(dir / "loop.pfm"); }),
              HasSubstr("loop.pfm: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace parallax
