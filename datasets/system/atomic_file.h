// Files that appear completely or not at all.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <streambuf>
#include <utility>
#include <vector>

#include "datasets/system/file_descriptor.h"
#include "datasets/system/file_identity.h"

namespace parallax {

struct TemporaryFile {
  std::filesystem::path path;
  int descriptor = -1;  // below 0: it could not be made
};
// Makes a new file with a random name (".parallax-<16 digits>.part") in the folder of `path`, and opens it
// for writing. The descriptor holds a lock on it, which tells RemoveAbandoned that it is in use. On failure,
// errno has the reason.
TemporaryFile MakeTemporaryFile(const std::filesystem::path& path);
// Removes the temporary files in `folder` that killed programs left behind. those_in_use: also files that a
// program has open.
void RemoveAbandoned(const std::filesystem::path& folder, bool those_in_use = false);

// Writes to a descriptor.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  // errno of the first failed write; 0 = none.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override;
  int sync() override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  bool Write(const char* bytes, std::streamsize count);

  int descriptor_, error_ = 0;
  std::array<char, 1 << 14> block_;
};

// A file being written under a temporary name (MakeTemporaryFile) in the folder of `path`. Commit() renames
// it once it is on the disk and replaces an existing file: after a power cut one or the other is complete.
// Without Commit() the destructor removes it. If `path` is a link to a file, the file is replaced and the
// link stays. A device or pipe (/dev/null, a shell's >(...)) is not replaced: it is written to directly, and
// Commit() only ends that.
class AtomicFile {
 public:
  // Opens the temporary file. Throws Error if the folder is missing or cannot be written, or if `path` is a
  // link in /dev or /proc to an open file (/dev/stdout after > FILE).
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Binary stream to write to.
  std::ostream& stream() { return stream_; }
  // Completes the file. Throws Error and removes the temporary file if any write failed, e.g. on a full disk.
  void Commit();
  // False if `path` is a link, a device or a pipe.
  bool has_own_name() const { return IsRenamed() && target_path_ == path_; }

 private:
  struct Target {
    std::filesystem::path path;
    bool is_replaced = true;  // otherwise written to directly: a device or pipe
  };
  AtomicFile(std::filesystem::path path, const Target& target);
  static Target TargetOf(const std::filesystem::path& path);
  static TemporaryFile OpenTarget(const Target& target);
  bool IsRenamed() const { return temporary_.path != target_path_; }

  std::filesystem::path path_;         // the caller's name
  std::filesystem::path target_path_;  // the same without links
  TemporaryFile temporary_;            // target_path_ itself if that is written to directly
  FileDescriptor descriptor_;
  DescriptorBuffer buffer_;
  std::ostream stream_{&buffer_};
  bool committed_ = false;
};

// During its lifetime, Commit() in this thread does not wait for the disk: for files whose size and checksum
// are kept elsewhere, so that losses from a power cut are noticed.
class WithoutWaitingForDisk {
 public:
  WithoutWaitingForDisk();
  ~WithoutWaitingForDisk();
  WithoutWaitingForDisk(const WithoutWaitingForDisk&) = delete;
  WithoutWaitingForDisk& operator=(const WithoutWaitingForDisk&) = delete;

 private:
  friend std::optional<FileContent> ContentWritten(const std::filesystem::path& path);
  friend void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

  // null: this is the outermost one
  WithoutWaitingForDisk* outer_;
  // while this is the outermost one
  std::vector<std::pair<std::filesystem::path, FileContent>> written_;
};

// What WriteFileAtomically wrote to `path` in this thread during the lifetime of a WithoutWaitingForDisk: no
// one has to read it again for the checksum. nullopt if it wrote nothing, or the target of a link.
std::optional<FileContent> ContentWritten(const std::filesystem::path& path);

// Writes the bytes as the whole file `path`. Throws Error.
void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
