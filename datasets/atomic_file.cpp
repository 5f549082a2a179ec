#include "datasets/atomic_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "pipeline/error.h"

namespace parallax {
namespace {

bool IsDeviceOrPipe(const std::filesystem::file_status& status) {
  return std::filesystem::is_character_file(status) || std::filesystem::is_fifo(status);
}

thread_local int t_not_waiting = 0;  // how many WithoutWaitingForDisk there are
// What was written while there are any.
thread_local std::vector<std::pair<std::filesystem::path, FileContent>> t_written;

// Waits until the file is on the disk; false, with errno, where it cannot get there.
bool SyncToDisk(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;  // not of this file system
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return synced;
}

struct Target {
  std::filesystem::path path;
  bool is_replaced = true;  // else written to at once: a device or pipe
};

// The file that a link leads to, so that renaming replaces that and not the link. A name that is no link is
// looked at once.
Target TargetOf(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (!std::filesystem::is_symlink(status)) return {path, !IsDeviceOrPipe(status)};
  if (IsDeviceOrPipe(std::filesystem::status(path, error))) return {path, false};
  const std::string name = path.string();
  if (name.starts_with("/dev/") || name.starts_with("/proc/")) {
    throw Error(name + ": stands for a file that is open already: name another one");
  }
  std::filesystem::path target = path;
  for (int i = 0; std::filesystem::is_symlink(target, error); ++i) {
    constexpr int kMaxLinks = 40;  // as Linux has it
    if (i == kMaxLinks) throw Error(name + ": cannot be written (Too many levels of symbolic links)");
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return {target, true};
}

}  // namespace

std::filesystem::path TemporaryPathFor(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  std::string name = ".";
  name += path.filename().string();
  name += '.';
  name += std::to_string(getpid());
  name += '-';
  name += std::to_string(count++);
  name += ".part";
  return path.parent_path() / name;
}

void RemoveAbandoned(const std::filesystem::path& path) {
  const std::string begin = "." + path.filename().string() + ".", end = ".part";
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), last; !error && it != last;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    int process = 0;
    const char* const number = name.data() + begin.size();
    const auto [rest, fault] = std::from_chars(number, name.data() + name.size(), process);
    if (fault != std::errc() || *rest != '-' || process <= 0) continue;
    if (kill(process, 0) == 0 || errno != ESRCH) continue;  // at work
    std::error_code ignored;
    std::filesystem::remove(it->path(), ignored);
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  const Target target = TargetOf(path_);
  target_path_ = target.path;
  temporary_path_ = target.is_replaced ? TemporaryPathFor(target_path_) : target_path_;
  if (IsRenamed() && t_not_waiting == 0) RemoveAbandoned(target_path_);
  errno = 0;
  stream_.open(temporary_path_, std::ios::binary | std::ios::trunc);
  if (!stream_) {
    throw Error(path_.string() + ": cannot be written (" + std::strerror(errno) +
                "); does its folder exist?");
  }
}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  stream_.close();
  if (!IsRenamed()) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_path_, ignored);
}

void AtomicFile::Commit() {
  errno = 0;
  stream_.close();
  if (!stream_ || (IsRenamed() && t_not_waiting == 0 && !SyncToDisk(temporary_path_))) {
    // A write before this one may have failed, whose reason is no longer known.
    const std::string reason = errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : "";
    rlimit largest{};
    const bool is_limited = getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur != RLIM_INFINITY;
    throw Error(path_.string() + ": writing failed" + reason + "; is the disk full" +
                (is_limited ? ", or the file larger than ulimit -f allows?" : "?"));
  }
  std::error_code error;
  if (IsRenamed()) std::filesystem::rename(temporary_path_, target_path_, error);
  if (error) throw Error(path_.string() + ": cannot be written (" + error.message() + ")");
  committed_ = true;
}

WithoutWaitingForDisk::WithoutWaitingForDisk() { ++t_not_waiting; }
WithoutWaitingForDisk::~WithoutWaitingForDisk() {
  if (--t_not_waiting == 0) t_written.clear();
}

std::optional<FileContent> ContentWritten(const std::filesystem::path& path) {
  const auto last = std::find_if(t_written.rbegin(), t_written.rend(),
                                 [&](const auto& written) { return written.first == path; });
  return last == t_written.rend() ? std::nullopt : std::optional(last->second);
}

void WriteFileAtomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  AtomicFile file(path);
  file.stream().write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
  file.Commit();
  if (t_not_waiting > 0 && file.has_own_name())
    t_written.emplace_back(path, FileContent{bytes.size(), Crc32(bytes)});
}

}  // namespace parallax
