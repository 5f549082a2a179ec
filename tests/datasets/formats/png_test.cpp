// The own PNG reader and writer, against OpenCV's libpng.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>

#include "datasets/formats/image_file.h"
#include "datasets/formats/png_reader.h"
#include "datasets/formats/png_writer.h"
#include "datasets/formats/zero_run_deflate.h"
#include "tests/datasets/test_files.h"
#include "tests/support/images.h"

namespace parallax {
namespace {

using test::ImageFrom;
using test::NoiseAt;
using test::SamePixels;

constexpr struct {
  int width, height;
} kSizes[] = {{1, 1}, {2, 1}, {1, 7}, {3, 2}, {7, 5}, {8, 8}, {61, 33}, {1242, 3}};

// Noise, steps and extremes: what a pixel of 16 bits can be.
constexpr std::array kPatterns = {"0", "65535", "0 and 65535", "noise", "gradient", "sparse", "steps"};
std::uint16_t PatternAt(std::string_view pattern, int x, int y) {
  const int noise = NoiseAt(x, y) << 8 | NoiseAt(x, y, 77);
  if (pattern == "0") return 0;
  if (pattern == "65535") return 65535;
  if (pattern == "0 and 65535") return (x + y) % 2 == 0 ? 0 : 65535;
  if (pattern == "noise") return static_cast<std::uint16_t>(noise);
  if (pattern == "gradient") return static_cast<std::uint16_t>(37 * x + 300 * y);
  if (pattern == "sparse") return static_cast<std::uint16_t>(noise % 17 == 0 ? noise : 0);
  return static_cast<std::uint16_t>(x / 20 * 1000 + noise % 3);
}

template <typename T>
HostImage<T> PatternOf(std::string_view pattern, int width, int height) {
  return ImageFrom<T>(width, height, [&](int x, int y) {
    const std::uint16_t value = PatternAt(pattern, x, y);
    if constexpr (std::is_same_v<T, Rgb8>) {
      const auto low = static_cast<std::uint8_t>(value);
      return Rgb8{static_cast<std::uint8_t>(value >> 8), low, static_cast<std::uint8_t>(low ^ 0x5A)};
    } else {
      return value;
    }
  });
}

template <typename T>
bool SameAsMat(const HostImage<T>& image, const cv::Mat& mat) {
  if (mat.cols != image.width() || mat.rows != image.height() || mat.elemSize() != sizeof(T)) return false;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if constexpr (std::is_same_v<T, Rgb8>) {
        const auto& bgr = mat.at<cv::Vec3b>(y, x);
        if (!(image(x, y) == Rgb8{bgr[2], bgr[1], bgr[0]})) return false;
      } else if (image(x, y) != mat.at<T>(y, x)) {
        return false;
      }
    }
  }
  return true;
}

template <typename T>
class PngOf : public testing::Test {};
using Pixels = testing::Types<std::uint8_t, std::uint16_t, Rgb8>;
TYPED_TEST_SUITE(PngOf, Pixels);

TYPED_TEST(PngOf, WhatIsWrittenIsReadByOpenCvAndByUs) {
  for (const auto pattern : kPatterns) {
    for (const auto [width, height] : kSizes) {
      SCOPED_TRACE(std::string(pattern) + " " + std::to_string(width) + "x" + std::to_string(height));
      const auto image = PatternOf<TypeParam>(pattern, width, height);
      const FileBytes file = EncodePng(image.ConstView());
      EXPECT_TRUE(SameAsMat(image, cv::imdecode(file, cv::IMREAD_UNCHANGED)));
      const std::optional<CameraImage> read = DecodePlainPng("a.png", file);
      ASSERT_TRUE(read.has_value());
      EXPECT_TRUE(SamePixels(std::get<HostImage<TypeParam>>(*read).ConstView(), image.ConstView()));
    }
  }
}

TYPED_TEST(PngOf, WhatOpenCvWritesIsRead) {
  for (const auto pattern : kPatterns) {
    for (const int level : {-1, 0, 1, 9}) {  // -1: OpenCV's own choice; the others take filters row by row
      SCOPED_TRACE(std::string(pattern) + " level " + std::to_string(level));
      const auto image = PatternOf<TypeParam>(pattern, 61, 33);
      const cv::Mat mat = cv::imdecode(EncodePng(image.ConstView()), cv::IMREAD_UNCHANGED);
      std::vector<int> options;
      if (level >= 0) options = {cv::IMWRITE_PNG_COMPRESSION, level};
      FileBytes file;
      ASSERT_TRUE(cv::imencode(".png", mat, file, options));
      const std::optional<CameraImage> read = DecodePlainPng("a.png", file);
      ASSERT_TRUE(read.has_value());
      EXPECT_TRUE(SamePixels(std::get<HostImage<TypeParam>>(*read).ConstView(), image.ConstView()));
    }
  }
}

// --- files made by hand -----------------------------------------------------------------------------------

void AppendChunk(std::string_view type, std::string_view data, FileBytes& file) {
  FileBytes covered(type.begin(), type.end());
  covered.insert(covered.end(), data.begin(), data.end());
  std::uint32_t checksum = 0xFFFFFFFF;
  for (const std::uint8_t byte : covered) {
    checksum ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      checksum = (checksum & 1) != 0 ? 0xEDB88320 ^ checksum >> 1 : checksum >> 1;
  }
  const auto append = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  append(static_cast<std::uint32_t>(data.size()));
  file.insert(file.end(), covered.begin(), covered.end());
  append(~checksum);
}

struct Header {
  std::uint8_t width, height, depth = 8, colour = 0, interlace = 0;
};

// The stream is cut into chunks of 5 bytes.
FileBytes FileOfStream(Header header, const FileBytes& stream, std::string_view chunk_before_pixels = "") {
  FileBytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  const std::string ihdr = {0,
                            0,
                            0,
                            static_cast<char>(header.width),
                            0,
                            0,
                            0,
                            static_cast<char>(header.height),
                            static_cast<char>(header.depth),
                            static_cast<char>(header.colour),
                            0,
                            0,
                            static_cast<char>(header.interlace)};
  AppendChunk("IHDR", ihdr, file);
  if (!chunk_before_pixels.empty()) AppendChunk(chunk_before_pixels, std::string(2, '\7'), file);
  for (std::size_t at = 0; at < stream.size(); at += 5)
    AppendChunk("IDAT", AsText(stream).substr(at, 5), file);
  AppendChunk("IEND", "", file);
  return file;
}

// The file of these rows, each behind its filter.
FileBytes FileOf(Header header, const FileBytes& rows, std::string_view chunk_before_pixels = "") {
  return FileOfStream(header, ZlibStreamOf(rows), chunk_before_pixels);
}

// ISO/IEC 15948, 9.2, as it is written there.
int Prediction(int filter, int a, int b, int c) {
  const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
  const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
  const int of[] = {0, a, b, (a + b) / 2, paeth};
  return of[filter];
}

FileBytes Filtered(const FileBytes& pixels, std::size_t row_bytes, std::size_t pixel_bytes, auto filter_of) {
  FileBytes rows;
  for (std::size_t y = 0; y < pixels.size() / row_bytes; ++y) {
    const int filter = filter_of(y);
    rows.push_back(static_cast<std::uint8_t>(filter));
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const std::size_t at = y * row_bytes + i;
      const bool has_left = i >= pixel_bytes, has_above = y > 0;
      const int a = has_left ? pixels[at - pixel_bytes] : 0, b = has_above ? pixels[at - row_bytes] : 0;
      const int c = has_left && has_above ? pixels[at - row_bytes - pixel_bytes] : 0;
      rows.push_back(static_cast<std::uint8_t>(pixels[at] - Prediction(filter, a, b, c)));
    }
  }
  return rows;
}

// Writes an image with every filter and reads it.
template <typename T>
void ExpectEveryFilterIsUndone(int width, int height) {
  const auto image = PatternOf<T>("noise", width, height);
  constexpr std::size_t kPixel_bytes = sizeof(T);
  const std::size_t row_bytes = kPixel_bytes * static_cast<std::size_t>(width);
  FileBytes pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::array<std::uint8_t, kPixel_bytes> bytes;
      std::memcpy(bytes.data(), &image(x, y), kPixel_bytes);
      if constexpr (std::is_same_v<T, std::uint16_t>) std::reverse(bytes.begin(), bytes.end());
      pixels.insert(pixels.end(), bytes.begin(), bytes.end());
    }
  }
  const Header header{.width = static_cast<std::uint8_t>(width),
                      .height = static_cast<std::uint8_t>(height),
                      .depth = kPixel_bytes == 2 ? std::uint8_t{16} : std::uint8_t{8},
                      .colour = kPixel_bytes == 3 ? std::uint8_t{2} : std::uint8_t{0}};
  for (int shift = 0; shift < 6; ++shift) {  // 5: filters mixed, others: one for all rows
    const FileBytes rows = Filtered(pixels, row_bytes, kPixel_bytes, [&](std::size_t y) {
      return shift < 5 ? shift : static_cast<int>(y * 7 % 11 % 5);
    });
    const FileBytes file = FileOf(header, rows);
    EXPECT_TRUE(SameAsMat(image, cv::imdecode(file, cv::IMREAD_UNCHANGED))) << "the file is wrong";
    const std::optional<CameraImage> read = DecodePlainPng("a.png", file);
    ASSERT_TRUE(read.has_value());
    EXPECT_TRUE(SamePixels(std::get<HostImage<T>>(*read).ConstView(), image.ConstView())) << shift;
  }
}

// Rows of gray are undone eight bytes at a time.
TYPED_TEST(PngOf, EveryFilterOnEveryRowIsUndone) {
  ExpectEveryFilterIsUndone<TypeParam>(37, 21);
  for (int width = 1; width <= 18; ++width) ExpectEveryFilterIsUndone<TypeParam>(width, 7);
}

std::optional<CameraImage> Decode(std::span<const std::uint8_t> bytes) {
  return DecodePlainPng("a.png", bytes);
}

TEST(DecodePlainPng, LeavesEverythingElseToTheGeneralDecoder) {
  const FileBytes rows = {0, 1, 2, 0, 3, 4};
  ASSERT_TRUE(Decode(FileOf({2, 2}, rows)).has_value());
  EXPECT_TRUE(Decode(FileOf({2, 2}, rows, "tEXt")).has_value()) << "needs no understanding";
  EXPECT_FALSE(Decode(FileOf({2, 2}, rows, "tRNS")).has_value()) << "transparency";
  EXPECT_FALSE(Decode(FileOf({2, 2}, rows, "ABCD")).has_value()) << "unknown and critical";
  EXPECT_FALSE(Decode(FileOf({2, 2, 8, 0, 1}, rows)).has_value()) << "interlaced";
  EXPECT_FALSE(Decode(FileOf({2, 2, 4, 0}, rows)).has_value()) << "4 bits";
  EXPECT_FALSE(Decode(FileOf({2, 2, 8, 3}, rows)).has_value()) << "palette";
  EXPECT_FALSE(Decode(FileOf({1, 2, 8, 4}, rows)).has_value()) << "alpha";
  EXPECT_FALSE(Decode(FileOf({2, 1}, rows)).has_value()) << "too many rows";
  EXPECT_FALSE(Decode(FileOf({0, 2}, rows)).has_value()) << "no pixels";
  const FileBytes whole = FileOf({2, 2}, rows);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(Decode(std::span(whole).first(length)).has_value()) << length << " bytes";
  }
}

TEST(DecodePlainPng, DamageBehindRightChecksumsIsNamed) {
  const test::TemporaryFolder dir;
  const auto error_of = [&](const FileBytes& file) {
    return test::ErrorOf([&] { ReadImage(test::WriteText(dir / "a.png", AsText(file))); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(error_of(FileOf({2, 2}, {0, 1, 2, 9, 3, 4})),
              HasSubstr("a.png: the image is truncated or damaged (PNG filter 9 in row 1)"));
  EXPECT_THAT(error_of(FileOf({2, 2}, {0, 1, 2})),
              HasSubstr("damaged (PNG with fewer pixels than its header says)"));
  FileBytes stream = ZlibStreamOf(FileBytes{0, 1, 2, 0, 3, 4});
  stream.back() ^= 1;
  EXPECT_THAT(error_of(FileOfStream({2, 2}, stream)),
              HasSubstr("damaged (PNG pixel data cannot be unpacked)"));
}

// --- the stream -------------------------------------------------------------------------------------------

// The rows of an image of one row without filter, so that OpenCV unpacks them.
bool IsUnpackedByOpenCv(const FileBytes& bytes) {
  HostImage<std::uint8_t> row(static_cast<int>(bytes.size()), 1);
  // Undo what Sub will do, so that `bytes` are what is packed.
  std::uint8_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    row.Row(0)[i] = sum = static_cast<std::uint8_t>(sum + bytes[i]);
  return SameAsMat(row, cv::imdecode(EncodePng(row.ConstView()), cv::IMREAD_UNCHANGED));
}

TEST(ZlibStream, RunsOfZerosOfEveryLength) {
  for (std::size_t length = 0; length < 1100; length += length < 300 ? 1 : 7) {
    for (const std::size_t before : {1, 4, 7}) {
      FileBytes bytes(before, 200);
      bytes.resize(before + length, 0);
      bytes.push_back(3);
      EXPECT_TRUE(IsUnpackedByOpenCv(bytes)) << length << " zeros behind " << before;
    }
  }
}

TEST(ZlibStream, LongRunsAreSmall) {
  EXPECT_LT(ZlibStreamOf(FileBytes(1 << 20, 0)).size(), 1500U);
  const FileBytes noise = [] {
    FileBytes bytes(10000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = NoiseAt(static_cast<int>(i), 0);
    return bytes;
  }();
  EXPECT_LT(ZlibStreamOf(noise).size(), noise.size() + 400) << "what cannot be packed hardly grows";
}

// Long data are counted in part: bytes that come elsewhere only need codes too.
TEST(ZlibStream, LongDataWhoseBlocksDiffer) {
  FileBytes bytes(300'001);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool is_fourth = i / 4096 % 4 == 0;
    const std::uint8_t noise = NoiseAt(static_cast<int>(i % 1000), static_cast<int>(i / 1000));
    bytes[i] =
        is_fourth ? static_cast<std::uint8_t>(1 + noise % 2) : static_cast<std::uint8_t>(3 + noise % 250);
  }
  EXPECT_TRUE(IsUnpackedByOpenCv(bytes));
  EXPECT_LT(ZlibStreamOf(bytes).size(), bytes.size() * 13 / 8 + 300) << "the longest code has 13 bits";
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i / 20000 % 2 == 0 ? 0 : bytes[i];
  EXPECT_TRUE(IsUnpackedByOpenCv(bytes)) << "with long runs of zeros between";
  // Alike all over: as small as if all were counted.
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(1 + i * i % 7 % 4);
  EXPECT_LT(ZlibStreamOf(bytes).size(), bytes.size() / 4 + 300) << "three values, two bits at most";
}

TEST(ZlibStream, CountsThatWantVeryLongCodes) {
  // Fibonacci's numbers: Huffman's code of the rarest would have 21 bits, beyond what deflate can hold.
  FileBytes bytes;
  std::size_t count = 1, next = 1;
  for (int symbol = 1; symbol <= 22; ++symbol) {
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(symbol));
    count = std::exchange(next, count + next);
  }
  EXPECT_TRUE(IsUnpackedByOpenCv(bytes));
}

}  // namespace
}  // namespace parallax
