// Whole numbers in journals and messages.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "parallax/error.h"

namespace parallax::app {

// The number as an integer; throws Error if it is not whole or does not fit.
template <std::integral Whole>
Whole ToInteger(double number) {
  const double low = static_cast<double>(std::numeric_limits<Whole>::min());
  const double end = std::ldexp(1.0, std::numeric_limits<Whole>::digits);
  if (!(number >= low && number < end && number == std::trunc(number)))
    throw Error(std::to_string(number) + " is not a whole number in range");
  return static_cast<Whole>(number);
}

}  // namespace parallax::app
