// A50, A90, A95, A99: the error that this share of the pixels does not exceed.
#pragma once

#include <array>
#include <vector>

namespace parallax {

struct ErrorQuantiles {
  double a50 = 0, a90 = 0, a95 = 0, a99 = 0;  // px
};

// Calls visit(a, b) for each pair.
template <typename Visitor>
void ForEachQuantile(ErrorQuantiles& a, const ErrorQuantiles& b, Visitor&& visit) {
  visit(a.a50, b.a50);
  visit(a.a90, b.a90);
  visit(a.a95, b.a95);
  visit(a.a99, b.a99);
}

// Each quantile q is element floor(n q) of the n sorted errors, without interpolation (as in ETH3D's
// evaluation). absolute_errors: px, in any order; if there are none, all quantiles are infinite.
ErrorQuantiles QuantilesOf(std::vector<float> absolute_errors);

}  // namespace parallax
