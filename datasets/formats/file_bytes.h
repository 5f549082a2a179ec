// Whole files in memory, and the numbers in them. All binary formats here are little endian, as are the
// supported machines.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parallax {

static_assert(std::endian::native == std::endian::little,
              "the readers and writers assume a little-endian machine");

using FileBytes = std::vector<std::uint8_t>;

// Throws Error when the file is missing, a folder, unreadable or empty.
FileBytes ReadFileBytes(const std::filesystem::path& path);
// The same for text files, which may be empty; without the byte-order mark of UTF-8.
std::string ReadFileText(const std::filesystem::path& path);
// The same for a calibration file, of at most 16 MiB: mrcal's includes its input data.
std::string ReadCalibrationText(const std::filesystem::path& path);

inline std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
T LoadAs(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// The whole of `text` as a number ("+3", "1e-4", "inf" too), in any locale; nullopt if it is not one.
std::optional<double> ParseNumber(std::string_view text);
// The whole of `text` as a count; nullopt if it is not one, negative or beyond 64 bits.
std::optional<std::uint64_t> ParseCount(std::string_view text);

// The content of a damaged file, made fit for an error of one line: limited in length, '?' for unprintable
// characters.
std::string Printable(std::string_view text, std::size_t max_length = 40);

// The words of a text, one by one.
class WordReader {
 public:
  // comment: text from this character to the end of the line is ignored; '\0' = no comments.
  explicit WordReader(std::string_view text, char comment = '\0') : text_(text), comment_(comment) {}
  // Next word, empty at the end.
  std::string_view Next();
  // Number of characters read so far; ends directly after the last word.
  std::size_t position() const { return position_; }

 private:
  std::string_view text_;
  char comment_;
  std::size_t position_ = 0;
};

// Splits into lines, without "\n" or "\r\n".
std::vector<std::string_view> SplitLines(std::string_view text);

}  // namespace parallax
