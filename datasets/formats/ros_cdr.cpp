#include "datasets/formats/ros_cdr.h"

#include <string>

namespace parallax {

CdrWriter& CdrWriter::Text(std::string_view text) {
  Number(static_cast<std::uint32_t>(text.size() + 1));
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  bytes_.push_back(0);
  return *this;
}

std::span<std::uint8_t> CdrWriter::ByteSequence(std::size_t count) {
  Number(static_cast<std::uint32_t>(count));
  bytes_.resize(bytes_.size() + count);
  return std::span(bytes_).last(count);
}

CdrReader::CdrReader(std::span<const std::uint8_t> message) : message_(message) {
  if (message.size() < kCdrHead_bytes) throw Error("the message is cut short");
  if (message[0] != 0 || message[1] != 1) {
    throw Error("the message is in encoding " + std::to_string(message[0] * 256 + message[1]) +
                ", and only plain little-endian CDR (1) can be read");
  }
}

std::string_view CdrReader::Text() {
  const std::string_view text = AsText(Take(Number<std::uint32_t>()));
  return text.substr(0, text.find('\0'));
}

std::span<const std::uint8_t> CdrReader::Take(std::size_t count) {
  if (position_ > message_.size() || count > message_.size() - position_)
    throw Error("the message is cut short");
  const std::span<const std::uint8_t> taken = message_.subspan(position_, count);
  position_ += count;
  return taken;
}

}  // namespace parallax
