// Numbers in journals and messages, without loss of bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parallax::app {

// The fewest digits that read back as the same doubles, separated by spaces; also "nan", "inf" and "-inf".
std::string NumbersText(const std::vector<double>& numbers);
// Read what NumbersText writes: all numbers, or a single one. Throw Error for invalid text.
std::vector<double> ParseNumbers(std::string_view text);
double NumberFromText(std::string_view text);

}  // namespace parallax::app
