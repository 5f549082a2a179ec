#include "app/output/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "app/output/error_text.h"

namespace parallax::app {
namespace {
constexpr std::size_t kIndent = 2;
}  // namespace

std::string NumberText(double value) {
  if (!std::isfinite(value)) return "null";
  constexpr double kLargestWhole = 1e15;  // as digits, not as 1e+15
  if (value == std::trunc(value) && std::fabs(value) < kLargestWhole) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  StartItem();
  AppendQuoted(key);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view value) {
  StartItem();
  AppendQuoted(value);
  return *this;
}

JsonWriter& JsonWriter::Value(double value) {
  StartItem();
  text_ += NumberText(value);
  return *this;
}

JsonWriter& JsonWriter::Value(std::int64_t value) {
  StartItem();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::Value(bool value) {
  StartItem();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  StartItem();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::Begin(char bracket) {
  StartItem();
  text_ += bracket;
  level_has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  const bool had_items = level_has_items_.back();
  level_has_items_.pop_back();
  if (had_items) text_.append(1, '\n').append(kIndent * level_has_items_.size(), ' ');
  text_ += bracket;
  if (level_has_items_.empty()) text_ += '\n';
  return *this;
}

// Puts the comma and the line break that go before a key or an array's value.
void JsonWriter::StartItem() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (level_has_items_.empty()) return;
  if (level_has_items_.back()) text_ += ',';
  level_has_items_.back() = true;
  text_.append(1, '\n').append(kIndent * level_has_items_.size(), ' ');
}

void JsonWriter::AppendQuoted(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text_ += '"';
  for (const char c : ValidUtf8(value)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (c == '\t') {
      text_ += "\\t";
    } else if (byte < 0x20) {
      text_ += "\\u00";
      text_ += kHex[byte >> 4];
      text_ += kHex[byte & 15];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace parallax::app
