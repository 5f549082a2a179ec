// Files that are there whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <span>

#include "datasets/file_identity.h"

namespace parallax {

// A file being written under a temporary name (".NAME.<process>-<count>.part") in the folder of `path`.
// Commit() gives it its name once it is on the disk, replacing what was there, so that a power cut leaves
// the one or the other whole; without it the destructor removes what was written.
// Where `path` is a link to a file, the file is replaced and the link stays. A device or pipe (/dev/null, a
// shell's >(...)) is no file to replace: it is written to at once, and Commit() only ends that.
class AtomicFile {
 public:
  // Opens the temporary file. Throws Error when the folder is missing or cannot be written, and where `path`
  // (/dev/stdout, /dev/fd/N) stands for a file that is open already.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Binary stream to write to.
  std::ostream& stream() { return stream_; }
  // Throws Error (and removes the temporary file) when any write failed, e.g. on a full disk.
  void Commit();
  // False where it stands for another file, or for a device or pipe.
  bool has_own_name() const { return IsRenamed() && target_path_ == path_; }

 private:
  bool IsRenamed() const { return temporary_path_ != target_path_; }

  std::filesystem::path path_;            // as the caller names it
  std::filesystem::path target_path_;     // the same without links
  std::filesystem::path temporary_path_;  // target_path_ itself where that is written to at once
  std::ofstream stream_;
  bool committed_ = false;
};

// A name in the folder of `path` that no other thread or process uses: ".NAME.<process>-<count>.part".
std::filesystem::path TemporaryPathFor(const std::filesystem::path& path);
// Removes what programs that were killed have left under such names of `path`.
void RemoveAbandoned(const std::filesystem::path& path);

// While it lives, Commit() in this thread does not wait for the disk: for files of which somebody keeps size
// and checksum, by which what a power cut took is noticed.
class WithoutWaitingForDisk {
 public:
  WithoutWaitingForDisk();
  ~WithoutWaitingForDisk();
  WithoutWaitingForDisk(const WithoutWaitingForDisk&) = delete;
  WithoutWaitingForDisk& operator=(const WithoutWaitingForDisk&) = delete;
};

// What WriteFileAtomically wrote there in this thread while the WithoutWaitingForDisk lives, so that nobody has to read it
// again for the checksum; nullopt where it did not, or wrote to the target of a link.
std::optional<FileContent> ContentWritten(const std::filesystem::path& path);

// Writes the bytes as the whole file `path`. Throws Error.
void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
