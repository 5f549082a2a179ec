// A file to which whole lines are added, each with a checksum, so that what a killed program or a full disk
// left half written is told from the rest. One program at a time has it open.
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

// A line of it: what it is about, and what it says. A key may come several times.
struct JournalRecord {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> fields{};

  JournalRecord& Add(std::string_view key, std::string_view value);
  // The first value of the key; empty where there is none.
  std::string_view Get(std::string_view key) const;
};

// A record as a line without its end: the checksum of the rest in hexadecimal digits, the kind, KEY=VALUE...,
// with tabs between; tab, line break and backslash are written as \t, \n and \\.
std::string JournalLine(const JournalRecord& record);
// False where the line is none, or not as it was written.
bool ParseJournalLine(std::string_view line, JournalRecord& record);

// The whole lines of a journal, which stays as it is. Throws Error where it cannot be read, and where another
// program is writing it.
std::vector<JournalRecord> ReadJournal(const std::filesystem::path& file);

class Journal {
 public:
  // Opens or makes the file and locks it. Throws Error where it cannot, and where another program has it.
  explicit Journal(std::filesystem::path file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // What stood there when it was opened, whole lines only.
  const std::vector<JournalRecord>& records() const { return records_; }

  // Adds a line in one piece; for several threads. It reaches the disk within a second and with the end of
  // the journal. Throws Error where it cannot be written; the journal is then as before.
  void Append(const JournalRecord& record);
  // From now on nothing waits for the disk, which may take long where others write: lines that do not get
  // there after all are of frames that are done again.
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
  std::int64_t synced_ms_ = 0;  // when it was last written to the disk
};

}  // namespace parallax::app
