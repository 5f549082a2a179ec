#include "datasets/formats/png_reader.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/png_chunks.h"
#include "parallax/error.h"

namespace parallax {
namespace {

using Bytes = std::span<const std::uint8_t>;

// --- the file ----------------------------------------------------------------

struct PlainPng {
  int width = 0, height = 0;    // px
  std::size_t pixel_bytes = 0;  // 1 and 2: gray, 3: RGB
  FileBytes stream;             // all pixel data
};

bool ReadHeader(Bytes header, PlainPng& png) {
  constexpr std::uint8_t kGray = 0, kRgb = 2;
  constexpr std::size_t kMaxSize_px = std::size_t{1} << 30;
  if (header.size() != 13) return false;
  const std::size_t width = LoadBigEndian32(&header[0]), height = LoadBigEndian32(&header[4]);
  const std::uint8_t depth = header[8], colour = header[9];
  if (width == 0 || height == 0 || width > kMaxSize_px || height > kMaxSize_px) return false;
  if (header[10] != 0 || header[11] != 0 || header[12] != 0) return false;  // of these, 12 is interlacing
  png.width = static_cast<int>(width);
  png.height = static_cast<int>(height);
  if (colour == kGray && (depth == 8 || depth == 16)) png.pixel_bytes = depth / 8;
  if (colour == kRgb && depth == 8) png.pixel_bytes = 3;
  return png.pixel_bytes > 0;
}

std::optional<PlainPng> FindPixelData(Bytes bytes) {
  if (!AsText(bytes).starts_with(PngChunks::kSignature)) return std::nullopt;
  PlainPng png;
  png.stream.reserve(bytes.size());
  PngChunks chunks(bytes);
  bool is_first = true;
  while (const std::optional<PngChunk> chunk = chunks.Next()) {
    const std::string_view type = chunk->type();
    const Bytes data = chunk->data();
    if (is_first != (type == "IHDR")) return std::nullopt;
    is_first = false;
    if (type == "IEND") return png;
    if (type == "IHDR") {
      if (!ReadHeader(data, png)) return std::nullopt;
    } else if (type == "IDAT") {
      png.stream.insert(png.stream.end(), data.begin(), data.end());
    } else if (type == "tRNS" || (type[0] & 0x20) == 0) {  // a capital: one must understand it
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// --- filters (ISO/IEC 15948, 9.2) --------------------------------------------

// Whichever of left, above and above-left is nearest to left + above - above-left.
inline int Paeth(int left, int above, int above_left) {
  const int to_left = std::abs(above - above_left);
  const int to_above = std::abs(left - above_left);
  const int to_above_left = std::abs(left + above - 2 * above_left);
  const int nearer = to_left <= to_above ? left : above;
  return std::min(to_left, to_above) <= to_above_left ? nearer : above_left;
}

// Undoes a filter whose prediction is predict(left, above, above_left). The pixel on the left is kept in
// registers: the wait for it is all the time that this takes.
template <std::size_t kPixel_bytes, typename Predict>
void AddPrediction(std::uint8_t* row, const std::uint8_t* above_row, std::size_t row_bytes, Predict predict) {
  int left[kPixel_bytes] = {}, above_left[kPixel_bytes] = {};
  for (std::size_t i = 0; i < row_bytes; i += kPixel_bytes) {
    for (std::size_t c = 0; c < kPixel_bytes; ++c) {
      const int above = above_row[i + c];
      left[c] = (row[i + c] + predict(left[c], above, above_left[c])) & 0xFF;
      above_left[c] = above;
      row[i + c] = static_cast<std::uint8_t>(left[c]);
    }
  }
}

// Undoes "Sub", which adds the pixel on the left, for gray: sums over 8 bytes at a time, its even and its odd
// bytes apart, in lanes of 16 bits that no sum leaves.
template <std::size_t kPixel_bytes>
void AddLeftOfGray(std::uint8_t* row, std::size_t row_bytes) {
  static_assert(kPixel_bytes == 1 || kPixel_bytes == 2);
  constexpr std::uint64_t kInEveryLane = 0x0001'0001'0001'0001, kBytes = 0x00FF'00FF'00FF'00FF;
  constexpr int kLastLane = 48;
  std::uint64_t left_even = 0, left_odd = 0;  // the bytes on the left of these 8
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= row_bytes; i += sizeof(std::uint64_t)) {
    const auto differences = LoadAs<std::uint64_t>(row + i);
    const std::uint64_t even = differences & kBytes, odd = differences >> 8 & kBytes;
    std::uint64_t values_even, values_odd;
    if constexpr (kPixel_bytes == 1) {
      // Lane k of a product is the sum of lanes 0 to k.
      values_odd = (even + odd) * kInEveryLane + left_odd * kInEveryLane;
      values_even = (values_odd - odd) & kBytes;
    } else {
      values_odd = odd * kInEveryLane + left_odd * kInEveryLane;
      values_even = (even * kInEveryLane + left_even * kInEveryLane) & kBytes;
      left_even = values_even >> kLastLane;
    }
    values_odd &= kBytes;
    left_odd = values_odd >> kLastLane;
    const std::uint64_t values = values_even | values_odd << 8;
    std::memcpy(row + i, &values, sizeof(values));
  }
  for (i = std::max(i, kPixel_bytes); i < row_bytes; ++i) {
    row[i] = static_cast<std::uint8_t>(row[i] + row[i - kPixel_bytes]);
  }
}

template <std::size_t kPixel_bytes>
bool UndoFilter(int filter, std::uint8_t* __restrict row, const std::uint8_t* __restrict above_row,
                std::size_t row_bytes) {
  enum { kNone, kSub, kUp, kAverage, kPaeth };
  switch (filter) {
    case kNone:
      return true;
    case kSub:
      if constexpr (kPixel_bytes <= 2) {
        AddLeftOfGray<kPixel_bytes>(row, row_bytes);
      } else {
        AddPrediction<kPixel_bytes>(row, above_row, row_bytes, [](int left, int, int) { return left; });
      }
      return true;
    case kUp:
      for (std::size_t i = 0; i < row_bytes; ++i) row[i] = static_cast<std::uint8_t>(row[i] + above_row[i]);
      return true;
    case kAverage:
      AddPrediction<kPixel_bytes>(row, above_row, row_bytes,
                                  [](int left, int above, int) { return (left + above) >> 1; });
      return true;
    case kPaeth:
      AddPrediction<kPixel_bytes>(row, above_row, row_bytes, Paeth);
      return true;
    default:
      return false;
  }
}

// --- pixels ------------------------------------------------------------------

[[noreturn]] void ThrowDamaged(const std::filesystem::path& path, const std::string& detail) {
  throw Error(path.string() + ": the image is truncated or damaged (" + detail +
              "); fetch or write it again");
}

// Decompresses exactly the given number of bytes; returns false if there are more.
bool Inflate(const std::filesystem::path& path, Bytes stream, std::uint8_t* to, std::size_t num_bytes) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  switch (
      libdeflate_zlib_decompress(decompressor.get(), stream.data(), stream.size(), to, num_bytes, nullptr)) {
    case LIBDEFLATE_SUCCESS:
      return true;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return false;
    case LIBDEFLATE_SHORT_OUTPUT:
      ThrowDamaged(path, "PNG with fewer pixels than its header says");
    default:
      ThrowDamaged(path, "PNG pixel data cannot be unpacked");
  }
}

template <typename T>
std::optional<CameraImage> Unpack(const std::filesystem::path& path, const PlainPng& png) {
  const std::size_t row_bytes = static_cast<std::size_t>(png.width) * sizeof(T);
  const std::size_t num_bytes = (1 + row_bytes) * static_cast<std::size_t>(png.height);
  const auto rows = std::make_unique_for_overwrite<std::uint8_t[]>(num_bytes);
  if (!Inflate(path, png.stream, rows.get(), num_bytes)) return std::nullopt;
  HostImage<T> image(png.width, png.height);
  const FileBytes zeros(row_bytes, 0);  // above the first row
  const std::uint8_t* above_row = zeros.data();
  for (int y = 0; y < png.height; ++y) {
    std::uint8_t* const row = rows.get() + (1 + row_bytes) * static_cast<std::size_t>(y) + 1;
    const int filter = row[-1];
    if (!UndoFilter<sizeof(T)>(filter, row, above_row, row_bytes)) {
      ThrowDamaged(path, "PNG filter " + std::to_string(filter) + " in row " + std::to_string(y));
    }
    std::memcpy(image.Row(y), row, row_bytes);
    if constexpr (std::is_same_v<T, std::uint16_t>) {  // the file has the high byte first
      T* const pixels = image.Row(y);
      for (int x = 0; x < png.width; ++x) pixels[x] = static_cast<T>(pixels[x] << 8 | pixels[x] >> 8);
    }
    above_row = row;
  }
  return image;
}

}  // namespace

std::optional<CameraImage> DecodePlainPng(const std::filesystem::path& path, Bytes bytes) {
  const std::optional<PlainPng> png = FindPixelData(bytes);
  if (!png) return std::nullopt;
  switch (png->pixel_bytes) {
    case 1:
      return Unpack<std::uint8_t>(path, *png);
    case 2:
      return Unpack<std::uint16_t>(path, *png);
    default:
      return Unpack<Rgb8>(path, *png);
  }
}

}  // namespace parallax
