// Errors and names as a terminal and a JSON file can take them.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace parallax::app {

// Valid UTF-8: bytes that are none are written as \xHH.
std::string ValidUtf8(std::string_view text);

// Fit for a terminal: valid UTF-8 in which control characters, which could move the cursor or change colours,
// are written as \n, \t, \xHH; line breaks stay where keep_lines is set.
std::string Printable(std::string_view text, bool keep_lines = false);

// What to tell of an exception. What the standard library throws where memory or threads are refused gets
// figures and a remedy.
std::string ErrorText(const std::exception& error);
// The same of the text of one, where only that is left.
std::string ErrorText(const std::string& what);

}  // namespace parallax::app
