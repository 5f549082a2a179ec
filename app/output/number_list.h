// Numbers as journals and messages keep them: every bit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// The fewest digits that read back as the same doubles, with spaces between; "nan", "inf" and "-inf" too.
std::string NumbersText(const std::vector<double>& numbers);
// Back. They throw Error for a text that is none.
std::vector<double> ParseNumbers(std::string_view text);
double NumberFromText(std::string_view text);

}  // namespace parallax::app
