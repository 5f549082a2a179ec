// Orders of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace parallax {

// The middle value; of an even number of values, the upper one of the two in the middle. NaN without values.
inline double Median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// sorted: at least one value. share: from 0, the lowest value, to 1, the highest.
inline double QuantileOfSorted(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// The share of the values that are below the limit. sorted: at least one value.
inline double ShareBelow(const std::vector<double>& sorted, double limit) {
  return static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), limit) - sorted.begin()) /
         static_cast<double>(sorted.size());
}

}  // namespace parallax
