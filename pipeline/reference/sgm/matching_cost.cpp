#include <bit>

#include "pipeline/reference/stages.h"

namespace parallax::reference {

void MatchingCost(HostImageView<const std::uint64_t> census_left,
                  HostImageView<const std::uint64_t> census_right, int min_disparity,
                  const MatchingTables& tables, HostCostVolumeView<std::uint8_t> costs, ThreadPool& threads) {
  threads.ParallelFor(costs.height, [&](int y) {
    for (int x = 0; x < costs.width; ++x) {
      for (int d = 0; d < costs.num_disparities; ++d) {
        const int x_right = x - min_disparity - d;
        costs(x, y, d) =
            census_right.Contains(x_right, y)
                ? static_cast<std::uint8_t>(std::popcount(census_left(x, y) ^ census_right(x_right, y)))
                : tables.outside_cost;
      }
    }
  });
}

}  // namespace parallax::reference
