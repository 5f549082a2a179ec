#include <algorithm>
#include <cmath>
#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::reference::ad_census {
namespace {

// Sixteen directions over the whole circle: point i of one is (x + i dx, y + i dy) / 2, towards the centre.
struct HalfStep {
  int dx, dy;
};
constexpr HalfStep kSixteenDirections[] = {{2, 0},  {2, 1},  {2, 2},  {1, 2},   {0, 2},   {-1, 2},
                                           {-2, 2}, {-2, 1}, {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2},
                                           {0, -2}, {1, -2}, {2, -2}, {2, -1}};

}  // namespace

void VoteInRegions(HostImageView<const Arms> arms, int min_disparity, int num_disparities,
                   const AdCensusParameters& parameters, DisparityMap& map, ThreadPool& threads) {
  for (int iteration = 0; iteration < parameters.voting_iterations; ++iteration) {
    const HostImage<float> before = map.disparity.Clone();
    threads.ParallelFor(before.height(), [&](int y) {
      std::vector<int> votes(static_cast<std::size_t>(num_disparities));
      for (int x = 0; x < before.width(); ++x) {
        if (!std::isnan(before(x, y))) continue;
        std::fill(votes.begin(), votes.end(), 0);
        int num_votes = 0;
        for (int v = y - arms(x, y).up; v <= y + arms(x, y).down; ++v) {
          for (int u = x - arms(x, v).left; u <= x + arms(x, v).right; ++u) {
            if (std::isnan(before(u, v))) continue;
            ++votes[static_cast<std::size_t>(static_cast<int>(before(u, v)) - min_disparity)];
            ++num_votes;
          }
        }
        const auto most = std::max_element(votes.begin(), votes.end());  // first of equals
        if (num_votes <= parameters.voting_min_votes ||
            *most * 100 <= num_votes * parameters.voting_min_percent) {
          continue;
        }
        map.disparity(x, y) = static_cast<float>(min_disparity + static_cast<int>(most - votes.begin()));
        map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kFilled);
      }
    });
  }
}

void Interpolate(HostImageView<const Rgb8> color, DisparityMap& map, ThreadPool& threads) {
  const HostImage<float> before = map.disparity.Clone();
  threads.ParallelFor(before.height(), [&](int y) {
    for (int x = 0; x < before.width(); ++x) {
      if (!std::isnan(before(x, y))) continue;
      const bool hidden = (map.validity(x, y) & kOccluded) != 0;
      float best = 0;
      int best_distance = -1;
      for (const HalfStep step : kSixteenDirections) {
        for (int i = 1;; ++i) {
          const int u = x + i * step.dx / 2, v = y + i * step.dy / 2;  // towards zero
          if (!color.Contains(u, v)) break;
          if (std::isnan(before(u, v))) continue;
          const int distance = ColorDistance(color(u, v), color(x, y));
          if (best_distance < 0 || (hidden ? before(u, v) < best : distance < best_distance)) {
            best = before(u, v);
            best_distance = distance;
          }
          break;
        }
      }
      if (best_distance < 0) continue;
      map.disparity(x, y) = best;
      map.validity(x, y) = static_cast<std::uint8_t>(map.validity(x, y) | kFilled);
    }
  });
}

void AdjustDiscontinuities(HostCostVolumeView<const std::uint16_t> sums, int min_disparity, DisparityMap& map,
                           ThreadPool& threads) {
  const HostImage<float> before = map.disparity.Clone();
  threads.ParallelFor(before.height(), [&](int y) {
    for (int x = 0; x < before.width(); ++x) {
      if (std::isnan(before(x, y))) continue;
      const auto cost = [&](float disparity) {
        return sums(x, y, static_cast<int>(disparity) - min_disparity);
      };
      const auto is_edge = [&](int u) {
        return before.ConstView().Contains(u, y) && std::fabs(before(u, y) - before(x, y)) > 1;
      };
      if (!is_edge(x - 1) && !is_edge(x + 1)) continue;
      for (const int u : {x - 1, x + 1}) {
        if (!before.ConstView().Contains(u, y) || std::isnan(before(u, y))) continue;
        if (cost(before(u, y)) < cost(map.disparity(x, y))) map.disparity(x, y) = before(u, y);
      }
    }
  });
}

void RefineSubpixel(HostCostVolumeView<const std::uint16_t> sums, int min_disparity, Subpixel method,
                    DisparityMap& map, ThreadPool& threads) {
  threads.ParallelFor(sums.height, [&](int y) {
    for (int x = 0; x < sums.width; ++x) {
      float& disparity = map.disparity(x, y);
      if (std::isnan(disparity)) continue;
      const int d = static_cast<int>(disparity) - min_disparity;
      if (d == 0 || d + 1 == sums.num_disparities) continue;
      const int lowest = sums(x, y, d);
      const int before = sums(x, y, d - 1) - lowest, after = sums(x, y, d + 1) - lowest;
      if (before < 0 || after < 0) continue;  // interpolated, and no minimum here
      disparity += SubpixelOffset(lowest, before, after, method);
    }
  });
}

}  // namespace parallax::reference::ad_census
