// The state of the window as a JSON file, for programs that control it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/output/ordered_json.h"

namespace parallax::app {

// An object with one key for each piece of state, in the order in which they were added.
class WindowState {
 public:
  using Value = std::function<OrderedJson()>;

  // file: empty = nothing is ever written.
  explicit WindowState(std::filesystem::path file) : file_(std::move(file)) {}

  void Add(std::string key, Value value) { pieces_.emplace_back(std::move(key), std::move(value)); }
  std::string Text() const;

  // Replaces the file if the text has changed, at most 20 times a second. May be called often. A file that
  // cannot be written is reported once, on stderr.
  void WriteIfChanged();

 private:
  using Clock = std::chrono::steady_clock;
  std::filesystem::path file_;
  std::vector<std::pair<std::string, Value>> pieces_;
  std::string written_;
  Clock::time_point next_{};
};

}  // namespace parallax::app
