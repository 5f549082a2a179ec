#include "datasets/formats/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "datasets/system/file_descriptor.h"
#include "datasets/system/process_memory.h"
#include "parallax/error.h"

namespace parallax {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Why a file could not be opened.
std::string WhyNot(int number) {
  if (number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG) return "no such file";
  if (number == ELOOP) return std::strerror(number);
  return std::string("cannot be opened (") + std::strerror(number) + ")";
}

// No question about the name but opening it: on a file system that many machines share, each of them counts.
template <typename Container>
Container ReadWholeFile(const std::filesystem::path& path,
                        off_t most_bytes = std::numeric_limits<off_t>::max()) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) throw Error(path.string() + ": " + WhyNot(errno));
  struct stat status {};
  if (fstat(file.number(), &status) == 0 && S_ISDIR(status.st_mode))
    throw Error(path.string() + ": is a folder, expected a file");
  const off_t size_bytes = lseek(file.number(), 0, SEEK_END);
  if (size_bytes < 0 || lseek(file.number(), 0, SEEK_SET) != 0)
    throw Error(path.string() + ": cannot be read: is it a regular file?");
  if (size_bytes > most_bytes) {
    throw Error(path.string() + ": has " + std::to_string(size_bytes) +
                " bytes, too many for a calibration file (at most " + std::to_string(most_bytes >> 20) +
                " MiB)");
  }
  constexpr off_t kLarge_bytes = 16 << 20;
  if (size_bytes >= kLarge_bytes) {
    RequireMemory(static_cast<std::uint64_t>(size_bytes), path.string() + ": reading it",
                  "use smaller files, or raise the limit");
  }
  Container content(static_cast<std::size_t>(size_bytes), {});
  std::size_t num_read = 0;
  while (num_read < content.size()) {
    const ssize_t num_more = read(file.number(), content.data() + num_read, content.size() - num_read);
    if (num_more < 0 && errno == EINTR) continue;
    if (num_more <= 0) throw Error(path.string() + ": reading failed");
    num_read += static_cast<std::size_t>(num_more);
  }
  return content;
}

// Editors on Windows put it in front.
std::string WithoutByteOrderMark(std::string text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace

FileBytes ReadFileBytes(const std::filesystem::path& path) {
  FileBytes bytes = ReadWholeFile<FileBytes>(path);
  if (bytes.empty()) throw Error(path.string() + ": the file is empty (0 bytes)");
  return bytes;
}

std::string ReadFileText(const std::filesystem::path& path) {
  return WithoutByteOrderMark(ReadWholeFile<std::string>(path));
}

std::string ReadCalibrationText(const std::filesystem::path& path) {
  return WithoutByteOrderMark(ReadWholeFile<std::string>(path, 16 << 20));
}

std::optional<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string Printable(std::string_view text, std::size_t max_length) {
  std::string printable(text.substr(0, max_length));
  for (char& c : printable) {
    if (c < ' ' || c > '~') c = '?';  // bytes above 127 are negative or beyond '~'
  }
  return printable;
}

std::string_view WordReader::Next() {
  while (position_ < text_.size()) {
    if (IsSpace(text_[position_])) {
      ++position_;
    } else if (comment_ != '\0' && text_[position_] == comment_) {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else {
      break;
    }
  }
  const std::size_t begin = position_;
  while (position_ < text_.size() && !IsSpace(text_[position_])) ++position_;
  return text_.substr(begin, position_ - begin);
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace parallax
