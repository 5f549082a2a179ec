// A file to which whole lines are added, each with a checksum. The checksums reveal lines that a killed
// program or a full disk left incomplete. One program at a time has it open.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/system/file_descriptor.h"

namespace parallax::app {

// A line of a journal: a kind, and pairs of key and value. A key may occur several times.
struct JournalRecord {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> fields{};

  JournalRecord& Add(std::string_view key, std::string_view value);
  // The first value of the key; empty if there is none.
  std::string_view Get(std::string_view key) const;
};

// A record as a line without line break: the checksum of the rest in hexadecimal digits, the kind,
// KEY=VALUE..., with tabs between; tab, line break and backslash are written as \t, \n and \\.
std::string JournalLine(const JournalRecord& record);
// Reads a record from a line. False if the line is not a record or its checksum is wrong.
bool ParseJournalLine(std::string_view line, JournalRecord& record);

// The whole lines of a journal, which stays unchanged. Throws Error if it cannot be read or another
// program is writing it.
std::vector<JournalRecord> ReadJournal(const std::filesystem::path& file);

class Journal {
 public:
  // Opens or makes the file and locks it. Throws Error if that fails or another program has it open.
  explicit Journal(std::filesystem::path file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The whole lines that were there when it was opened.
  const std::vector<JournalRecord>& records() const { return records_; }

  // Adds a line in one piece; thread-safe. It reaches the disk within a second, or when the journal is
  // closed. Throws Error if it cannot be written; the journal is then unchanged.
  void Append(const JournalRecord& record);
  // From now on no write waits for the disk. A frame whose line does not reach the disk is computed again.
  void Hurry() { hurries_ = true; }
  // Empties it.
  void Clear();

 private:
  void Write(std::string_view text);

  std::filesystem::path file_;
  FileDescriptor descriptor_;
  std::vector<JournalRecord> records_;
  std::mutex mutex_;
  std::uint64_t size_bytes_ = 0;
  std::atomic<bool> hurries_ = false;
  std::int64_t synced_ms_ = 0;  // time of the last write to the disk
};

}  // namespace parallax::app
