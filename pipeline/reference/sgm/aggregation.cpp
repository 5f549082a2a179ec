#include <algorithm>
#include <cstdlib>
#include <vector>

#include "pipeline/reference/stages.h"

namespace parallax::reference {
namespace {

struct Direction {
  int dx, dy;
};
// The first four are the paths of the 4-path variant.
constexpr Direction kDirections[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

// Path costs of one row of pixels: [x][d].
using PathRow = std::vector<std::uint16_t>;

// The penalties of one step: P1 from d - 1 to d, P1 from d + 1 to d, and P2.
struct Penalties {
  int p1_up, p1_down, p2;
};

// One step of the recurrence (Hirschmueller 2008, eq. 13): path costs at p from those at q = p - r.
void Step(const std::uint8_t* cost, const std::uint16_t* before, int num_disparities, const Penalties& p,
          std::uint16_t* path) {
  const int lowest = *std::min_element(before, before + num_disparities);
  for (int d = 0; d < num_disparities; ++d) {
    int best = std::min<int>(before[d], lowest + p.p2);
    if (d > 0) best = std::min(best, before[d - 1] + p.p1_up);
    if (d + 1 < num_disparities) best = std::min(best, before[d + 1] + p.p1_down);
    path[d] = static_cast<std::uint16_t>(cost[d] + best - lowest);
  }
}

class PathAggregator {
 public:
  PathAggregator(HostCostVolumeView<const std::uint8_t> costs, HostImageView<const std::uint8_t> guide,
                 const MatchingTables& tables, HostCostVolumeView<std::uint16_t> sums)
      : costs_(costs), guide_(guide), tables_(tables), sums_(sums) {}

  Penalties PenaltiesOf(Direction r, int gradient) const {
    const auto at = static_cast<std::size_t>(gradient);
    Penalties p{tables_.p1, tables_.p1, r.dx != 0 ? tables_.p2[at] : tables_.p2_vertical[at]};
    if (r.dx == 0) (r.dy > 0 ? p.p1_up : p.p1_down) = tables_.p1_ground;
    return p;
  }

  // Path cost at (x, y) into path, from before (the costs at the predecessor; unused on the border).
  void Visit(int x, int y, Direction r, const std::uint16_t* before, std::uint16_t* path) const {
    const int num_disparities = costs_.num_disparities;
    if (guide_.Contains(x - r.dx, y - r.dy)) {
      Step(costs_.Cell(x, y), before, num_disparities,
           PenaltiesOf(r, std::abs(guide_(x, y) - guide_(x - r.dx, y - r.dy))), path);
    } else {
      std::copy_n(costs_.Cell(x, y), num_disparities, path);
    }
    std::uint16_t* sum = sums_.Cell(x, y);
    for (int d = 0; d < num_disparities; ++d) sum[d] = static_cast<std::uint16_t>(sum[d] + path[d]);
  }

  void Horizontal(Direction r, ThreadPool& threads) const {
    threads.ParallelFor(costs_.height, [&](int y) {
      PathRow before(static_cast<std::size_t>(costs_.num_disparities)), path(before.size());
      for (int i = 0; i < costs_.width; ++i) {
        Visit(r.dx > 0 ? i : costs_.width - 1 - i, y, r, before.data(), path.data());
        before.swap(path);
      }
    });
  }

  // Rows one after the other; the pixels of a row do not depend on each other.
  void VerticalOrDiagonal(Direction r, ThreadPool& threads) const {
    const std::ptrdiff_t size = costs_.num_disparities;
    PathRow before(static_cast<std::size_t>(costs_.width * size)), path(before.size());
    constexpr int kChunk = 64;
    for (int i = 0; i < costs_.height; ++i) {
      const int y = r.dy > 0 ? i : costs_.height - 1 - i;
      threads.ParallelFor((costs_.width + kChunk - 1) / kChunk, [&](int chunk) {
        const int end = std::min(costs_.width, (chunk + 1) * kChunk);
        for (int x = chunk * kChunk; x < end; ++x) {
          const int x_before = std::clamp(x - r.dx, 0, costs_.width - 1);
          Visit(x, y, r, before.data() + x_before * size, path.data() + x * size);
        }
      });
      before.swap(path);
    }
  }

 private:
  HostCostVolumeView<const std::uint8_t> costs_;
  HostImageView<const std::uint8_t> guide_;
  const MatchingTables& tables_;
  HostCostVolumeView<std::uint16_t> sums_;
};

}  // namespace

void AggregateCosts(HostCostVolumeView<const std::uint8_t> costs, HostImageView<const std::uint8_t> guide,
                    const MatchingTables& tables, HostCostVolumeView<std::uint16_t> sums,
                    ThreadPool& threads) {
  for (int y = 0; y < sums.height; ++y) std::fill_n(sums.Cell(0, y), sums.row_stride, std::uint16_t{0});
  const PathAggregator aggregator(costs, guide, tables, sums);
  for (int i = 0; i < tables.num_paths; ++i) {
    const Direction r = kDirections[i];
    if (r.dy == 0) {
      aggregator.Horizontal(r, threads);
    } else {
      aggregator.VerticalOrDiagonal(r, threads);
    }
  }
}

}  // namespace parallax::reference
