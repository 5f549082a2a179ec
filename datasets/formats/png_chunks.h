// The chunks of a PNG file (ISO/IEC 15948, 5.3), one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "datasets/formats/file_bytes.h"

namespace parallax {

inline std::uint32_t LoadBigEndian32(const std::uint8_t* b) {
  return static_cast<std::uint32_t>(b[0]) << 24 | static_cast<std::uint32_t>(b[1]) << 16 |
         static_cast<std::uint32_t>(b[2]) << 8 | b[3];
}

struct PngChunk {
  std::span<const std::uint8_t> type_and_data;  // the bytes covered by the checksum
  std::uint32_t checksum = 0;

  std::string_view type() const { return AsText(type_and_data.first(4)); }
  std::span<const std::uint8_t> data() const { return type_and_data.subspan(4); }
};

class PngChunks {
 public:
  static constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

  // bytes: the whole file, which begins with the signature. Must outlive this.
  explicit PngChunks(std::span<const std::uint8_t> bytes) : rest_(bytes.subspan(kSignature.size())) {}

  // Returns the next chunk; nullopt if no whole chunk is left: see is_cut_short().
  std::optional<PngChunk> Next() {
    constexpr std::size_t kLength_bytes = 4, kFrame_bytes = 12;  // length, type, checksum
    if (rest_.size() < kFrame_bytes) return std::nullopt;
    const std::size_t length = LoadBigEndian32(rest_.data());
    is_cut_short_ = length > rest_.size() - kFrame_bytes;
    if (is_cut_short_) return std::nullopt;
    const PngChunk chunk{rest_.subspan(kLength_bytes, 4 + length), LoadBigEndian32(&rest_[8 + length])};
    rest_ = rest_.subspan(kFrame_bytes + length);
    return chunk;
  }
  // A chunk has begun but its end is missing.
  bool is_cut_short() const { return is_cut_short_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool is_cut_short_ = false;
};

}  // namespace parallax
