#include <algorithm>
#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"

namespace parallax::reference::ad_census {
namespace {

struct Direction {
  int dx, dy;
};
constexpr Direction kDirections[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

// 1 where the colour of (x, y) and of its predecessor differ by the threshold or more; 0 where either lies
// outside.
HostImage<std::uint8_t> FindSteps(HostImageView<const Rgb8> color, Direction r, int threshold) {
  HostImage<std::uint8_t> steps(color.width, color.height, 0);
  for (int y = 0; y < color.height; ++y) {
    for (int x = 0; x < color.width; ++x) {
      if (color.Contains(x - r.dx, y - r.dy))
        steps(x, y) = ColorDistance(color(x, y), color(x - r.dx, y - r.dy)) >= threshold;
    }
  }
  return steps;
}

}  // namespace

void OptimizeScanlines(HostCostVolumeView<const std::uint16_t> costs, HostImageView<const Rgb8> left,
                       HostImageView<const Rgb8> right, int min_disparity, int step_threshold,
                       const AdCensusTables& tables, HostCostVolumeView<std::uint16_t> sums,
                       ThreadPool& threads) {
  const int num_disparities = costs.num_disparities;
  for (int y = 0; y < sums.height; ++y) std::fill_n(sums.Cell(0, y), sums.row_stride, std::uint16_t{0});
  for (const Direction r : kDirections) {
    const HostImage<std::uint8_t> steps_left = FindSteps(left, r, step_threshold);
    const HostImage<std::uint8_t> steps_right = FindSteps(right, r, step_threshold);
    const bool along_rows = r.dx != 0;
    const int length = along_rows ? costs.width : costs.height;
    threads.ParallelFor(along_rows ? costs.height : costs.width, [&](int line) {
      std::vector<std::uint16_t> before(static_cast<std::size_t>(num_disparities)), path(before.size());
      for (int i = 0; i < length; ++i) {
        const int along = r.dx + r.dy > 0 ? i : length - 1 - i;
        const int x = along_rows ? along : line, y = along_rows ? line : along;
        const std::uint16_t* cost = costs.Cell(x, y);
        const int lowest = *std::min_element(before.begin(), before.end());
        for (int d = 0; d < num_disparities; ++d) {
          const std::size_t at = static_cast<std::size_t>(d);
          const int x_right = x - min_disparity - d;
          const bool step_right = right.Contains(x_right, y) && steps_right(x_right, y) != 0;
          const std::size_t num_steps = std::size_t{steps_left(x, y)} + std::size_t{step_right};
          const int p1 = tables.p1[num_steps], p2 = tables.p2[num_steps];
          int best = std::min<int>(before[at], lowest + p2);
          if (d > 0) best = std::min(best, before[at - 1] + p1);
          if (d + 1 < num_disparities) best = std::min(best, before[at + 1] + p1);
          path[at] = static_cast<std::uint16_t>(i == 0 ? cost[d] : cost[d] + best - lowest);
          sums(x, y, d) = static_cast<std::uint16_t>(sums(x, y, d) + path[at]);
        }
        before.swap(path);
      }
    });
  }
}

}  // namespace parallax::reference::ad_census
