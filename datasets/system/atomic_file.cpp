#include "datasets/system/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace {

bool IsDeviceOrPipe(const std::filesystem::file_status& status) {
  return std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status);
}

// The outermost of this thread. A pointer, since a thread-local object with a destructor ends the program where
// memory for it is refused.
thread_local WithoutWaitingForDisk* t_not_waiting = nullptr;

constexpr std::string_view kBegin = ".parallax-", kEnd = ".part";  // of the names of temporary files

// open(), once more where a signal interrupted it.
int OpenAgain(const char* path, int flags, mode_t mode = 0) {
  int descriptor = -1;
  do {
    descriptor = open(path, flags, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

// Waits until the file is on the disk; false, with errno, where it cannot get there.
bool SyncToDisk(int descriptor) {
  int result = 0;
  do {
    result = fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result == 0 || errno == EINVAL || errno == EROFS;  // not of this file system
}

}  // namespace

TemporaryFile MakeTemporaryFile(const std::filesystem::path& path) {
  constexpr int kMostTries = 100;
  TemporaryFile file;
  for (int i = 0; i < kMostTries; ++i) {
    std::uint64_t random = 0;
    if (getentropy(&random, sizeof random) != 0) return file;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(random));
    file.path = path.parent_path() / (std::string(kBegin) + digits.data() + std::string(kEnd));
    file.descriptor =
        OpenAgain(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file.descriptor < 0 && errno == EEXIST) continue;
    if (file.descriptor < 0) return file;
    // Somebody who tidies up may have been faster: then it has no name any more. Where the file system knows
    // no locks, nobody gets one.
    struct stat status {};
    while (flock(file.descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    if (fstat(file.descriptor, &status) != 0 || status.st_nlink > 0) return file;
    close(file.descriptor);
    file.descriptor = -1;
  }
  return file;
}

void RemoveAbandoned(const std::filesystem::path& folder, bool those_in_use) {
  std::vector<FolderEntry> entries;
  try {
    entries = ReadFolder(folder.empty() ? "." : folder);
  } catch (const Error&) {
    return;  // tidying up is not what the caller came for
  }
  for (const FolderEntry& entry : entries) {
    const std::string name = entry.path.filename().string();
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const FileDescriptor file(OpenAgain(entry.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.number() < 0) continue;
    if (those_in_use || flock(file.number(), LOCK_EX | LOCK_NB) == 0) unlink(entry.path.c_str());
  }
}

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(block_.data(), block_.data() + block_.size());
}

bool DescriptorBuffer::Write(const char* bytes, std::streamsize count) {
  while (count > 0 && error_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes, static_cast<std::size_t>(count));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) error_ = written < 0 ? errno : ENOSPC;
    bytes += std::max<ssize_t>(written, 0), count -= std::max<ssize_t>(written, 0);
  }
  return error_ == 0;
}

int DescriptorBuffer::sync() {
  const bool written = Write(pbase(), pptr() - pbase());
  setp(block_.data(), block_.data() + block_.size());
  return written ? 0 : -1;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

std::streamsize DescriptorBuffer::xsputn(const char* bytes, std::streamsize count) {
  if (count < epptr() - pptr()) {
    std::memcpy(pptr(), bytes, static_cast<std::size_t>(count));
    pbump(static_cast<int>(count));
    return count;
  }
  return sync() == 0 && Write(bytes, count) ? count : 0;
}

// The target of a link, so that renaming replaces the target and not the link. A name that is not a link is
// looked up only once.
AtomicFile::Target AtomicFile::TargetOf(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::is_symlink(status)) return {path, !IsDeviceOrPipe(status)};
  if (IsDeviceOrPipe(std::filesystem::status(path, error))) return {path, false};
  const std::string name = path.string();
  if (name.starts_with("/dev/") || name.starts_with("/proc/")) {
    throw Error(name + ": is an already open file: name another one");
  }
  std::filesystem::path target = path;
  for (int i = 0; std::filesystem::is_symlink(target, error); ++i) {
    constexpr int kMaxLinks = 40;  // as Linux has it
    if (i == kMaxLinks) throw Error(name + ": cannot be written (Too many levels of symbolic links)");
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return {target, true};
}

TemporaryFile AtomicFile::OpenTarget(const Target& target) {
  if (target.is_replaced) return MakeTemporaryFile(target.path);
  return {target.path, OpenAgain(target.path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY)};
}

AtomicFile::AtomicFile(std::filesystem::path path) : AtomicFile(path, TargetOf(path)) {}

AtomicFile::AtomicFile(std::filesystem::path path, const Target& target)
    : path_(std::move(path)),
      target_path_(target.path),
      temporary_(OpenTarget(target)),
      descriptor_(temporary_.descriptor),
      buffer_(descriptor_.number()) {
  if (descriptor_.number() < 0) {
    throw Error(path_.string() + ": cannot be written (" + std::strerror(errno) +
                (errno == ENOENT ? "): make its folder first" : ")"));
  }
  if (IsRenamed() && t_not_waiting == nullptr) RemoveAbandoned(target_path_.parent_path());
}

AtomicFile::~AtomicFile() {
  if (!committed_ && IsRenamed()) unlink(temporary_.path.c_str());
}

void AtomicFile::Commit() {
  stream_.flush();
  errno = buffer_.error();
  bool is_written = errno == 0 && stream_;
  if (is_written && IsRenamed()) {
    if (t_not_waiting == nullptr) {
      is_written = SyncToDisk(descriptor_.number());
    } else {
      // A file system of other machines may say no as late as this. The lock stays, with the other descriptor.
      const int copy = dup(descriptor_.number());
      is_written = copy >= 0 && close(copy) == 0;
    }
  }
  if (!is_written) {
    const std::string reason = errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "";
    rlimit largest{};
    const bool is_limited = getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur != RLIM_INFINITY;
    throw Error(path_.string() + ": writing failed" + reason + "; is the disk full" +
                (is_limited ? ", or the file larger than ulimit -f allows?" : "?"));
  }
  if (IsRenamed() && std::rename(temporary_.path.c_str(), target_path_.c_str()) != 0) {
    throw Error(path_.string() + ": cannot be written (" + std::strerror(errno) +
                (errno == ENAMETOOLONG ? "): choose a shorter name)" : ")"));
  }
  committed_ = true;
}

WithoutWaitingForDisk::WithoutWaitingForDisk() : outer_(t_not_waiting) {
  if (outer_ == nullptr) t_not_waiting = this;
}
WithoutWaitingForDisk::~WithoutWaitingForDisk() { t_not_waiting = outer_; }

std::optional<FileContent> ContentWritten(const std::filesystem::path& path) {
  if (t_not_waiting == nullptr) return std::nullopt;
  const auto& written = t_not_waiting->written_;
  const auto last =
      std::find_if(written.rbegin(), written.rend(), [&](const auto& file) { return file.first == path; });
  return last == written.rend() ? std::nullopt : std::optional(last->second);
}

void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  AtomicFile file(path);
  file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
  file.Commit();
  if (t_not_waiting != nullptr && file.has_own_name()) {
    t_not_waiting->written_.emplace_back(path, FileContent{bytes.size(), Crc32(bytes)});
  }
}

}  // namespace parallax
