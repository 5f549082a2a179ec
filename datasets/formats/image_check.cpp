#include "datasets/formats/image_check.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/formats/file_bytes.h"
#include "datasets/formats/png_chunks.h"
#include "parallax/error.h"

namespace parallax {
namespace {

using Bytes = std::span<const std::uint8_t>;

bool StartsWith(Bytes bytes, std::string_view magic) { return AsText(bytes).starts_with(magic); }

[[noreturn]] void ThrowTruncated(const std::string& file, const std::string& detail) {
  throw Error(file + ": the image is truncated or damaged (" + detail + "); fetch or write it again");
}

// The number of decoded bytes, for a size that the file can hold, so that nothing overflows.
std::uint64_t DecodedBytes(std::uint64_t width, std::uint64_t height, std::uint64_t bits_per_pixel) {
  return width * height * std::max<std::uint64_t>(bits_per_pixel, 8) / 8;
}

// --- PNG (ISO/IEC 15948) -----------------------------------------------------

std::uint64_t CheckPng(Bytes bytes, const std::string& file) {
  constexpr std::uint64_t kDeflateMaxRatio = 1032;
  std::uint64_t width = 0, height = 0, bits_per_pixel = 0, data_bytes = 0;
  PngChunks chunks(bytes);
  for (std::string_view type; type != "IEND";) {
    const std::optional<PngChunk> chunk = chunks.Next();
    if (!chunk)
      ThrowTruncated(file, chunks.is_cut_short() ? "PNG chunk cut short" : "PNG without its end chunk");
    type = chunk->type();
    const Bytes data = chunk->data();
    if (libdeflate_crc32(0, chunk->type_and_data.data(), chunk->type_and_data.size()) != chunk->checksum) {
      ThrowTruncated(file, "PNG checksum wrong in chunk " + Printable(type));
    }
    if (type == "IHDR" && data.size() >= 13) {
      constexpr std::array<std::uint64_t, 8> kChannels = {1, 0, 3, 1, 2, 0, 4, 0};
      width = LoadBigEndian32(&data[0]);
      height = LoadBigEndian32(&data[4]);
      bits_per_pixel = data[8] * kChannels[data[9] & 7];
    }
    if (type == "IDAT") data_bytes += data.size();
  }
  if (width == 0 || height == 0 || width > (1U << 30) || height > (1U << 30) ||
      width * bits_per_pixel / 8 > data_bytes * kDeflateMaxRatio / height) {
    throw Error(file + ": its header says " + std::to_string(width) + "x" + std::to_string(height) +
                " pixels, which " + std::to_string(data_bytes) + " bytes of PNG data cannot hold");
  }
  return DecodedBytes(width, height, bits_per_pixel);
}

// --- JPEG (ITU-T T.81, annex B) ----------------------------------------------

// The end marker is looked for from segment to segment, so that a thumbnail's does not count.
std::uint64_t CheckJpeg(Bytes bytes, const std::string& file) {
  std::uint64_t decoded_bytes = 0;
  std::size_t at = 2;  // behind the start marker
  while (true) {
    // Skips to the next marker, past entropy-coded data, stuffed zeros, restart markers and fill bytes.
    while (at + 1 < bytes.size() && (bytes[at] != 0xFF || bytes[at + 1] == 0x00 || bytes[at + 1] == 0xFF ||
                                     (bytes[at + 1] >= 0xD0 && bytes[at + 1] <= 0xD7))) {
      ++at;
    }
    if (at + 1 >= bytes.size()) ThrowTruncated(file, "JPEG without its end marker");
    const std::uint8_t marker = bytes[at + 1];
    at += 2;
    if (marker == 0xD9) return decoded_bytes;
    if (at + 2 > bytes.size()) ThrowTruncated(file, "JPEG segment cut short");
    const std::size_t length = static_cast<std::size_t>(bytes[at] << 8 | bytes[at + 1]);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (length < 2 || bytes.size() - at < length) ThrowTruncated(file, "JPEG segment cut short");
    if (is_frame && length >= 8) {
      const std::uint64_t height = static_cast<std::uint64_t>(bytes[at + 3] << 8 | bytes[at + 4]);
      const std::uint64_t width = static_cast<std::uint64_t>(bytes[at + 5] << 8 | bytes[at + 6]);
      constexpr std::uint64_t kMaxPixelsPerByte = 1024;  // a block of 64 pixels takes at least half a bit
      if (width * height > bytes.size() * kMaxPixelsPerByte) {
        throw Error(file + ": its header says " + std::to_string(width) + "x" + std::to_string(height) +
                    " pixels, which " + std::to_string(bytes.size()) + " bytes of JPEG cannot hold");
      }
      constexpr std::uint64_t kBitsPerPixel = 24;
      decoded_bytes = DecodedBytes(width, height, kBitsPerPixel);
    }
    at += length;
  }
}

// --- raw formats: the length follows from the size ---------------------------

void CheckLength(const std::string& file, std::uint64_t width, std::uint64_t height,
                 std::uint64_t bits_per_pixel, std::uint64_t available_bytes) {
  const bool huge = width > (1U << 30) || height > (1U << 30);
  if (huge || (width * bits_per_pixel / 8) > available_bytes / std::max<std::uint64_t>(height, 1)) {
    ThrowTruncated(file, "its header says " + std::to_string(width) + "x" + std::to_string(height) +
                             " pixels, the file has " + std::to_string(available_bytes) + " bytes of them");
  }
}

// P1 to P3: bits, gray, colour as text; P4 to P6: the same as bytes. Throws if the file has fewer bytes than
// its size needs at least.
std::uint64_t CheckPnm(Bytes bytes, const std::string& file) {
  WordReader words(AsText(bytes), '#');
  const char kind = words.Next()[1];
  const bool is_bits = kind == '1' || kind == '4', is_colour = kind == '3' || kind == '6';
  const auto width = ParseCount(words.Next());
  const auto height = ParseCount(words.Next());
  const auto max_value = is_bits ? std::optional<std::uint64_t>(1) : ParseCount(words.Next());
  if (!width || !height || !max_value || *width == 0 || *height == 0 || *max_value == 0 ||
      *max_value > 65535) {
    throw Error(file + ": its PGM/PPM header is damaged");
  }
  const std::size_t header_bytes = words.position() + 1;
  const unsigned bits_per_sample = kind == '4' ? 1U : kind > '4' && *max_value > 255 ? 16U : 8U;
  CheckLength(file, *width, *height, (is_colour ? 3U : 1U) * bits_per_sample,
              bytes.size() > header_bytes ? bytes.size() - header_bytes : 0);
  return DecodedBytes(*width, *height, (is_colour ? 3U : 1U) * (*max_value > 255 ? 16U : 8U));
}

std::uint64_t CheckBmp(Bytes bytes, const std::string& file) {
  constexpr std::size_t kHeaders_bytes = 54;  // file header and BITMAPINFOHEADER
  if (bytes.size() < kHeaders_bytes) ThrowTruncated(file, "BMP header cut short");
  const auto pixels_at = LoadAs<std::uint32_t>(&bytes[10]);
  const auto compression = LoadAs<std::uint32_t>(&bytes[30]);
  constexpr std::uint32_t kRle8 = 1, kRle4 = 2;
  constexpr std::uint64_t kBitsPerPixel = 24;
  const auto width = static_cast<std::uint64_t>(std::llabs(LoadAs<std::int32_t>(&bytes[18])));
  const auto height =
      static_cast<std::uint64_t>(std::llabs(LoadAs<std::int32_t>(&bytes[22])));  // < 0: top first
  if (compression == kRle8 || compression == kRle4) {
    constexpr std::uint64_t kMostPixelsPerByte = 255;
    if (width > kMostPixelsPerByte * bytes.size() || width * height > kMostPixelsPerByte * bytes.size())
      ThrowTruncated(file, "fewer bytes than its size needs");
    return DecodedBytes(width, height, kBitsPerPixel);
  }
  CheckLength(file, width, height, LoadAs<std::uint16_t>(&bytes[28]),
              bytes.size() > pixels_at ? bytes.size() - pixels_at : 0);
  return DecodedBytes(width, height, kBitsPerPixel);
}

}  // namespace

std::uint64_t CheckImageIsWhole(const std::filesystem::path& path, Bytes bytes) {
  if (StartsWith(bytes, "\x89PNG\r\n\x1a\n")) return CheckPng(bytes, path.string());
  if (StartsWith(bytes, "\xFF\xD8\xFF")) return CheckJpeg(bytes, path.string());
  if (StartsWith(bytes, "BM")) return CheckBmp(bytes, path.string());
  const bool is_pnm = bytes.size() > 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6';
  if (is_pnm && (std::isspace(bytes[2]) != 0 || bytes[2] == '#')) return CheckPnm(bytes, path.string());
  using namespace std::string_view_literals;
  for (const std::string_view tiff : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv}) {
    if (StartsWith(bytes, tiff)) return bytes.size();
  }
  // OpenCV would try its readers of other formats, of which GDCM ends the program at a damaged file.
  throw Error(path.string() + ": is not a readable image (PNG, JPEG, PGM, PPM, BMP or TIFF), or is damaged");
}

}  // namespace parallax
