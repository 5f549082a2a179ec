#include "app/report/sign_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallax/error.h"

namespace parallax::app {

SignTest TestSigns(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw InvalidArgument("the sign test compares figures of the same frames");
  SignTest test;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += b[i] - a[i];
    ++(b[i] < a[i] ? test.num_better : b[i] > a[i] ? test.num_worse : test.num_equal);
  }
  test.mean_difference =
      a.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(a.size());
  const std::size_t num = test.num_better + test.num_worse;
  const std::size_t fewer = std::min(test.num_better, test.num_worse);
  // The sum of num! / (k! (num - k)!) / 2^num over k <= fewer, twice; by logarithms, so that nothing
  // overflows.
  double tail = 0;
  for (std::size_t k = 0; k <= fewer; ++k) {
    const auto n = static_cast<double>(num), i = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  }
  test.p = num == 0 ? 1 : std::min(1.0, 2 * tail);
  return test;
}

std::string TextOfP(double p) {
  constexpr double kLeast = 0.001;
  return p < kLeast ? fmt::format("< {}", kLeast) : fmt::format("{:.3f}", p);
}

}  // namespace parallax::app
