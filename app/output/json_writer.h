// Writes JSON text (RFC 8259), indented, keys in the order in which they are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax::app {

// The fewest digits that read back as the same double; "null" for NaN and infinity, which JSON lacks.
std::string NumberText(double value);

// Usage: writer.BeginObject(); writer.Key("name").Value("x"); writer.EndObject(); use writer.text().
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& Value(std::string_view value);
  JsonWriter& Value(const char* value) { return Value(std::string_view(value)); }
  JsonWriter& Value(double value);
  JsonWriter& Value(std::int64_t value);
  JsonWriter& Value(int value) { return Value(static_cast<std::int64_t>(value)); }
  JsonWriter& Value(bool value);
  JsonWriter& Null();

  // What was written so far; a whole document, ending in a newline, once every level is closed.
  const std::string& text() const { return text_; }
  // The same, and the writer goes on behind it: a long document need not be in memory whole.
  std::string TakeText() { return std::exchange(text_, std::string()); }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  void StartItem();
  void AppendQuoted(std::string_view value);

  std::string text_;
  std::vector<bool> level_has_items_;
  bool after_key_ = false;
};

}  // namespace parallax::app
