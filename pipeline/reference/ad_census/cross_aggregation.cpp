#include <algorithm>
#include <cmath>
#include <vector>

#include "pipeline/reference/ad_census/reference_stages.h"

namespace parallax::reference::ad_census {
namespace {

// Length of the arm from (x, y) along (dx, dy).
int ArmLength(HostImageView<const Rgb8> color, int x, int y, int dx, int dy,
              const AdCensusParameters& parameters) {
  const Rgb8 center = color(x, y);
  int length = 0;
  for (int i = 1; i < parameters.arm_length; ++i) {
    const int u = x + i * dx, v = y + i * dy;
    if (!color.Contains(u, v)) break;
    const int threshold =
        i > parameters.arm_length_strict ? parameters.arm_threshold_strict : parameters.arm_threshold;
    const bool similar = ColorDistance(color(u, v), center) < threshold &&
                         ColorDistance(color(u, v), color(u - dx, v - dy)) < parameters.arm_threshold;
    if (!similar) break;
    length = i;
  }
  return length;
}

// A row or a column of the image.
struct Line {
  int x, y, dx, dy, length;
};

Line RowAt(int y, int width) { return {0, y, 1, 0, width}; }
Line ColumnAt(int x, int height) { return {x, 0, 0, 1, height}; }

// The crosses at every disparity.
class Crosses {
 public:
  Crosses(HostImageView<const Arms> left, HostImageView<const Arms> right, int min_disparity)
      : left_(left), right_(right), min_disparity_(min_disparity) {}

  int width() const { return left_.width; }
  int height() const { return left_.height; }
  Arms At(int x, int y, int d) const {
    const Arms a = left_(x, y);
    const int x_right = x - min_disparity_ - d;
    if (!right_.Contains(x_right, y)) return a;
    const Arms b = right_(x_right, y);
    return {std::min(a.left, b.left), std::min(a.right, b.right), std::min(a.up, b.up),
            std::min(a.down, b.down)};
  }

 private:
  HostImageView<const Arms> left_, right_;
  int min_disparity_;
};

// Replaces every value of the line by the sum along the arms.
template <typename T>
void SumLine(const Crosses& crosses, const Line& line, HostCostVolumeView<T> values) {
  const int num_disparities = values.num_disparities;
  const std::size_t num = static_cast<std::size_t>(num_disparities);
  // Sums from the line's begin to before pixel i.
  std::vector<std::uint32_t> before((static_cast<std::size_t>(line.length) + 1) * num);
  for (int i = 0; i < line.length; ++i) {
    const T* value = values.Cell(line.x + i * line.dx, line.y + i * line.dy);
    std::uint32_t* here = before.data() + static_cast<std::size_t>(i) * num;
    for (std::size_t d = 0; d < num; ++d) here[num + d] = here[d] + value[d];
  }
  for (int i = 0; i < line.length; ++i) {
    const int x = line.x + i * line.dx, y = line.y + i * line.dy;
    for (int d = 0; d < num_disparities; ++d) {
      const Arms arms = crosses.At(x, y, d);
      const int begin = i - (line.dx != 0 ? arms.left : arms.up);
      const int end = i + (line.dx != 0 ? arms.right : arms.down) + 1;
      const auto sum_before = [&](int pixel) {
        return before[static_cast<std::size_t>(pixel) * num + static_cast<std::size_t>(d)];
      };
      values(x, y, d) = static_cast<T>(sum_before(end) - sum_before(begin));
    }
  }
}

// Replaces every value by the sum over the support region.
void SumOverRegions(const Crosses& crosses, bool rows_first, HostCostVolumeView<std::uint32_t> values,
                    ThreadPool& threads) {
  for (const bool rows : {rows_first, !rows_first}) {
    threads.ParallelFor(rows ? crosses.height() : crosses.width(), [&](int i) {
      SumLine(crosses, rows ? RowAt(i, crosses.width()) : ColumnAt(i, crosses.height()), values);
    });
  }
}

// One correctly rounded reciprocal and one correctly rounded product, then the nearest integer, halves to
// even.
std::uint16_t Mean(std::uint32_t sum, std::uint32_t size) {
  return static_cast<std::uint16_t>(
      std::nearbyint(static_cast<float>(sum) * (1.0F / static_cast<float>(size))));
}

}  // namespace

void GrowArms(HostImageView<const Rgb8> color, const AdCensusParameters& parameters, HostImageView<Arms> arms,
              ThreadPool& threads) {
  threads.ParallelFor(color.height, [&](int y) {
    for (int x = 0; x < color.width; ++x) {
      const auto length = [&](int dx, int dy) {
        return static_cast<std::uint8_t>(ArmLength(color, x, y, dx, dy, parameters));
      };
      arms(x, y) = {length(-1, 0), length(1, 0), length(0, -1), length(0, 1)};
    }
  });
}

void AggregateOverCrosses(HostImageView<const Arms> arms_left, HostImageView<const Arms> arms_right,
                          int min_disparity, int iterations, HostCostVolumeView<std::uint16_t> costs,
                          ThreadPool& threads) {
  const Crosses crosses(arms_left, arms_right, min_disparity);
  HostCostVolume<std::uint32_t> sums(costs.width, costs.height, costs.num_disparities);
  HostCostVolume<std::uint32_t> sizes(costs.width, costs.height, costs.num_disparities);
  for (int i = 0; i < iterations; ++i) {
    const bool rows_first = i % 2 == 0;
    for (int y = 0; y < costs.height; ++y) {
      std::copy_n(costs.Cell(0, y), costs.row_stride, sums.View().Cell(0, y));
      std::fill_n(sizes.View().Cell(0, y), costs.row_stride, 1U);
    }
    SumOverRegions(crosses, rows_first, sums.View(), threads);
    SumOverRegions(crosses, rows_first, sizes.View(), threads);
    threads.ParallelFor(costs.height, [&](int y) {
      std::transform(sums.View().Cell(0, y), sums.View().Cell(0, y) + costs.row_stride,
                     sizes.View().Cell(0, y), costs.Cell(0, y), Mean);
    });
  }
}

}  // namespace parallax::reference::ad_census
