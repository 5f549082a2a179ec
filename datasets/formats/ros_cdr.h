// CDR, the encoding of ROS 2 messages (OMG DDSI-RTPS, "plain" CDR 1, little endian): numbers are at multiples
// of their size, counted from the end of the four bytes that name the encoding; the length precedes texts and
// sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "datasets/formats/file_bytes.h"
#include "parallax/error.h"

namespace parallax {

template <typename T>
concept CdrNumber = std::is_arithmetic_v<T> && sizeof(T) <= 8;

// The start of every message: its encoding.
inline constexpr std::size_t kCdrHead_bytes = 4;

class CdrWriter {
 public:
  CdrWriter() : bytes_{0, 1, 0, 0} {}

  template <CdrNumber T>
  CdrWriter& Number(T value) {
    const std::size_t beyond = (bytes_.size() - kCdrHead_bytes) % sizeof(T);
    const std::size_t at = bytes_.size() + (beyond > 0 ? sizeof(T) - beyond : 0);
    bytes_.resize(at + sizeof(T));
    std::memcpy(&bytes_[at], &value, sizeof(T));
    return *this;
  }
  // Writes the text and a zero at its end.
  CdrWriter& Text(std::string_view text);
  // A sequence of bytes, which the caller fills before anything follows.
  std::span<std::uint8_t> ByteSequence(std::size_t count);

  std::vector<std::uint8_t> Take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Reads the fields of a message one after another. Throws Error if the message ends before its fields do, or
// is not in plain little-endian CDR.
class CdrReader {
 public:
  explicit CdrReader(std::span<const std::uint8_t> message);

  template <CdrNumber T>
  T Number() {
    position_ += (sizeof(T) - (position_ - kCdrHead_bytes) % sizeof(T)) % sizeof(T);
    return LoadAs<T>(Take(sizeof(T)).data());
  }
  std::string_view Text();
  std::span<const std::uint8_t> ByteSequence() { return Take(Number<std::uint32_t>()); }

 private:
  std::span<const std::uint8_t> Take(std::size_t count);

  std::span<const std::uint8_t> message_;
  std::size_t position_ = kCdrHead_bytes;
};

}  // namespace parallax
