#include "pipeline/cpu/map_filters.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "pipeline/aligned_buffer.h"
#include "pipeline/cpu/filter_kernels.h"
#include "pipeline/cpu/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerBlock = 16;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Directions to look in, but those along the row: above and below.
constexpr struct { int dx, dy; } kSteps[] = {{0, -1}, {-1, -1}, {1, -1}, {0, 1}, {-1, 1}, {1, 1}};
constexpr int kNumSteps = 6;

// One pass; true: holes are left.
bool FillPass(const FramedMap& map, int width, int height, HostImage<std::uint8_t>& validity,
              std::uint8_t* workspace, ThreadPool& threads) {
  std::vector<FramedMap> nearest;  // along each step
  for (std::size_t i = 0; i < kNumSteps; ++i)
    nearest.emplace_back(width, height, workspace + i * FramedMap::SizeBytes(width, height));
  threads.ParallelFor(kNumSteps, [&](int i) {
    const auto [dx, dy] = kSteps[i];
    const FramedMap& to = nearest[static_cast<std::size_t>(i)];
    for (int j = 0; j < height; ++j) {
      const int y = dy < 0 ? j : height - 1 - j;
      float* row = to.Row(y);
      CarryNearest(map.Row(y + dy) + dx, to.Row(y + dy) + dx, width, row);
      std::fill_n(row + width, FramedMap::kMargin, kNan);  // whole vectors were written
    }
  });
  std::atomic<bool> holes_left{false};
  ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
    const std::ptrdiff_t stride = width + 64;
    AlignedBuffer<float> along(static_cast<std::size_t>(2 * stride));
    std::vector<std::uint64_t> words(static_cast<std::size_t>(width + 63) / 64);
    std::fill_n(along.data(), along.size(), kNan);
    for (int y = begin; y < end; ++y) {
      float *from_left = along.data(), *from_right = from_left + stride;
      NearestAlongRow(map.Row(y), width, words.data(), from_left, from_right);
      const float* values[8] = {from_left, from_right};
      for (int i = 0; i < kNumSteps; ++i) values[2 + i] = nearest[static_cast<std::size_t>(i)].Row(y);
      if (FillRow(values, width, map.Row(y), validity.Row(y))) holes_left = true;
      std::fill_n(map.Row(y) + width, FramedMap::kMargin, kNan);  // whole vectors were written
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

void FillAndSmooth(const FilterParameters& parameters, DisparityMap& map, std::uint8_t* workspace,
                   ThreadPool& threads, DisparityMap* filled) {
  const int width = map.disparity.width(), height = map.disparity.height(), side = parameters.median;
  if (parameters.fill || side > 1) {
    const FramedMap framed(width, height, workspace);
    ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) std::copy_n(map.disparity.Row(y), width, framed.Row(y));
    });
    if (parameters.fill) {
      std::uint8_t* nearest = workspace + FramedMap::SizeBytes(width, height);
      // A second pass reaches what saw no value in any direction; a third could do no more.
      if (FillPass(framed, width, height, map.validity, nearest, threads))
        FillPass(framed, width, height, map.validity, nearest, threads);
    }
    const auto give_back = [&](HostImage<float>& to, int median) {
      ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
        for (int y = begin; y < end; ++y) {
          const float* rows[5];
          for (int i = 0; i < median; ++i) rows[i] = framed.Row(y - median / 2 + i);
          if (median > 1) {
            MedianRow(rows, median, width, to.Row(y));
          } else {
            std::copy_n(framed.Row(y), width, to.Row(y));
          }
        }
      });
    };
    if (filled != nullptr) {
      *filled = Clone(map);
      give_back(filled->disparity, 0);
    }
    give_back(map.disparity, side);
  } else if (filled != nullptr) {
    *filled = Clone(map);
  }
}

}  // namespace parallax::cpu
