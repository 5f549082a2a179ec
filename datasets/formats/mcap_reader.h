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
  std::uint64_t time_ns = 0;             // when it was recorded
  std::span<const std::uint8_t> data{};  // until the next one is read
};

// The summary at the file's end is used where it is there: a file that was cut is read up to its last whole
// chunk. Memory: one chunk.
class McapReader {
 public:
  // Throws Error where the file is missing, no MCAP, or compressed in a way that is not known.
  explicit McapReader(std::filesystem::path path);

  // True where the file has no end: whoever wrote it was stopped.
  bool is_cut() const { return is_cut_; }
  // Known so far: all of them from the beginning where there is a summary.
  const std::map<std::uint16_t, McapSchema>& schemas() const { return schemas_; }
  const std::map<std::uint16_t, McapChannel>& channels() const { return channels_; }
  // Of a channel in the whole file, where the summary tells.
  std::optional<std::uint64_t> NumMessages(std::uint16_t channel) const;

  // The next message in the order of the file; nullopt at the end. Throws Error on a chunk that is damaged,
  // and then stands behind it.
  std::optional<McapMessage> Next();
  // Back to the first message; what is known of channels stays.
  void Rewind();

 private:
  struct RecordHead;
  using Bytes = std::span<const std::uint8_t>;

  // nullopt where there is no whole record.
  std::optional<RecordHead> HeadAt(std::uint64_t position);
  Bytes ReadAt(std::uint64_t position, std::uint64_t length, std::vector<std::uint8_t>& buffer);
  void ReadSummary();
  void CheckCompression();
  void OpenChunk(std::uint64_t position, std::uint64_t length);
  std::optional<McapMessage> NextInChunk();
  // Takes a schema, a channel or statistics in.
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
  std::uint64_t chunk_position_ = 0;   // of the chunk that is open
  std::vector<std::uint8_t> chunk_;    // its records
  std::size_t chunk_offset_ = 0;       // of the next record in it
  std::vector<std::uint8_t> content_;  // of a record outside chunks, or a chunk as it is stored
};

}  // namespace parallax
