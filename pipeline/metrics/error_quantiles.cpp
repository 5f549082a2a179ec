#include "pipeline/metrics/error_quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parallax {

ErrorQuantiles QuantilesOf(std::vector<float> absolute_errors) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (absolute_errors.empty()) return {kNone, kNone, kNone, kNone};
  std::sort(absolute_errors.begin(), absolute_errors.end());
  const auto at = [&](float share) -> double {
    const float index = std::floor(static_cast<float>(absolute_errors.size()) * share);
    return absolute_errors[std::min(static_cast<std::size_t>(index), absolute_errors.size() - 1)];
  };
  return {at(0.5F), at(0.9F), at(0.95F), at(0.99F)};
}

}  // namespace parallax
