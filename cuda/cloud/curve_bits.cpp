#include "cuda/cloud/curve_bits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/cloud/hilbert.h"
#include "cuda/cloud/neighbour_search.h"

namespace parallax::cuda {

int ChooseCurveBits(std::span<const Point3f> points) {
  constexpr std::size_t kSampleSize = 4096;
  // A few thousand in a cell cost less than the longer keys: near the camera a depth map has them.
  constexpr double kMostPointsOfCell = 4096;
  constexpr std::size_t kLeastRun = 8;  // of a sample; fewer are chance
  std::vector<std::array<double, 3>> sample;
  for (std::size_t i = 0; i < kSampleSize && !points.empty(); ++i) {
    const double at = (static_cast<double>(i) + std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0)) *
                      static_cast<double>(points.size()) / kSampleSize;
    const Point3f& p = points[std::min(static_cast<std::size_t>(at), points.size() - 1)];
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) sample.push_back({p.x, p.y, p.z});
  }
  if (sample.size() < 3) return kCurveBits;
  // The cube is found as on the device (SampleExtent).
  std::array<double, 3> low{};
  double size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const auto& p : sample) values.push_back(p[axis]);
    std::sort(values.begin(), values.end());
    low[axis] = values[values.size() / 100];
    size = std::max(size, values[values.size() - 1 - values.size() / 100] - low[axis]);
  }
  if (size <= 0) return kCurveBits;
  std::vector<std::array<std::int64_t, 3>> cells;
  for (const auto& p : sample) {
    std::array<std::int64_t, 3> cell{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double place = std::clamp((p[axis] - low[axis]) / size, -1.0, 2.0);
      cell[axis] = static_cast<std::int64_t>(std::floor(place * 0.75 * (1 << kCurveBits)));
    }
    cells.push_back(cell);
  }
  std::sort(cells.begin(), cells.end());
  std::size_t longest = 0;
  for (std::size_t i = 0, next = 0; i < cells.size(); i = next) {
    while (next < cells.size() && cells[next] == cells[i]) ++next;
    longest = std::max(longest, next - i);
  }
  const double points_of_cell =
      static_cast<double>(longest) * static_cast<double>(points.size()) / static_cast<double>(kSampleSize);
  return longest >= kLeastRun && points_of_cell > kMostPointsOfCell ? kMostHilbertBits : kCurveBits;
}

}  // namespace parallax::cuda
