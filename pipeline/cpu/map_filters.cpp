#include "pipeline/cpu/map_filters.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "pipeline/cpu/filter_kernels.h"
#include "pipeline/cpu/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerBlock = 16;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Directions to look in, but those along the row: above and below.
constexpr struct { int dx, dy; } kSteps[] = {{0, -1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}};
constexpr int kNumSteps = 6;

// nearest[x]: the value nearest to x in the row on one side of it.
void CarryAlongRow(const float* row, int width, float* from_left, float* from_right) {
  float value = kNan;
  for (int x = 0; x < width; ++x) {
    from_left[x] = value;
    value = std::isnan(row[x]) ? value : row[x];
  }
  value = kNan;
  for (int x = width - 1; x >= 0; --x) {
    from_right[x] = value;
    value = std::isnan(row[x]) ? value : row[x];
  }
}

// One pass; true: holes are left.
bool FillPass(DisparityMap& map, std::uint8_t* workspace, ThreadPool& threads) {
  const int width = map.disparity.width(), height = map.disparity.height();
  const std::size_t size = FramedMap::SizeBytes(width, height);
  const FramedMap before(width, height, workspace);  // the map as the pass began
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) std::copy_n(map.disparity.Row(y), width, before.Row(y));
  });
  std::vector<FramedMap> nearest;  // along each step
  for (std::size_t i = 1; i <= kNumSteps; ++i) nearest.emplace_back(width, height, workspace + i * size);
  threads.ParallelFor(kNumSteps, [&](int i) {
    const auto [dx, dy] = kSteps[i];
    const FramedMap& to = nearest[static_cast<std::size_t>(i)];
    for (int j = 0; j < height; ++j) {
      const int y = dy < 0 ? j : height - 1 - j;
      float* row = to.Row(y);
      CarryNearest(before.Row(y + dy) + dx, to.Row(y + dy) + dx, width, row);
      std::fill_n(row + width, FramedMap::kMargin, kNan);  // whole vectors were written
    }
  });
  std::atomic<bool> holes_left{false};
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    std::vector<float> along(static_cast<std::size_t>(2 * (width + 64)));
    for (int y = begin; y < end; ++y) {
      float* from_left = along.data();
      float* from_right = from_left + width + 64;
      CarryAlongRow(before.Row(y), width, from_left, from_right);
      const float* values[8] = {from_left, from_right};
      for (int i = 0; i < kNumSteps; ++i) values[2 + i] = nearest[static_cast<std::size_t>(i)].Row(y);
      if (FillRow(values, width, map.disparity.Row(y), map.validity.Row(y))) holes_left = true;
    }
  });
  return holes_left;
}

}  // namespace

std::size_t FramedMap::SizeBytes(int width, int height) {
  return sizeof(float) * static_cast<std::size_t>(StrideOf(width)) *
         static_cast<std::size_t>(height + 2 * kMargin);
}

FramedMap::FramedMap(int width, int height, std::uint8_t* memory)
    : stride_(StrideOf(width)), data_(reinterpret_cast<float*>(memory)) {
  for (int y = -kMargin; y < height + kMargin; ++y) {
    const bool is_margin = y < 0 || y >= height;
    std::fill_n(Row(y) - kMargin, is_margin ? width + 2 * kMargin : kMargin, kNan);
    std::fill_n(Row(y) + width, kMargin, kNan);
  }
}

std::size_t FillWorkspaceBytes(int width, int height) {
  return (1 + kNumSteps) * FramedMap::SizeBytes(width, height);
}

void FillHoles(DisparityMap& map, std::uint8_t* workspace, ThreadPool& threads) {
  // A second pass reaches what saw no value in any direction; a third could do no more.
  if (FillPass(map, workspace, threads)) FillPass(map, workspace, threads);
}

std::size_t MedianWorkspaceBytes(int width, int height) { return FramedMap::SizeBytes(width, height); }

void MedianFilter(int side, DisparityMap& map, std::uint8_t* workspace, ThreadPool& threads) {
  if (side <= 1) return;
  const int width = map.disparity.width(), height = map.disparity.height();
  const FramedMap before(width, height, workspace);
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) std::copy_n(map.disparity.Row(y), width, before.Row(y));
  });
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const float* rows[5];
      for (int i = 0; i < side; ++i) rows[i] = before.Row(y - side / 2 + i);
      MedianRow(rows, side, width, map.disparity.Row(y));
    }
  });
}

}  // namespace parallax::cpu
