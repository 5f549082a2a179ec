#include "datasets/formats/pfm.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "datasets/system/atomic_file.h"
#include "parallax/error.h"

namespace parallax {
namespace {

struct PfmHeader {
  int width = 0, height = 0;  // px
  bool big_endian = false;
  std::size_t size_bytes = 0;  // of the header; the bottom row begins here
};

float LoadBigEndian(const std::uint8_t* bytes) {
  const auto bits = static_cast<std::uint32_t>(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]);
  return std::bit_cast<float>(bits);
}

PfmHeader ParsePfmHeader(const FileBytes& bytes, const std::string& file) {
  WordReader words(AsText(bytes), '#');
  const std::string_view magic = words.Next();
  if (magic == "PF") throw Error(file + ": is a colour PFM (PF); a disparity map has one channel (Pf)");
  if (magic != "Pf") throw Error(file + ": is not a PFM file: it does not begin with Pf");
  const auto width = ParseCount(words.Next());
  const auto height = ParseCount(words.Next());
  const auto scale = ParseNumber(words.Next());
  if (!width || !height || *width == 0 || *height == 0)
    throw Error(file + ": its PFM header has no valid size");
  if (!scale || *scale == 0 || std::isnan(*scale)) {
    throw Error(file +
                ": its PFM header has no valid scale (negative = little endian, positive = big endian)");
  }
  // Compare with the file before anything is allocated: the header may lie.
  const std::size_t header_bytes = words.position() + 1;  // one white-space character ends the header
  const std::size_t data_bytes = bytes.size() > header_bytes ? bytes.size() - header_bytes : 0;
  constexpr std::uint64_t kMaxSide = std::numeric_limits<int>::max();
  if (*width > kMaxSide || *height > kMaxSide || *width * *height > data_bytes / sizeof(float)) {
    throw Error(file + ": its header says " + std::to_string(*width) + "x" + std::to_string(*height) +
                " pixels, but the file has only " + std::to_string(data_bytes) +
                " bytes of pixels; it is truncated or its header is wrong");
  }
  PfmHeader header{static_cast<int>(*width), static_cast<int>(*height), *scale > 0, header_bytes};
  // A header that ends in "\r\n" is one byte longer; only the length of the file distinguishes it from a
  // pixel that begins with 0x0A.
  const bool carriage_return = bytes[header_bytes - 1] == '\r' && bytes[header_bytes] == '\n';
  if (carriage_return && data_bytes == *width * *height * sizeof(float) + 1) ++header.size_bytes;
  const std::size_t end = header.size_bytes + *width * *height * sizeof(float);
  if (bytes.size() != end) {
    throw Error(file + ": " + std::to_string(bytes.size() - end) +
                " bytes follow the pixels of its header, " + std::to_string(*width) + "x" +
                std::to_string(*height) + "; the header or the file is wrong");
  }
  return header;
}

}  // namespace

HostImage<float> ReadPfm(const std::filesystem::path& path) {
  const FileBytes bytes = ReadFileBytes(path);
  const PfmHeader header = ParsePfmHeader(bytes, path.string());
  HostImage<float> image(header.width, header.height);
  const std::uint8_t* pixel = bytes.data() + header.size_bytes;
  for (int y = header.height - 1; y >= 0; --y) {
    float* row = image.Row(y);
    for (int x = 0; x < header.width; ++x, pixel += sizeof(float)) {
      const float value = header.big_endian ? LoadBigEndian(pixel) : LoadAs<float>(pixel);
      row[x] = std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return image;
}

void WritePfm(const std::filesystem::path& path, HostImageView<const float> image) {
  AtomicFile file(path);
  file.stream() << "Pf\n" << image.width << " " << image.height << "\n-1\n";
  std::vector<float> row(static_cast<std::size_t>(image.width));
  for (int y = image.height - 1; y >= 0; --y) {
    for (int x = 0; x < image.width; ++x) {
      const float value = image(x, y);
      row[static_cast<std::size_t>(x)] = std::isnan(value) ? std::numeric_limits<float>::infinity() : value;
    }
    file.stream().write(reinterpret_cast<const char*>(row.data()),
                        static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
  file.Commit();
}

}  // namespace parallax
