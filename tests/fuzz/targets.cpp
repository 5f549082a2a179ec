#include "tests/fuzz/targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "parallax/error.h"

namespace parallax::fuzz {
namespace {

// A file that exists in memory only.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes) : descriptor_(memfd_create("fuzz", 0)) {
    if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) throw std::runtime_error("writing the memory file failed");
      done += static_cast<std::size_t>(count);
    }
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

void ReadAsFile(std::span<const std::uint8_t> bytes,
                const std::function<void(const std::filesystem::path&)>& read) {
  const MemoryFile file(bytes);
  try {
    read(file.path());
  } catch (const Error& error) {
    Require(std::string_view(error.what()).find('\n') == std::string_view::npos, "the error is one line");
  }
}

Bytes WrittenBytes(const std::function<void(const std::filesystem::path&)>& write, std::string_view name) {
  std::string folder = (std::filesystem::temp_directory_path() / "parallax_fuzz_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make a folder " + folder);
  const auto path = std::filesystem::path(folder) / name;
  write(path);
  std::ifstream stream(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove_all(folder);
  return bytes;
}

Bytes BytesOf(std::string_view text) { return {text.begin(), text.end()}; }

void Require(bool condition, std::string_view what) {
  if (!condition) throw std::logic_error("does not hold: " + std::string(what));
}

}  // namespace parallax::fuzz
