// The state of the window that is kept between sessions: its size, panes and settings.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace parallax::app {

// Names with values, all of them text. What is not known to somebody who reads them is left alone.
class WindowMemory {
 public:
  // Empty texts are as good as none.
  std::string Get(std::string_view name) const;
  // nullopt where it is none, or out of the range.
  std::optional<double> Number(std::string_view name, double low, double high) const;
  std::optional<bool> Flag(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);
  void Set(std::string_view name, double value);
  void SetFlag(std::string_view name, bool value) { Set(name, value ? "yes" : "no"); }

  // Lines of NAME VALUE. Damaged ones are passed over; a file that is not there or cannot be read is empty.
  static WindowMemory Read(const std::filesystem::path& file);
  // Makes the folders above it. Throws Error where the file cannot be written.
  void Write(const std::filesystem::path& file) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// "$XDG_STATE_HOME/parallax/window", or below ~/.local/state; empty where neither is known, or where the
// environment has PARALLAX_FRESH_WINDOW set to something: then nothing is remembered.
std::filesystem::path WindowMemoryFile();

}  // namespace parallax::app
