#include <algorithm>
#include <bit>
#include <cstdlib>

#include "pipeline/reference/ad_census/reference_stages.h"

namespace parallax::reference::ad_census {
namespace {

// Three times the difference of two colours.
int TripleDifference(Rgb8 a, Rgb8 b, ColorDifference difference) {
  if (difference == ColorDifference::kMaximum) return 3 * ColorDistance(a, b);
  return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b);
}

}  // namespace

int ColorDistance(Rgb8 a, Rgb8 b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

void MatchingCost(HostImageView<const Rgb8> left, HostImageView<const Rgb8> right,
                  HostImageView<const std::uint64_t> census_left,
                  HostImageView<const std::uint64_t> census_right, int min_disparity,
                  ColorDifference difference, const AdCensusTables& tables,
                  HostCostVolumeView<std::uint16_t> costs, ThreadPool& threads) {
  threads.ParallelFor(costs.height, [&](int y) {
    for (int x = 0; x < costs.width; ++x) {
      for (int d = 0; d < costs.num_disparities; ++d) {
        const int x_right = x - min_disparity - d;
        if (!right.Contains(x_right, y)) {
          costs(x, y, d) = tables.outside_cost;
          continue;
        }
        const int color = TripleDifference(left(x, y), right(x_right, y), difference);
        const int bits = std::popcount(census_left(x, y) ^ census_right(x_right, y));
        costs(x, y, d) = static_cast<std::uint16_t>(tables.color_cost[static_cast<std::size_t>(color)] +
                                                    tables.census_cost[static_cast<std::size_t>(bits)]);
      }
    }
  });
}

}  // namespace parallax::reference::ad_census
