#include "pipeline/live/spatial_filter.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

constexpr int kRowsPerFilterTask = 8;
constexpr int kColumnsPerTask = 64;

int NumTasks(int count, int per_task) { return (count + per_task - 1) / per_task; }

// One way along a row; step is 1 or -1.
void FilterRow(float* begin, int width, int step, float alpha, float delta_px) {
  float* pixel = step > 0 ? begin : begin + width - 1;
  float mean = *pixel, before = *pixel;  // of the pixel before: what it became, and what it was
  for (int i = 1; i < width; ++i) {
    pixel += step;
    const float value = *pixel;
    // Comparisons with NaN are false: a mean never crosses a pixel without a value.
    const bool is_like = std::fabs(before - value) < delta_px;
    mean = is_like ? alpha * value + (1.0F - alpha) * mean : value;
    before = value;
    *pixel = mean;
  }
}

// Filters from one row to the next, for columns [begin, end).
void FilterColumns(const float* from, float* to, int begin, int end, float alpha, float delta_px) {
  for (int x = begin; x < end; ++x) {
    const float value = to[x], mean = alpha * value + (1.0F - alpha) * from[x];
    to[x] = std::fabs(from[x] - value) < delta_px ? mean : value;
  }
}

}  // namespace

void FilterSpatially(const LiveParameters& parameters, HostImage<float>& map, ThreadPool& threads) {
  const int width = map.width(), height = map.height();
  const float alpha = parameters.spatial_alpha;
  const float delta_px = static_cast<float>(parameters.spatial_delta) / 32.0F;
  for (int i = 0; i < parameters.spatial_iterations; ++i) {
    threads.ParallelFor(NumTasks(height, kRowsPerFilterTask), [&](int task) {
      const int end = std::min(height, (task + 1) * kRowsPerFilterTask);
      for (int y = task * kRowsPerFilterTask; y < end; ++y) {
        FilterRow(map.Row(y), width, 1, alpha, delta_px);
        FilterRow(map.Row(y), width, -1, alpha, delta_px);
      }
    });
    threads.ParallelFor(NumTasks(width, kColumnsPerTask), [&](int task) {
      const int begin = task * kColumnsPerTask, end = std::min(width, begin + kColumnsPerTask);
      for (int y = 1; y < height; ++y) FilterColumns(map.Row(y - 1), map.Row(y), begin, end, alpha, delta_px);
      for (int y = height - 2; y >= 0; --y) {
        FilterColumns(map.Row(y + 1), map.Row(y), begin, end, alpha, delta_px);
      }
    });
  }
}

}  // namespace parallax
