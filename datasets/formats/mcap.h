// MCAP, the container of recordings (https://mcap.dev/spec): what the writer and the reader share.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace parallax {

// The layout of messages of one type.
struct McapSchema {
  std::uint16_t id = 0;    // 0 means none
  std::string name{};      // "sensor_msgs/msg/Image"
  std::string encoding{};  // of the text: "ros2msg"
  std::string text{};
};

// Messages of one topic.
struct McapChannel {
  std::uint16_t id = 0;
  std::uint16_t schema_id = 0;
  std::string topic{};     // "/left/image_rect"
  std::string encoding{};  // of the messages: "cdr"
};

inline constexpr std::array<std::uint8_t, 8> kMcapMagic = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
// Opcode and length of a record.
inline constexpr std::uint64_t kMcapRecordHead_bytes = 9;
inline constexpr std::uint64_t kMcapFooter_bytes = 20;

enum class McapOpcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kStatistics = 0x0B,
  kSummaryOffset = 0x0E,
  kDataEnd = 0x0F,
};

}  // namespace parallax
