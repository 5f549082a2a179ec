#include "datasets/formats/matrix_file.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "datasets/formats/file_bytes.h"
#include "datasets/system/paths.h"
#include "parallax/error.h"

namespace parallax {
namespace {

constexpr std::uint64_t kMostDims = std::numeric_limits<int>::max();

std::string CountOf(std::uint64_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

// nullopt if it is finite and beyond all floats.
std::optional<float> NarrowInRange(double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) return std::nullopt;
  return narrow;
}

// --- NumPy (NEP 1) -----------------------------------------------------------

constexpr std::string_view kMagic = "\x93NUMPY";

// The header is a dictionary as Python writes it: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),
// }. What stands behind 'key':, from its first character on; empty if the key is missing.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "'";
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = header.find_first_not_of(": ", at + quoted.size());
  return begin == std::string_view::npos ? std::string_view() : header.substr(begin);
}

struct NpyHeader {
  bool is_double = false, is_fortran = false;
  std::uint64_t rows = 0, dims = 0;
};

[[noreturn]] void ThrowBadHeader(const std::string& file, const std::string& what) {
  throw Error(file + ": its NumPy header " + what + "; write it again with numpy.save");
}

// "(2, 3)".
std::vector<std::uint64_t> ParseShape(const std::string& file, std::string_view text) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) ThrowBadHeader(file, "has no shape");
  text = text.substr(1, end - 1);
  std::vector<std::uint64_t> shape;
  while (text.find_first_not_of(", ") != std::string_view::npos) {
    text.remove_prefix(text.find_first_not_of(", "));
    const std::string_view number = text.substr(0, text.find_first_of(", "));
    // Python 2 wrote long integers with an L.
    const std::size_t num_digits = number.size() - (number.ends_with('L') ? 1 : 0);
    const std::optional<std::uint64_t> count = ParseCount(number.substr(0, num_digits));
    if (!count) ThrowBadHeader(file, "has a shape with '" + Printable(number) + "' in it");
    shape.push_back(*count);
    text.remove_prefix(number.size());
  }
  return shape;
}

NpyHeader ParseNpyHeader(const std::string& file, std::string_view header) {
  NpyHeader result;
  const std::string_view descr = ValueOf(header, "descr");
  const std::size_t end = descr.starts_with('\'') ? descr.find('\'', 1) : std::string_view::npos;
  if (descr.starts_with('[')) {
    throw Error(file + ": contains records, not plain numbers: save one array of float32 or float64");
  }
  if (end == std::string_view::npos) ThrowBadHeader(file, "does not state the type of its numbers");
  const std::string_view type = descr.substr(1, end - 1);
  if (type != "<f4" && type != "<f8") {
    throw Error(file + ": contains numbers of type '" + Printable(type) +
                "', expected float32 or float64 ('<f4', '<f8'): save array.astype('<f4')");
  }
  result.is_double = type == "<f8";
  const std::string_view order = ValueOf(header, "fortran_order");
  result.is_fortran = order.starts_with("True");
  if (!result.is_fortran && !order.starts_with("False")) ThrowBadHeader(file, "does not state their order");
  const std::vector<std::uint64_t> shape = ParseShape(file, ValueOf(header, "shape"));
  if (shape.size() != 2) {
    throw Error(file + ": has " + CountOf(shape.size(), "dimension") +
                ", expected rows x numbers: save array.reshape(rows, numbers)");
  }
  result.rows = shape[0];
  result.dims = shape[1];
  if (result.rows == 0 || result.dims == 0) {
    throw Error(file + ": contains no numbers, its shape is " + std::to_string(result.rows) + " x " +
                std::to_string(result.dims));
  }
  return result;
}

template <typename T>
Matrix ParseNumbers(const std::string& file, const NpyHeader& header, const std::uint8_t* data) {
  Matrix matrix{static_cast<std::int64_t>(header.rows), static_cast<int>(header.dims), {}};
  matrix.values.resize(header.rows * header.dims);
  for (std::size_t row = 0, i = 0; row < header.rows; ++row) {
    for (std::size_t column = 0; column < header.dims; ++column, ++i) {
      const std::size_t at = header.is_fortran ? column * header.rows + row : i;
      const auto value = static_cast<double>(LoadAs<T>(data + at * sizeof(T)));
      const std::optional<float> narrow = NarrowInRange(value);
      if (!narrow) {
        throw Error(file + ": row " + std::to_string(row) + ", column " + std::to_string(column) +
                    " is beyond single precision: scale the numbers down");
      }
      matrix.values[i] = *narrow;
    }
  }
  return matrix;
}

Matrix ParseNpy(const std::string& file, std::span<const std::uint8_t> bytes) {
  if (!AsText(bytes).starts_with(kMagic)) {
    throw Error(file + ": is not a NumPy file (.npy): it does not begin with \\x93NUMPY");
  }
  // Magic, version (two bytes), length of the header (two bytes, from version 2 on four), header.
  constexpr std::size_t kVersionAt = 6, kLengthAt = 8;
  if (bytes.size() < kLengthAt + 4) ThrowBadHeader(file, "is cut short");
  const int version = bytes[kVersionAt];
  if (version < 1 || version > 3) {
    throw Error(file + ": has version " + std::to_string(version) +
                " of NumPy's format, but only 1 to 3 are supported: write it again with numpy.save");
  }
  const std::size_t length =
      version == 1 ? LoadAs<std::uint16_t>(&bytes[kLengthAt]) : LoadAs<std::uint32_t>(&bytes[kLengthAt]);
  const std::size_t header_at = kLengthAt + (version == 1 ? 2 : 4);
  if (bytes.size() - header_at < length) ThrowBadHeader(file, "is cut short");
  const NpyHeader header = ParseNpyHeader(file, AsText(bytes.subspan(header_at, length)));
  // Compared with the file before anything is allocated: the header may lie.
  const std::span<const std::uint8_t> data = bytes.subspan(header_at + length);
  const std::uint64_t number_bytes = header.is_double ? sizeof(double) : sizeof(float);
  const std::uint64_t num_there = data.size() / number_bytes;
  const bool is_cut = header.dims > kMostDims || header.rows > num_there / header.dims;
  if (is_cut || header.rows * header.dims * number_bytes != data.size()) {
    throw Error(file + ": its header says " + std::to_string(header.rows) + " x " +
                std::to_string(header.dims) + " numbers of " + std::to_string(number_bytes) +
                " bytes, the file has " + std::to_string(data.size()) + " bytes of them: it is " +
                (is_cut ? "truncated" : "longer than one array") + ", or its header is wrong");
  }
  return header.is_double ? ParseNumbers<double>(file, header, data.data())
                          : ParseNumbers<float>(file, header, data.data());
}

// --- text --------------------------------------------------------------------

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Calls on_word(word) for what stands between the separators of a line: commas or semicolons where there are
// any, else blanks.
template <typename OnWord>
void ForEachWord(std::string_view line, OnWord on_word) {
  const bool has_separators = line.find_first_of(",;") != std::string_view::npos;
  for (bool is_last = false; !is_last;) {
    const std::size_t end = line.find_first_of(has_separators ? ",;" : kBlanks);
    on_word(Trimmed(line.substr(0, end)));
    is_last = end == std::string_view::npos;
    if (!is_last) line.remove_prefix(end + 1);
    if (!is_last && !has_separators) line = Trimmed(line);
  }
}

// Why `word`, which ParseNumber read as `number`, is not a valid entry of a matrix, and what the user can do.
std::string FaultOfWord(std::string_view word, bool is_number, bool is_first_row) {
  const std::string quoted = "'" + Printable(word) + "'";
  if (is_number) return quoted + " is beyond single precision: scale the numbers down";
  if (word.empty()) return quoted + " is not a number: write nan for a missing value";
  const bool is_heading = is_first_row && std::isalpha(static_cast<unsigned char>(word.front())) != 0;
  return quoted + (is_heading ? " is not a number: put headings after a #"
                              : " is not a number of single precision: write it like -1.5 or 2e-3");
}

Matrix ParseText(const std::string& file, std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // spreadsheets begin UTF-8 with it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Matrix matrix;
  std::size_t line_number = 0, first_line = 0;
  const auto where = [&] { return file + ": line " + std::to_string(line_number); };
  for (const std::string_view whole_line : SplitLines(text)) {
    ++line_number;
    const std::string_view line = Trimmed(whole_line.substr(0, whole_line.find('#')));
    if (line.empty()) continue;
    if (line.find(',') != std::string_view::npos && line.find(';') != std::string_view::npos) {
      throw Error(where() + " contains both , and ; : write numbers with a point (1.5) and one separator");
    }
    std::uint64_t num_words = 0;
    ForEachWord(line, [&](std::string_view word) {
      ++num_words;
      const std::optional<double> number = ParseNumber(word);
      const std::optional<float> value = number ? NarrowInRange(*number) : std::nullopt;
      if (!value) {
        throw Error(where() + ", value " + std::to_string(num_words) + ": " +
                    FaultOfWord(word, number.has_value(), matrix.rows == 0));
      }
      matrix.values.push_back(*value);
    });
    if (matrix.rows == 0) {
      if (num_words > kMostDims) throw Error(where() + " has too many numbers");
      matrix.dims = static_cast<int>(num_words);
      first_line = line_number;
    } else if (num_words != static_cast<std::uint64_t>(matrix.dims)) {
      throw Error(where() + " has " + CountOf(num_words, "number") + ", line " + std::to_string(first_line) +
                  " has " + std::to_string(matrix.dims) + ": all rows must have the same number");
    }
    ++matrix.rows;
  }
  if (matrix.rows == 0) throw Error(file + ": contains no numbers");
  return matrix;
}

}  // namespace

bool IsMatrixName(const std::filesystem::path& path) {
  return EndingOf(path) == ".npy" || EndingOf(path) == ".csv" || EndingOf(path) == ".txt";
}

Matrix ReadNpy(const std::filesystem::path& path) { return ParseNpy(path.string(), ReadFileBytes(path)); }
Matrix ReadTextMatrix(const std::filesystem::path& path) {
  return ParseText(path.string(), ReadFileText(path));
}

Matrix ReadMatrix(const std::filesystem::path& path) {
  if (EndingOf(path) == ".npy") return ReadNpy(path);
  if (IsMatrixName(path)) return ReadTextMatrix(path);
  throw InvalidArgument(path.string() + ": matrices are .npy, .csv or .txt files");
}

}  // namespace parallax
