// Reads MCAP files from front to back: chunked or not, compressed with Zstandard, LZ4 or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/mcap.h"

namespace parallax {

struct McapMessage {
  std::uint16_t channel = 0;
  std::uint64_t time_ns = 0;             // time of recording
  std::span<const std::uint8_t> data{};  // valid until the next one is read
};

// Uses the summary at the file's end if there is one; a truncated file is read up to its last whole chunk.
// Memory: one chunk.
class McapReader {
 public:
  // Throws Error if the file is missing, not an MCAP, or compressed in an unsupported way.
  explicit McapReader(std::filesystem::path path);

  // True if the file has no end: its writer was stopped.
  bool is_cut() const { return is_cut_; }
  // The channels known so far; with a summary, all of them from the beginning.
  const std::map<std::uint16_t, McapSchema>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, McapChannel>& channels() const { return channels_; }
  // Number of messages of a channel in the whole file, if the summary states it.
  std::optional<std::uint64_t> NumMessages(std::uint16_t channel) const;

  // The next message in the order of the file; nullopt at the end. Throws Error on a damaged chunk, and
  // continues after it.
  std::optional<McapMessage> Next();
  // Goes back to the first message; known channels stay.
  void Rewind();

 private:
  struct RecordHead;
  using Bytes = std::span<const std::uint8_t>;

  // Reads the head of the record at a position; nullopt if there is no whole record.
  std::optional<RecordHead> HeadAt(std::uint64_t position);
  Bytes ReadAt(std::uint64_t position, std::uint64_t length, std::vector<std::uint8_t>& buffer);
  void ReadSummary();
  void CheckCompression();
  void OpenChunk(std::uint64_t position, std::uint64_t length);
  std::optional<McapMessage> NextInChunk();
  // Stores a schema, a channel or statistics.
  void Learn(McapOpcode opcode, Bytes content);
  [[noreturn]] void ThrowDamaged(const std::string& what, std::uint64_t position) const;

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_bytes_ = 0;
  bool is_cut_ = true;
  std::map<std::uint16_t, McapSchema> schemas_;
  std::map<std::uint16_t, McapChannel> channels_;
  std::map<std::uint16_t, std::uint64_t> num_messages_;

  std::uint64_t position_ = 0;         // of the next record
  std::uint64_t chunk_position_ = 0;   // of the open chunk
  std::vector<std::uint8_t> chunk_;    // its records
  std::size_t chunk_offset_ = 0;       // of the next record in it
  std::vector<std::uint8_t> content_;  // of a record outside chunks, or a stored chunk
};

}  // namespace parallax
