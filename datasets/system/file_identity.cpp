#include "datasets/system/file_identity.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "datasets/system/file_descriptor.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock_bytes = std::size_t{1} << 18;

// Names of folders without links, kept while a look at the folder shows that it is the same one: the files
// of a data set lie in a few of them, and each part of a name that is looked at is a question to the file
// system.
class FolderNames {
 public:
  // folder: absolute, without "." and "..". Names that are not there yet are left as they are.
  std::string AbsoluteNameOf(const fs::path& folder) {
    struct stat status {};
    if (stat(folder.c_str(), &status) != 0) {
      if (folder == folder.root_path()) return folder.string();
      return (fs::path(AbsoluteNameOf(folder.parent_path())) / folder.filename()).string();
    }
    {
      const std::scoped_lock lock(mutex_);
      const auto kept = kept_.find(folder.string());
      if (kept != kept_.end() && kept->second.device == status.st_dev && kept->second.inode == status.st_ino)
        return kept->second.whole;
    }
    std::error_code error;
    const fs::path whole = fs::canonical(folder, error);
    if (error) return folder.string();
    const std::scoped_lock lock(mutex_);
    if (kept_.size() == kMostKept) kept_.clear();
    kept_[folder.string()] = {status.st_dev, status.st_ino, whole.string()};
    return whole.string();
  }

 private:
  static constexpr std::size_t kMostKept = 1000;
  struct Kept {
    dev_t device = 0;
    ino_t inode = 0;
    std::string whole;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, Kept> kept_;
};

// A link whose target is missing stands for that target; then the folder without links, and the name.
// is_link: whether the name itself is one.
fs::path WholePath(const fs::path& path, bool is_link) {
  static FolderNames folders;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (!error && !is_link && std::find(absolute.begin(), absolute.end(), "..") == absolute.end()) {
    const fs::path plain = absolute.lexically_normal();
    if (plain.has_filename()) return fs::path(folders.AbsoluteNameOf(plain.parent_path())) / plain.filename();
  }
  fs::path whole = fs::weakly_canonical(absolute, error);  // of a relative name, it would be relative
  if (error) whole = absolute.lexically_normal();
  constexpr int kMaxLinks = 40;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(whole, error); ++i) {
    const fs::path target = fs::read_symlink(whole, error);
    if (error) break;
    fs::path next = fs::weakly_canonical(whole.parent_path() / target, error);
    if (error) break;  // a ring of links
    whole = std::move(next);
  }
  return whole;
}

}  // namespace

std::uint32_t Crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::optional<FileContent> ContentOf(const fs::path& path) {
  // Without O_NONBLOCK, opening a pipe of that name would block.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  FileContent content;
  std::vector<std::uint8_t> block(kBlock_bytes);
  while (true) {
    const ssize_t count = read(file.number(), block.data(), block.size());
    if (count < 0) return std::nullopt;
    if (count == 0) return content;
    content.size_bytes += static_cast<std::uint64_t>(count);
    content.crc32 = Crc32({block.data(), static_cast<std::size_t>(count)}, content.crc32);
  }
}

std::string StampOf(const std::vector<fs::path>& files) {
  std::string stamp;
  for (const fs::path& file : files) {
    if (!stamp.empty()) stamp += "; ";
    struct stat status {};
    bool is_there = lstat(file.c_str(), &status) == 0;
    const bool is_link = is_there && S_ISLNK(status.st_mode);
    stamp += WholePath(file, is_link).string();
    if (is_link) is_there = stat(file.c_str(), &status) == 0;
    if (!is_there) {
      stamp += " -";
      continue;
    }
    const auto time = [](const timespec& t) {
      return std::to_string(t.tv_sec) + '.' + std::to_string(t.tv_nsec);
    };
    stamp += ' ' + std::to_string(status.st_size) + ' ' + time(status.st_mtim) + ',' + time(status.st_ctim) +
             ',' + std::to_string(status.st_ino);
  }
  return stamp;
}

bool IsSameFile(const fs::path& a, const fs::path& b) {
  struct stat status_a {
  }, status_b{};
  const bool a_exists = stat(a.c_str(), &status_a) == 0, b_exists = stat(b.c_str(), &status_b) == 0;
  if (a_exists != b_exists) return false;
  if (!a_exists) {
    std::error_code error;
    return WholePath(a, fs::is_symlink(a, error)) == WholePath(b, fs::is_symlink(b, error));
  }
  if (S_ISCHR(status_a.st_mode) || S_ISFIFO(status_a.st_mode)) return false;
  return status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

}  // namespace parallax
