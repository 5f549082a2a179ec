#include <algorithm>
#include <bit>
#include <cstdlib>

#include "pipeline/reference/stages.h"

namespace parallax::reference {
namespace {

// Gray levels between which a gradient lies from half a pixel before its pixel to half a pixel behind.
struct Interval {
  int lowest, highest;
};
Interval IntervalAround(HostImageView<const std::uint8_t> gradient, int x, int y) {
  const int here = gradient(x, y);
  const int before = here + gradient(std::max(x - 1, 0), y),
            after = here + gradient(std::min(x + 1, gradient.width - 1), y);  // doubled
  return {std::min({here, before / 2, after / 2}), std::max({here, (before + 1) / 2, (after + 1) / 2})};
}

int DistanceTo(const Interval& interval, int value) {
  return std::max({0, interval.lowest - value, value - interval.highest});
}
// The amount by which both values lie outside each other's interval (Birchfield & Tomasi 1998, eq. 6).
int Difference(HostImageView<const std::uint8_t> left, int x, HostImageView<const std::uint8_t> right,
               int x_right, int y) {
  return std::min(DistanceTo(IntervalAround(right, x_right, y), left(x, y)),
                  DistanceTo(IntervalAround(left, x, y), right(x_right, y)));
}

}  // namespace

HostImage<std::uint8_t> GradientAlongRow(HostImageView<const std::uint8_t> gray, ThreadPool& threads) {
  HostImage<std::uint8_t> gradient(gray.width, gray.height);
  threads.ParallelFor(gray.height, [&](int y) {
    const auto column = [&](int x) {
      x = std::clamp(x, 0, gray.width - 1);
      return gray(x, std::max(y - 1, 0)) + 2 * gray(x, y) + gray(x, std::min(y + 1, gray.height - 1));
    };
    for (int x = 0; x < gray.width; ++x) {
      gradient(x, y) = static_cast<std::uint8_t>(std::clamp(column(x + 1) - column(x - 1), -127, 127) + 127);
    }
  });
  return gradient;
}

void MatchingCost(const MatchingFeatures& left, const MatchingFeatures& right, int min_disparity,
                  const MatchingTables& tables, HostCostVolumeView<std::uint8_t> costs, ThreadPool& threads) {
  threads.ParallelFor(costs.height, [&](int y) {
    for (int x = 0; x < costs.width; ++x) {
      for (int d = 0; d < costs.num_disparities; ++d) {
        const int x_right = x - min_disparity - d;
        if (!right.census.Contains(x_right, y)) {
          costs(x, y, d) = tables.outside_cost;
          continue;
        }
        int cost = std::popcount(left.census(x, y) ^ right.census(x_right, y));
        if (tables.has_gradient) {
          const int difference = Difference(left.gradient, x, right.gradient, x_right, y);
          cost += tables.gradient_cost[static_cast<std::size_t>(std::min(difference, 15))];
        }
        costs(x, y, d) = static_cast<std::uint8_t>(cost);
      }
    }
  });
}

HostImage<std::uint16_t> CostWeights(HostImageView<const std::uint8_t> gray, const WeightRule& rule,
                                     ThreadPool& threads) {
  HostImage<std::uint16_t> weights(NumWeightTiles(gray.width), NumWeightTiles(gray.height));
  const auto at = [&](int x, int y) {
    return gray(std::clamp(x, 0, gray.width - 1), std::clamp(y, 0, gray.height - 1));
  };
  const auto binomial = [&](int x, int y) {
    const auto column = [&](int i) { return at(i, y - 1) + 2 * at(i, y) + at(i, y + 1); };
    return column(x - 1) + 2 * column(x) + column(x + 1);
  };
  threads.ParallelFor(weights.height(), [&](int tile_y) {
    const auto begin_of = [](int tile) { return std::max(0, (tile - kWeightTilesAround) * kWeightTile_px); };
    const auto end_of = [](int tile, int size) {
      return std::min(size, (tile + kWeightTilesAround + 1) * kWeightTile_px);
    };
    for (int tile_x = 0; tile_x < weights.width(); ++tile_x) {
      std::uint32_t differences = 0, num_pixels = 0;
      for (int y = begin_of(tile_y); y < end_of(tile_y, gray.height); ++y) {
        for (int x = begin_of(tile_x); x < end_of(tile_x, gray.width); ++x, ++num_pixels)
          differences += static_cast<std::uint32_t>(std::abs(binomial(x + 2, y) - binomial(x - 2, y)));
      }
      weights(tile_x, tile_y) = static_cast<std::uint16_t>(CostWeight(rule, differences, num_pixels));
    }
  });
  return weights;
}

void WeighCosts(HostImageView<const std::uint16_t> weights, HostCostVolumeView<std::uint8_t> costs,
                ThreadPool& threads) {
  threads.ParallelFor(costs.height, [&](int y) {
    for (int x = 0; x < costs.width; ++x) {
      const int weight = weights(x / kWeightTile_px, y / kWeightTile_px);
      for (int d = 0; d < costs.num_disparities; ++d)
        costs(x, y, d) = static_cast<std::uint8_t>(costs(x, y, d) * weight / static_cast<int>(kWholeWeight));
    }
  });
}

}  // namespace parallax::reference
