// Whole numbers among those that journals and messages keep.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string>

#include "parallax/error.h"

namespace parallax::app {

// The number as a whole one; throws Error for one that is none, or does not fit.
template <std::integral Whole>
Whole ToWhole(double number) {
  const double low = static_cast<double>(std::numeric_limits<Whole>::min());
  const double end = std::ldexp(1.0, std::numeric_limits<Whole>::digits);
  if (!(number >= low && number < end && number == std::trunc(number)))
    throw Error(std::to_string(number) + " is no whole number that fits");
  return static_cast<Whole>(number);
}

}  // namespace parallax::app
