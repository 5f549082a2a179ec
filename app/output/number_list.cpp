#include "app/output/number_list.h"

#include <array>
#include <charconv>

#include "parallax/error.h"

namespace parallax::app {

std::string NumbersText(const std::vector<double>& numbers) {
  std::string text;
  std::array<char, 32> digits;
  for (const double number : numbers) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    if (!text.empty()) text += ' ';
    text.append(digits.data(), end.ptr);
  }
  return text;
}

std::vector<double> ParseNumbers(std::string_view text) {
  std::vector<double> numbers;
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  while (next != end) {
    double number = 0;
    const auto read = std::from_chars(next, end, number);
    const bool goes_on = read.ptr != end && *read.ptr == ' ' && read.ptr + 1 != end;
    if (read.ec != std::errc() || (read.ptr != end && !goes_on))
      throw Error("'" + std::string(text.substr(0, 40)) + "' is not a list of numbers");
    numbers.push_back(number);
    next = goes_on ? read.ptr + 1 : end;
  }
  return numbers;
}

double NumberFromText(std::string_view text) {
  const std::vector<double> numbers = ParseNumbers(text);
  if (numbers.size() != 1) throw Error("'" + std::string(text.substr(0, 40)) + "' is not a number");
  return numbers.front();
}

}  // namespace parallax::app
