// Numbers as people read them.
#pragma once

#include <cstddef>
#include <string>

namespace parallax::app {

// 31622 -> "31 622".
std::string WithThousands(std::size_t number);

// "1 point", "31 622 points".
std::string CountOf(std::size_t number, const std::string& thing);

// Four digits: "0.01234", "12.34", "1234", "123 400"; from 1e9 on "1.234e+09"; "inf"; "-" for NaN.
std::string FourDigits(double value);

}  // namespace parallax::app
