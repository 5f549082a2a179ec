// Numbers as text: in journals and messages, without loss of bits, and in options.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace parallax::app {

// The fewest digits that read back as the same doubles, separated by spaces; also "nan", "inf" and "-inf".
std::string NumbersText(const std::vector<double>& numbers);
// Read what NumbersText writes: all numbers, or a single one. Throw Error for invalid text.
std::vector<double> ParseNumbers(std::string_view text);
double NumberFromText(std::string_view text);

// Reads two numbers with a separator between them, as options have them: "16,2", "1242x375". False for any other
// text.
template <typename First, typename Second>
bool ParsePair(std::string_view text, char separator, First& first, Second& second) {
  const char* const end = text.data() + text.size();
  const auto [between, first_error] = std::from_chars(text.data(), end, first);
  if (first_error != std::errc() || between == end || *between != separator) return false;
  const auto [rest, second_error] = std::from_chars(between + 1, end, second);
  return second_error == std::errc() && rest == end;
}

}  // namespace parallax::app
