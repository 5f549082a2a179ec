#include "app/view/controls/window_memory.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "app/output/json_writer.h"
#include "app/output/output_files.h"

namespace parallax::app {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string WindowMemory::Get(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second : "";
}

std::optional<double> WindowMemory::Number(std::string_view name, double low, double high) const {
  const std::string text = Get(name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= low && value <= high)) return std::nullopt;
  return value;
}

std::optional<bool> WindowMemory::Flag(std::string_view name) const {
  const std::string text = Get(name);
  if (text != "yes" && text != "no") return std::nullopt;
  return text == "yes";
}

void WindowMemory::Set(std::string_view name, std::string_view value) {
  values_.insert_or_assign(std::string(name), std::string(value));
}

void WindowMemory::Set(std::string_view name, double value) { Set(name, NumberText(value)); }

WindowMemory WindowMemory::Read(const std::filesystem::path& file) {
  WindowMemory memory;
  constexpr int kMostLines = 1000;
  std::ifstream lines(file);
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(lines, line); ++i) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string::npos && blank > 0) memory.Set(line.substr(0, blank), line.substr(blank + 1));
  }
  return memory;
}

void WindowMemory::Write(const std::filesystem::path& file) const {
  std::string text;
  for (const auto& [name, value] : values_) {
    if (!value.empty()) text.append(name).append(" ").append(value).append("\n");
  }
  std::error_code ignored;  // WriteTextFile tells
  std::filesystem::create_directories(file.parent_path(), ignored);
  WriteTextFile(file, text);
}

std::filesystem::path WindowMemoryFile() {
  if (!Environment("PARALLAX_FRESH_WINDOW").empty()) return {};
  // XDG Base Directory Specification: paths that are not absolute are invalid.
  if (const std::filesystem::path state = Environment("XDG_STATE_HOME"); state.is_absolute())
    return state / "parallax" / "window";
  const std::filesystem::path home = Environment("HOME");
  return home.is_absolute() ? home / ".local" / "state" / "parallax" / "window" : std::filesystem::path{};
}

}  // namespace parallax::app
