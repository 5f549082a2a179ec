// Files that are there whole or not at all.
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

// Makes a new file with a random name (".parallax-<16 digits>.part") in the folder of `path`, and opens it for
// writing. Whoever has it open holds a lock on it, by which RemoveAbandoned tells it from what killed programs
// left. Returns its path and its descriptor, below 0 where it cannot be made; errno then says why.
struct TemporaryFile {
  std::filesystem::path path;
  int descriptor = -1;
};
TemporaryFile MakeTemporaryFile(const std::filesystem::path& path);
// Removes the temporary files in `folder`. those_in_use: also files that a program has open.
void RemoveAbandoned(const std::filesystem::path& folder, bool those_in_use = false);

// Writes to a descriptor.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  // errno of the first write that failed; 0 = none did.
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

// A file being written under a temporary name (MakeTemporaryFile) in the folder of `path`.
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
  struct Target {
    std::filesystem::path path;
    bool is_replaced = true;  // else written to at once: a device or pipe
  };
  AtomicFile(std::filesystem::path path, const Target& target);
  static Target TargetOf(const std::filesystem::path& path);
  static TemporaryFile OpenTarget(const Target& target);
  bool IsRenamed() const { return temporary_.path != target_path_; }

  std::filesystem::path path_;         // as the caller names it
  std::filesystem::path target_path_;  // the same without links
  TemporaryFile temporary_;            // target_path_ itself where that is written to at once
  FileDescriptor descriptor_;
  DescriptorBuffer buffer_;
  std::ostream stream_{&buffer_};
  bool committed_ = false;
};

// While it lives, Commit() in this thread does not wait for the disk: for files of which somebody keeps size
// and checksum, by which what a power cut took is noticed.
class WithoutWaitingForDisk {
 public:
  WithoutWaitingForDisk();
  ~WithoutWaitingForDisk();
  WithoutWaitingForDisk(const WithoutWaitingForDisk&) = delete;
  WithoutWaitingForDisk& operator=(const WithoutWaitingForDisk&) = delete;

 private:
  friend std::optional<FileContent> ContentWritten(const std::filesystem::path& path);
  friend void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

  WithoutWaitingForDisk* outer_;                                        // null: this is the outermost
  std::vector<std::pair<std::filesystem::path, FileContent>> written_;  // while this is the outermost
};

// What WriteFileAtomically wrote to `path` in this thread while a WithoutWaitingForDisk lives: nobody has to read
// it again for the checksum. nullopt where it wrote nothing, or the target of a link.
std::optional<FileContent> ContentWritten(const std::filesystem::path& path);

// Writes the bytes as the whole file `path`. Throws Error.
void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace parallax
