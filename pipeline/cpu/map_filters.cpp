#include "pipeline/cpu/map_filters.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

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

}  // namespace

FramedMap::FramedMap(int width, int height)
    : stride_((kLeft + width + kMargin + 16 + 15) / 16 * 16),
      buffer_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(height + 2 * kMargin)) {
  std::fill_n(buffer_.data(), buffer_.size(), kNan);
}

HoleFiller::HoleFiller(int width, int height) : width_(width), height_(height), before_(width, height) {
  for (int i = 0; i < kNumSteps; ++i) nearest_.emplace_back(width, height);
}

std::size_t HoleFiller::memory_bytes() const { return (1 + kNumSteps) * before_.size() * sizeof(float); }

void HoleFiller::Fill(DisparityMap& map, ThreadPool& threads) {
  // A second pass reaches what saw no value in any direction; a third could do no more.
  if (Pass(map, threads)) Pass(map, threads);
}

bool HoleFiller::Pass(DisparityMap& map, ThreadPool& threads) {
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      std::copy_n(map.disparity.Row(y), width_, before_.Row(y));
    }
  });
  threads.ParallelFor(kNumSteps, [&](int i) {
    const auto [dx, dy] = kSteps[i];
    FramedMap& nearest = nearest_[static_cast<std::size_t>(i)];
    for (int j = 0; j < height_; ++j) {
      const int y = dy < 0 ? j : height_ - 1 - j;
      float* row = nearest.Row(y);
      CarryNearest(before_.Row(y + dy) + dx, nearest.Row(y + dy) + dx, width_, row);
      std::fill_n(row + width_, FramedMap::kMargin, kNan);  // whole vectors were written
    }
  });
  std::atomic<bool> holes_left{false};
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    std::vector<float> along(static_cast<std::size_t>(2 * (width_ + 64)));
    for (int y = begin; y < end; ++y) {
      float* from_left = along.data();
      float* from_right = from_left + width_ + 64;
      CarryAlongRow(before_.Row(y), width_, from_left, from_right);
      const float* nearest[8] = {from_left, from_right};
      for (int i = 0; i < kNumSteps; ++i) nearest[2 + i] = nearest_[static_cast<std::size_t>(i)].Row(y);
      if (FillRow(nearest, width_, map.disparity.Row(y), map.validity.Row(y))) holes_left = true;
    }
  });
  return holes_left;
}

MedianFilter::MedianFilter(int width, int height) : width_(width), height_(height), before_(width, height) {}

void MedianFilter::Apply(int side, DisparityMap& map, ThreadPool& threads) {
  if (side <= 1) return;
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) std::copy_n(map.disparity.Row(y), width_, before_.Row(y));
  });
  ForRowBlocks(height_, kRowsPerBlock, threads, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) {
      const float* rows[5];
      for (int i = 0; i < side; ++i) rows[i] = before_.Row(y - side / 2 + i);
      MedianRow(rows, side, width_, map.disparity.Row(y));
    }
  });
}

}  // namespace parallax::cpu
