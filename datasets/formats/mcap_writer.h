// Writes MCAP files: chunks compressed with Zstandard, with indexes, a summary and checksums.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "datasets/formats/mcap.h"

namespace parallax {

// The file gets its name with the first EndChunk, or Finish, and grows by whole chunks. However the program
// ends, a file of this name contains at least what came before that EndChunk, and can be read up to its last
// whole chunk. The same messages give the same bytes.
class McapWriter {
 public:
  // A chunk ends with the message that fills it.
  static constexpr std::size_t kChunk_bytes = std::size_t{4} << 20;

  // Begins the file with header, schemas and channels, under a temporary name; an existing file stays until
  // the new one gets its name. Throws Error if it cannot be written, or is not a regular file.
  McapWriter(std::filesystem::path path, std::vector<McapSchema> schemas, std::vector<McapChannel> channels);
  // Leaves the file as it is: without Finish it ends after the last whole chunk; a file without a name is
  // removed.
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  // Writes a message to one of the constructor's channels. Throws Error on a full disk. The file then ends
  // after its last whole chunk, and only those messages count; Finish may still be called.
  void Write(std::uint16_t channel, std::uint64_t time_ns, std::span<const std::uint8_t> message);
  // Ends the current chunk, if it is not empty. The first call replaces the file's temporary name by its own.
  // Throws what Write throws.
  void EndChunk();
  // Ends the last chunk and writes the summary. Throws what Write throws.
  void Finish();

  std::uint64_t size_bytes() const { return size_bytes_; }
  // Messages of a channel in the whole chunks of the file.
  std::uint64_t NumMessages(std::uint16_t channel) const {
    const auto found = num_messages_.find(channel);
    return found == num_messages_.end() ? 0 : found->second;
  }

 private:
  struct IndexEntry {
    std::uint64_t time_ns = 0, offset = 0;
  };
  struct ChunkEntry;
  class Compressor;

  // Appends all bytes or none: a partial write is cut off again. Throws Error.
  void Append(std::span<const std::uint8_t> bytes);
  void WriteAll(std::span<const std::uint8_t> bytes) const;
  std::vector<std::uint8_t> Summary() const;
  void WriteChunk();
  void ForgetChunk();
  void TakeName();

  std::filesystem::path path_;
  std::filesystem::path temporary_path_;  // empty once the file has its name
  std::vector<McapSchema> schemas_;
  std::vector<McapChannel> channels_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
  std::uint32_t crc_ = 0;  // of the whole file so far
  std::unique_ptr<Compressor> compressor_;

  std::vector<std::uint8_t> chunk_;                         // records
  std::map<std::uint16_t, std::vector<IndexEntry>> index_;  // of the chunk's messages
  std::uint64_t first_ns_ = 0, last_ns_ = 0;                // of the chunk
  std::map<std::uint16_t, std::uint32_t> sequence_;         // of the next message of a channel

  std::vector<ChunkEntry> chunks_;                       // in the file
  std::map<std::uint16_t, std::uint64_t> num_messages_;  // in the file, by channel
};

}  // namespace parallax
