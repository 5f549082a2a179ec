// Errors and names, made fit for a terminal or a JSON file.
#pragma once

#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace parallax::app {

// Valid UTF-8: invalid bytes are written as \xHH.
std::string ValidUtf8(std::string_view text);

// Fit for a terminal: valid UTF-8. Control characters, which could move the cursor or change colours, are
// written as \n, \t, \xHH. Line breaks stay where keep_lines is set.
std::string Printable(std::string_view text, bool keep_lines = false);

// The text of an exception. If memory or a thread was refused, the standard library's text is replaced by one
// with figures and a remedy.
std::string ErrorText(const std::exception& error);
// The same for the text of an exception, where the exception itself is gone.
std::string ErrorText(const std::string& what);

// Tells new errors from those that repeat from frame to frame. Thread-safe.
class FrameErrors {
 public:
  // False if an earlier frame had the same error, apart from names and numbers.
  bool IsNew(const std::string& frame, std::string error);

 private:
  std::mutex mutex_;
  std::set<std::string> known_;
};

}  // namespace parallax::app
