#include "pipeline/rules/matching_tables.h"

#include <algorithm>
#include <cmath>

namespace parallax {

int NumCensusBits(CensusWindow window) {
  switch (window) {
    case CensusWindow::k5x5:
      return 24;
    case CensusWindow::k7x7:
      return 48;
    case CensusWindow::k9x7:
      return 62;
    case CensusWindow::kCenterSymmetric9x7:
    case CensusWindow::kCenterSymmetricTwoScale:
      return 31;
    case CensusWindow::kTwoScale:
      return 64;
  }
  return 0;
}

MatchingTables MakeMatchingTables(const Parameters& parameters) {
  const MatchingCostParameters& c = parameters.matching_cost;
  const AggregationParameters& a = parameters.aggregation;
  MatchingTables tables;
  tables.num_paths = a.num_paths;
  tables.census_bits = NumCensusBits(parameters.census_transform.window);
  // Pixels outside cost as much as an unrelated pair usually does. A lower cost draws the left border to
  // disparities that leave the image (nine KITTI 2012 frames, out > 3 px: 11.2 % at bits / 8, 4.7 % at bits /
  // 3, 4.5 % here, 4.6 % at bits / 2).
  tables.outside_cost = static_cast<std::uint8_t>(tables.census_bits * 27 / 64);
  tables.has_gradient = c.gradient_weight > 0;
  for (int i = 0; i < 16; ++i) {
    tables.gradient_cost[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(c.gradient_weight * std::min(i, c.gradient_cap));
  }
  tables.largest_cost = tables.census_bits + tables.gradient_cost.back();
  const auto percent_of = [](int value, int percent) { return (value * percent + 50) / 100; };
  tables.weights.even_weight =
      static_cast<std::uint32_t>(percent_of(static_cast<int>(kWholeWeight), c.even_percent));
  tables.weights.even_below = static_cast<std::uint32_t>(std::lround(100.0 * c.even_below));
  tables.p1 = static_cast<std::uint16_t>(a.p1);
  tables.p1_ground = static_cast<std::uint16_t>(percent_of(a.p1, a.p1_ground_percent));
  for (int g = 0; g < 256; ++g) {
    const long fall = std::lround(static_cast<double>(a.p2_slope) * g);
    const long p2 = std::max({a.p2 - fall, static_cast<long>(a.p2_min), static_cast<long>(a.p1)});
    tables.p2[static_cast<std::size_t>(g)] = static_cast<std::uint16_t>(p2);
    const int vertical =
        std::clamp(percent_of(static_cast<int>(p2), a.p2_vertical_percent), a.p1, kLargestP2);
    tables.p2_vertical[static_cast<std::size_t>(g)] = static_cast<std::uint16_t>(vertical);
  }
  tables.largest_p2 = *std::max_element(tables.p2.begin(), tables.p2.end());
  tables.largest_p2_vertical = *std::max_element(tables.p2_vertical.begin(), tables.p2_vertical.end());
  return tables;
}

}  // namespace parallax
