#include "pipeline/matching_tables.h"

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
      return 31;
  }
  return 0;
}

MatchingTables MakeMatchingTables(const Parameters& parameters) {
  const AggregationParameters& a = parameters.aggregation;
  MatchingTables tables;
  tables.num_paths = a.num_paths;
  tables.census_bits = NumCensusBits(parameters.census_transform.window);
  // As dear as an unrelated pair usually is; cheaper, and the left border is drawn to disparities that leave
  // the image (nine KITTI 2012 frames, out > 3 px: 11.2 % at bits / 8, 4.7 % at bits / 3, 4.5 % here, 4.6 %
  // at bits / 2).
  tables.outside_cost = static_cast<std::uint8_t>(tables.census_bits * 27 / 64);
  tables.p1 = static_cast<std::uint16_t>(a.p1);
  for (int g = 0; g < 256; ++g) {
    const long fall = std::lround(static_cast<double>(a.p2_slope) * g);
    const long p2 = std::max({a.p2 - fall, static_cast<long>(a.p2_min), static_cast<long>(a.p1)});
    tables.p2[static_cast<std::size_t>(g)] = static_cast<std::uint16_t>(p2);
  }
  tables.largest_p2 = *std::max_element(tables.p2.begin(), tables.p2.end());
  return tables;
}

}  // namespace parallax
