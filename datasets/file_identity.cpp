#include "datasets/file_identity.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <system_error>

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock_bytes = std::size_t{1} << 18;

// Closes what was opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A link whose target is missing stands for that target; then the folder without links, and the name.
fs::path WholePath(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  fs::path whole = fs::weakly_canonical(absolute, error);  // of a relative name, it would be relative
  if (error) whole = absolute.lexically_normal();
  constexpr int kMaxLinks = 40;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(whole, error); ++i) {
    const fs::path target = fs::read_symlink(whole, error);
    if (error) break;
    whole = fs::weakly_canonical(whole.parent_path() / target, error);
    if (error) break;
  }
  return whole;
}

}  // namespace

std::uint32_t Crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return libdeflate_crc32(before, bytes.data(), bytes.size());
}

std::optional<FileContent> ContentOf(const fs::path& path) {
  // Without O_NONBLOCK a pipe of that name would be waited for.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
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
    stamp += WholePath(file).string();
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) {
      stamp += " -";
      continue;
    }
    stamp += ' ' + std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + '.' +
             std::to_string(status.st_mtim.tv_nsec);
  }
  return stamp;
}

bool IsSameFile(const fs::path& a, const fs::path& b) {
  struct stat status_a {
  }, status_b{};
  const bool a_exists = stat(a.c_str(), &status_a) == 0, b_exists = stat(b.c_str(), &status_b) == 0;
  if (a_exists != b_exists) return false;
  if (!a_exists) return WholePath(a) == WholePath(b);
  if (S_ISCHR(status_a.st_mode) || S_ISFIFO(status_a.st_mode)) return false;
  return status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

}  // namespace parallax
