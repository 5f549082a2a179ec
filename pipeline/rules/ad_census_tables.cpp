#include "pipeline/rules/ad_census_tables.h"

#include <algorithm>
#include <cmath>

#include "pipeline/rules/matching_tables.h"

namespace parallax {
namespace {

// exp(-x) for x >= 0 by its series at x / 2^10, squared ten times: sums, products and quotients of doubles,
// each rounded correctly, so that every machine makes the same number. No library's exp promises that.
double ExpOfMinus(double x) {
  constexpr int kNumSquarings = 10, kNumTerms = 12;
  if (x > 40) return 0;  // below a half of any table's last bit
  const double small = -x / (1 << kNumSquarings);
  double power = 1;
  for (int i = kNumTerms; i > 0; --i) power = 1 + small * power / i;
  for (int i = 0; i < kNumSquarings; ++i) power *= power;
  return power;
}

std::uint16_t RobustCost(double c, double lambda) {
  return static_cast<std::uint16_t>(std::lround(kAdCensusUnit * (1 - ExpOfMinus(c / lambda))));
}

}  // namespace

AdCensusTables MakeAdCensusTables(const Parameters& parameters) {
  const AdCensusParameters& a = parameters.ad_census;
  AdCensusTables tables;
  if (a.cost != AdCensusCost::kCensus) {
    for (std::size_t i = 0; i < tables.color_cost.size(); ++i)
      tables.color_cost[i] = RobustCost(static_cast<double>(i) / 3, static_cast<double>(a.lambda_ad));
  }
  if (a.cost != AdCensusCost::kAd) {
    for (std::size_t i = 0; i < tables.census_cost.size(); ++i)
      tables.census_cost[i] = RobustCost(static_cast<double>(i), static_cast<double>(a.lambda_census));
    // A smaller lambda than the paper's would leave the range of the sums.
    for (std::uint16_t& cost : tables.census_cost)
      cost = std::min<std::uint16_t>(cost, kMaxAdCensusCost - kAdCensusUnit);
  }
  // Pixels outside cost as much as an unrelated pair usually does, as for SGM; see docs/matching.md.
  const std::size_t num_bits = static_cast<std::size_t>(NumCensusBits(parameters.census_transform.window));
  const int largest = tables.color_cost.back() + tables.census_cost[num_bits];
  tables.outside_cost = static_cast<std::uint16_t>(largest * 27 / 64);
  constexpr int kDivisors[] = {1, 4, 10};
  for (std::size_t i = 0; i < 3; ++i) {
    tables.p1[i] =
        static_cast<std::uint16_t>(std::lround(kAdCensusUnit * static_cast<double>(a.p1) / kDivisors[i]));
    tables.p2[i] =
        static_cast<std::uint16_t>(std::lround(kAdCensusUnit * static_cast<double>(a.p2) / kDivisors[i]));
  }
  return tables;
}

}  // namespace parallax
