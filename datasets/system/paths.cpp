#include "datasets/system/paths.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "parallax/error.h"

namespace parallax {
namespace fs = std::filesystem;
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes the run of digits off the front of `text`, leading zeros dropped.
std::string_view TakeNumber(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, length);
  text.remove_prefix(length);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

template <std::size_t N>
bool HasEnding(const fs::path& path, const std::array<std::string_view, N>& endings) {
  return std::find(endings.begin(), endings.end(), EndingOf(path)) != endings.end();
}

template <typename Test>
std::vector<fs::path> ListSorted(const fs::path& folder, const Test& test) {
  std::vector<fs::path> found;
  for (FolderEntry& entry : ReadFolder(folder)) {
    if (!entry.path.filename().string().starts_with('.') && test(entry))
      found.push_back(std::move(entry.path));
  }
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return NaturalLess(a.string(), b.string()); });
  return found;
}

fs::file_type TypeOf(unsigned char told) {
  return told == DT_DIR   ? fs::file_type::directory
         : told == DT_REG ? fs::file_type::regular
                          : fs::file_type::none;
}

}  // namespace

bool FolderEntry::Is(fs::file_type wanted) const {
  if (told != fs::file_type::none) return told == wanted;
  std::error_code gone;
  return fs::status(path, gone).type() == wanted;
}

std::vector<FolderEntry> ReadFolder(const fs::path& folder) {
  const auto check = [&](int number) {
    if (number != 0)
      throw Error(folder.string() + ": the folder cannot be read (" + std::strerror(number) + ")");
  };
  std::vector<FolderEntry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(folder.c_str()), &closedir);
  if (!stream) {
    const bool is_none =
        errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ENAMETOOLONG || errno == ELOOP;
    check(is_none ? 0 : errno);
    return entries;
  }
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({folder / name, TypeOf(entry->d_type)});
  }
  check(errno);
  return entries;
}

bool NaturalLess(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a.front()) && IsDigit(b.front())) {
      const std::string_view number_a = TakeNumber(a);
      const std::string_view number_b = TakeNumber(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // equal but for leading zeros: some order, always the same
}

std::string EndingOf(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

std::vector<fs::path> ListFolders(const fs::path& folder) {
  return ListSorted(folder, [](const FolderEntry& entry) { return entry.IsFolder(); });
}

std::vector<fs::path> ListImages(const fs::path& folder) {
  return ListSorted(folder,
                    [](const FolderEntry& entry) { return IsImageName(entry.path) && entry.IsFile(); });
}

bool IsImageName(const fs::path& path) {
  constexpr std::array<std::string_view, 9> kEndings = {".png", ".jpg", ".jpeg", ".pgm", ".ppm",
                                                        ".pnm", ".bmp", ".tif",  ".tiff"};
  return HasEnding(path, kEndings);
}

bool IsVideoName(const fs::path& path) {
  constexpr std::array<std::string_view, 13> kEndings = {".mp4", ".avi",  ".mkv",  ".mov", ".webm",
                                                         ".mpg", ".mpeg", ".m4v",  ".ogv", ".wmv",
                                                         ".y4m", ".ts",   ".mjpeg"};
  return HasEnding(path, kEndings);
}

std::optional<fs::path> FindImage(const fs::path& folder, const std::string& stem) {
  for (const char* ending : {".png", ".jpg", ".jpeg", ".ppm", ".pgm", ".bmp", ".tif", ".tiff"}) {
    fs::path path = folder / (stem + ending);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

std::string NameOfFolder(const fs::path& folder) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(folder, error);
  if (error) whole = folder;
  if (!whole.has_filename()) whole = whole.parent_path();
  return whole.filename().string();
}

std::optional<std::size_t> FrameNumber(std::string_view stem) {
  std::size_t begin = stem.size();
  while (begin > 0 && IsDigit(stem[begin - 1])) --begin;
  constexpr std::size_t kMaxDigits = 18;
  if (begin == stem.size() || stem.size() - begin > kMaxDigits) return std::nullopt;
  return static_cast<std::size_t>(std::stoull(std::string(stem.substr(begin))));
}

std::string FileNameSafe(std::string_view name) {
  std::string safe(name);
  for (char& c : safe) {
    const bool multi_byte = (static_cast<unsigned char>(c) & 0x80) != 0;  // UTF-8: left alone
    if (!multi_byte && std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.')
      c = '_';
  }
  if (safe.empty() || safe.front() == '.') safe.insert(0, 1, '_');
  return safe;
}

}  // namespace parallax
