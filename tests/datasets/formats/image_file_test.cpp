#include "datasets/formats/image_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "datasets/formats/image_check.h"
#include "datasets/system/file_identity.h"
#include "tests/datasets/test_files.h"

namespace parallax {
namespace {

using test::ErrorOf;
using test::TemporaryFolder;
using test::WriteText;
using testing::HasSubstr;
using namespace std::string_literals;

// 24x10 colour noise, so that its PNG is long.
HostImage<Rgb8> Noise() {
  HostImage<Rgb8> image(24, 10);
  std::uint32_t state = 1;
  const auto next = [&state] {
    return static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  };
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 24; ++x) image(x, y) = {next(), next(), next()};
  }
  return image;
}

template <typename T>
void ExpectRoundTrip(const HostImage<T>& image) {
  const TemporaryFolder dir;
  WritePng(dir / "a.png", image.ConstView());
  const CameraImage read = ReadImage(dir / "a.png");
  const auto* back = std::get_if<HostImage<T>>(&read);
  ASSERT_NE(back, nullptr) << "depth or channels changed";
  ASSERT_TRUE(SameSize(back->View(), image.View()));
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) EXPECT_EQ((*back)(x, y), image(x, y)) << x << "," << y;
  }
}

TEST(ImageFile, PngRoundTripOfEveryKind) {
  ExpectRoundTrip(Noise());
  ExpectRoundTrip(HostImage<std::uint8_t>(1, 1, 200));
  HostImage<std::uint16_t> deep(7, 3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 7; ++x) deep(x, y) = static_cast<std::uint16_t>(9000 * x + y);
  }
  ExpectRoundTrip(deep);
}

TEST(ImageFile, PnmByHand) {
  const TemporaryFolder dir;
  const auto gray = ReadGray8(WriteText(dir / "a.pgm", "P5\n# a comment\n2 1\n255\n\x07\xFF"));
  EXPECT_EQ(gray(0, 0), 7);
  EXPECT_EQ(gray(1, 0), 255);
  const auto deep = ReadGray16(WriteText(dir / "b.pgm", "P5 1 1 65535\n\x01\x02"));  // high byte first
  EXPECT_EQ(deep(0, 0), 0x0102);
  const CameraImage colour = ReadImage(WriteText(dir / "c.ppm", "P6 1 1 255\n\x01\x02\x03"));
  EXPECT_EQ(std::get<HostImage<Rgb8>>(colour)(0, 0), (Rgb8{1, 2, 3}));
}

TEST(ImageFile, SixteenBitColourIsReducedToEight) {
  const TemporaryFolder dir;
  const CameraImage image = ReadImage(WriteText(dir / "c.ppm", "P6 1 1 65535\n\xFF\xFF\x80\x80\x00\x00"s));
  EXPECT_EQ(std::get<HostImage<Rgb8>>(image)(0, 0), (Rgb8{255, 128, 0}));
}

// 1x1 PNGs with alpha (10, 20, 30, alpha 40) and with a palette (its second colour 10, 20, 30), made with
// zlib.
constexpr unsigned char kAlphaPng[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
                                       0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01,
                                       0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00, 0x00, 0x00,
                                       0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xe0, 0x12, 0x91, 0xd3,
                                       0x00, 0x00, 0x00, 0xcd, 0x00, 0x65, 0x6a, 0x99, 0x84, 0x42, 0x00, 0x00,
                                       0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
constexpr unsigned char kPalettePng[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x03, 0x00, 0x00, 0x00, 0x28, 0xcb, 0x34, 0xbb, 0x00,
    0x00, 0x00, 0x06, 0x50, 0x4c, 0x54, 0x45, 0x01, 0x02, 0x03, 0x0a, 0x14, 0x1e, 0xdf, 0x78, 0xf9, 0x04,
    0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0x04, 0x00, 0x00, 0x03, 0x00,
    0x02, 0x4b, 0xf5, 0xdd, 0xea, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

template <std::size_t N>
std::string_view TextOf(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

TEST(ImageFile, AlphaIsDroppedAndPalettesAreResolved) {
  const TemporaryFolder dir;
  for (const std::string_view png : {TextOf(kAlphaPng), TextOf(kPalettePng)}) {
    const CameraImage image = ReadImage(WriteText(dir / "a.png", png));
    EXPECT_EQ(std::get<HostImage<Rgb8>>(image)(0, 0), (Rgb8{10, 20, 30}));
  }
}

TEST(ImageFile, GrayStoredAsColourIsGray) {
  const TemporaryFolder dir;
  WritePng(dir / "a.png", HostImage<Rgb8>(2, 2, Rgb8{9, 9, 9}).ConstView());
  EXPECT_EQ(ReadGray8(dir / "a.png")(1, 1), 9);
  WritePng(dir / "b.png", HostImage<Rgb8>(2, 2, Rgb8{9, 9, 8}).ConstView());
  EXPECT_THAT(ErrorOf([&] { ReadGray8(dir / "b.png"); }),
              HasSubstr("b.png: is 8-bit colour, not 8-bit gray"));
}

TEST(ImageFile, PngCutAnywhereIsAnError) {
  const TemporaryFolder dir;
  WritePng(dir / "a.png", Noise().ConstView());
  const std::size_t size_bytes = std::filesystem::file_size(dir / "a.png");
  for (std::size_t length = 1; length < size_bytes; length += 7) {
    test::WriteBeginning(dir / "a.png", dir / "cut.png", length);
    EXPECT_THAT(ErrorOf([&] { ReadImage(dir / "cut.png"); }), HasSubstr("cut.png: ")) << length << " bytes";
  }
}

TEST(ImageFile, PngWithAnyByteChangedIsAnErrorOrTheSame) {
  const TemporaryFolder dir;
  WritePng(dir / "a.png", Noise().ConstView());
  const std::string whole = test::ReadText(dir / "a.png");
  for (std::size_t i = 8; i < whole.size(); i += 5) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "b.png", changed)); }), HasSubstr("b.png: "))
        << "byte " << i;
  }
}

TEST(ImageFile, LyingHeadersAreRefusedBeforeAllocating) {
  const TemporaryFolder dir;
  EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "a.pgm", "P5 30000 30000 255\nabc")); }),
              HasSubstr("says 30000x30000 pixels"));
  EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "a.pgm", "P5 0 3 255\nabc")); }),
              HasSubstr("header is damaged"));
  std::string bmp(54, '\0');
  bmp.replace(0, 2, "BM");
  bmp[10] = 54;
  bmp[14] = 40;
  bmp[20] = bmp[24] = 1;  // 65536 x 65536
  bmp[26] = 1;
  bmp[28] = 24;
  EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "a.bmp", bmp)); }),
              HasSubstr("says 65536x65536 pixels"));
}

// The bytes of the decoded pixels, or what is wrong with a file of these bytes.
std::string CheckOf(const std::string& bytes) {
  try {
    return std::to_string(
        CheckImageIsWhole("a", {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ImageFile, HeadersOfPnm) {
  EXPECT_EQ(CheckOf("P1 3 2\n1 0 1 0 1 0\n"), "6");
  EXPECT_EQ(CheckOf("P2#gray\n1 1 9 5"), "1");
  EXPECT_EQ(CheckOf("P3 1 1 255 1 2 3"), "3");
  EXPECT_EQ(CheckOf("P4 9 2\n1234"), "18");
  EXPECT_EQ(CheckOf("P5 1 2 255\n12"), "2");
  EXPECT_EQ(CheckOf("P6 1 1 255\n123"), "3");
  EXPECT_EQ(CheckOf("P6 1 1 65535\n123456"), "6");
  EXPECT_THAT(CheckOf("P6 1 1 65535\n12345"), HasSubstr("the file has 5 bytes of them"));
  EXPECT_THAT(CheckOf("P5 1 1 255"), HasSubstr("the file has 0 bytes of them"));
  for (const char* size : {"2000000000 1", "1 2000000000"})
    EXPECT_THAT(CheckOf("P5 "s + size + " 255\n1"), HasSubstr("pixels, the file has 1 bytes"));
  for (const char* header : {"x 1 255", "1 x 255", "1 1 x", "0 1 255", "1 0 255", "1 1 0", "1 1 65536"})
    EXPECT_THAT(CheckOf("P5 "s + header + "\n12"), HasSubstr("header is damaged")) << header;
  for (const char* other : {"P7 1 1", "P0 1 1", "P5x1 1", "P5"})
    EXPECT_THAT(CheckOf(other), HasSubstr("is not a readable image")) << other;
}

TEST(ImageFile, HeadersOfBmp) {
  const auto bmp = [](int width, int height, char compression) {
    std::string file = "BM" + std::string(52, '\0') + "1234";
    file[10] = 54;
    std::memcpy(&file[18], &width, sizeof(width));
    std::memcpy(&file[22], &height, sizeof(height));
    file[28] = 8;
    file[30] = compression;
    return file;
  };
  EXPECT_EQ(CheckOf(bmp(2, -2, 0)), "12");  // the upper row first
  EXPECT_THAT(CheckOf(bmp(2, 3, 0)), HasSubstr("says 2x3 pixels, the file has 4 bytes"));
  EXPECT_EQ(CheckOf(bmp(90, 90, 1)), "24300");
  EXPECT_EQ(CheckOf(bmp(90, 90, 2)), "24300");
  EXPECT_THAT(CheckOf(bmp(1 << 20, 1, 1)), HasSubstr("fewer bytes than its size needs"));
  EXPECT_THAT(CheckOf(bmp(1 << 10, 1 << 10, 1)), HasSubstr("fewer bytes than its size needs"));
  EXPECT_THAT(CheckOf(bmp(1, 1, 0).substr(0, 53)), HasSubstr("BMP header cut short"));
  EXPECT_THAT(CheckOf(bmp(1, 1, 0).substr(0, 54)), HasSubstr("the file has 0 bytes"));
}

TEST(ImageFile, MarkersOfJpeg) {
  const std::string end = "\xFF\xD9", tables = "\0\x04??"s,
                    frame = "\0\x08\x08\0\x02\0\x03\x01"s;  // 8 bits, 3x2
  const auto jpeg = [](const std::string& rest) { return CheckOf("\xFF\xD8\xFF" + rest); };
  EXPECT_EQ(jpeg("\xC0" + frame + end), "18");
  EXPECT_EQ(jpeg("\xC2" + frame + "\xFF\xFF\xFF" + end), "18");  // fill bytes
  for (const char* marker : {"\xC4", "\xC8", "\xCC", "\xDB"}) EXPECT_EQ(jpeg(marker + tables + end), "0");
  EXPECT_EQ(jpeg("\xC0" + tables + end), "0");                                // too short for a frame
  EXPECT_EQ(jpeg("\xC0" + frame + "\xFF\0 \xFF\xD0 \xFF\xD7"s + end), "18");  // data, restarts
  EXPECT_THAT(jpeg("\xC0" + frame), HasSubstr("without its end marker"));
  for (const std::string& cut : {"\xC0\0"s, "\xC0\0\1"s, "\xC0\0\x09\1"s})
    EXPECT_THAT(jpeg(cut), HasSubstr("JPEG segment cut short"));
  EXPECT_THAT(jpeg("\xC0" + "\0\x08\x08\xFF\xFF\xFF\xFF\1"s + end), HasSubstr("bytes of JPEG cannot hold"));
}

TEST(ImageFile, ThePixelsOfAPngFitIntoItsData) {
  const auto number = [](std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
    return text;
  };
  const auto chunk = [&](const std::string& type, const std::string& data) {
    const std::string both = type + data;
    return number(static_cast<std::uint32_t>(data.size())) + both +
           number(Crc32({reinterpret_cast<const std::uint8_t*>(both.data()), both.size()}));
  };
  const auto png = [&](std::uint32_t width, std::uint32_t height, std::size_t header_bytes = 13) {
    const std::string header = number(width) + number(height) + "\x08\0\0\0\0"s;
    return CheckOf("\x89PNG\r\n\x1a\n" + chunk("IHDR", header.substr(0, header_bytes)) +
                   chunk("IDAT", "1234") + chunk("IEND", ""));
  };
  EXPECT_EQ(png(64, 64), "4096");  // deflate holds 1032 in a byte at the most: 4128
  EXPECT_THAT(png(65, 64), HasSubstr("65x64 pixels, which 4 bytes of PNG data cannot hold"));
  for (const auto& [width, height] : {std::pair(0U, 1U), {1U, 0U}, {1U << 31, 1U}, {1U, 1U << 31}})
    EXPECT_THAT(png(width, height), HasSubstr("cannot hold"));
  EXPECT_THAT(png(64, 64, 12), HasSubstr("0x0 pixels"));
}

TEST(ImageFile, ABmpOfRunsIsSmallerThanItsPixels) {
  const TemporaryFolder dir;
  std::string bmp(54, '\0');
  bmp.replace(0, 2, "BM");
  bmp[10] = 62;  // pixels, behind a palette of two
  bmp[14] = 40;
  bmp[18] = 100;  // 100 x 2
  bmp[22] = 2;
  bmp[26] = 1;
  bmp[28] = 8;
  bmp[30] = 1;  // runs: a count and an index
  bmp[46] = 2;
  bmp += std::string("\x0a\x14\x1e\0\x28\x32\x3c\0", 8);  // blue, green, red
  bmp += std::string("\x64\x01\0\0\x64\0\0\x01", 8);      // the lower row of colour 1, the upper one of 0
  const CameraImage image = ReadImage(WriteText(dir / "a.bmp", bmp));
  EXPECT_EQ(std::get<HostImage<Rgb8>>(image)(99, 0), (Rgb8{30, 20, 10}));
  EXPECT_EQ(std::get<HostImage<Rgb8>>(image)(0, 1), (Rgb8{60, 50, 40}));
}

// Gray, 3x2, with the word that it is to be turned. By TIFF 6.0.
std::string TurnedTiff(bool little_endian, unsigned orientation) {
  std::string file = little_endian ? "II" : "MM";
  const auto add = [&](unsigned value, int size) {
    for (int i = 0; i < size; ++i)
      file += static_cast<char>(value >> 8 * (little_endian ? i : size - 1 - i) & 0xFF);
  };
  add(42, 2);
  add(14, 4);  // the table comes after the pixels
  file += std::string("\x0a\x14\x1e\x28\x32\x3c", 6);
  constexpr unsigned kShort = 3, kLong = 4;
  const unsigned fields[][3] = {
      {256, kShort, 3}, {257, kShort, 2},           {258, kShort, 8}, {259, kShort, 1}, {262, kShort, 1},
      {273, kLong, 8},  {274, kShort, orientation}, {277, kShort, 1}, {278, kShort, 2}, {279, kLong, 6}};
  add(std::size(fields), 2);
  for (const auto& [tag, type, value] : fields) {
    add(tag, 2);
    add(type, 2);
    add(1, 4);
    add(value, type == kShort ? 2 : 4);
    if (type == kShort) add(0, 2);
  }
  add(0, 4);
  return file;
}

TEST(ImageFile, PixelsAreAsTheyAreStoredWhateverTheOrientation) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "turned.tif";
  for (const bool little_endian : {true, false}) {
    for (unsigned orientation = 1; orientation <= 8; ++orientation) {
      WriteText(file, TurnedTiff(little_endian, orientation));
      const HostImage<std::uint8_t> image = ReadGray8(file);
      ASSERT_EQ(image.width(), 3) << orientation;
      for (int i = 0; i < 6; ++i) EXPECT_EQ(image(i % 3, i / 3), 10 * (i + 1)) << orientation << ' ' << i;
    }
  }
}

TEST(ImageFile, OtherFilesAreNamed) {
  const TemporaryFolder dir;
  EXPECT_THAT(ErrorOf([&] { ReadImage(dir / "none.png"); }), HasSubstr("none.png: no such file"));
  EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "empty.png", "")); }), HasSubstr("empty (0 bytes)"));
  EXPECT_THAT(ErrorOf([&] { ReadImage(WriteText(dir / "text.png", "not an image")); }),
              HasSubstr("text.png: is not a readable image"));
  EXPECT_THAT(ErrorOf([&] { WritePng(dir / "x.png", HostImage<std::uint8_t>().ConstView()); }),
              HasSubstr("without pixels"));
}

TEST(ImageFile, JpegWithoutItsEndIsAnError) {
  const std::filesystem::path aloe = "/usr/share/doc/opencv-doc/examples/data/aloeL.jpg";
  if (!std::filesystem::exists(aloe)) GTEST_SKIP() << "opencv-doc is not installed: no JPEG to test with";
  const CameraImage image = ReadImage(aloe);
  EXPECT_EQ(WidthOf(ViewOf(image)), 1282);
  EXPECT_EQ(HeightOf(ViewOf(image)), 1110);
  const TemporaryFolder dir;
  const std::size_t size_bytes = std::filesystem::file_size(aloe);
  for (const std::size_t length : {size_bytes - 2, size_bytes / 2, std::size_t{300}, std::size_t{4}}) {
    test::WriteBeginning(aloe, dir / "cut.jpg", length);
    EXPECT_THAT(ErrorOf([&] { ReadImage(dir / "cut.jpg"); }), HasSubstr("truncated or damaged (JPEG"))
        << length;
  }
}

}  // namespace
}  // namespace parallax
