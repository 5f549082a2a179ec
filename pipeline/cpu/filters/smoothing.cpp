#include "pipeline/cpu/filters/smoothing.h"

#include <algorithm>
#include <limits>

#include "pipeline/cpu/block_memory.h"
#include "pipeline/cpu/filters/smoothing_kernels.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr int kRowsPerBlock = 16;
constexpr int kRadius = kSmoothingRadius_px;
constexpr int kMargin = 16;  // of a row that neighbours are read from, px: a vector

std::ptrdiff_t StrideOf(int width) { return (width + kMargin - 1) / kMargin * kMargin; }

// Rows of a map, and those that lie outside it.
class Rows {
 public:
  Rows(int width, int height, std::uint8_t* memory)
      : width_(width), height_(height), data_(reinterpret_cast<float*>(memory)) {}
  float* Row(int y) const { return data_ + (y + kRadius) * StrideOf(width_); }
  // Once all others are there.
  void MirrorRowsOutside() const {
    for (int distance = 1; distance <= kRadius; ++distance) {
      Mirror(Row(0), distance, Row(distance), Row(-distance));
      Mirror(Row(height_ - 1), distance, Row(height_ - 1 - distance), Row(height_ - 1 + distance));
    }
  }

 private:
  void Mirror(const float* border, int distance, const float* inside, float* outside) const {
    const bool has_inside = distance < height_;
    for (int x = 0; x < width_; ++x) {
      outside[x] = MirroredInPoint(border[x], has_inside ? inside[x] : kNoValue);
    }
  }
  int width_, height_;
  float* data_;
};

// The pixels outside a row that holds `width` values and has a margin.
void MirrorPixelsOutside(int width, float* row) {
  for (int distance = 1; distance <= kRadius; ++distance) {
    const bool has_inside = distance < width;
    const int last = width - 1;
    row[-distance] = MirroredInPoint(row[0], has_inside ? row[distance] : kNoValue);
    row[last + distance] = MirroredInPoint(row[last], has_inside ? row[last - distance] : kNoValue);
  }
}

}  // namespace

std::size_t SmoothingWorkspaceBytes(int width, int height) {
  return sizeof(float) * static_cast<std::size_t>(StrideOf(width)) *
         static_cast<std::size_t>(height + 2 * kRadius);
}

void Smooth(const RefinementParameters& parameters, HostImage<float>& disparity, std::uint8_t* workspace,
            ThreadPool& threads) {
  const int width = disparity.width(), height = disparity.height();
  const Rows between(width, height, workspace);  // smoothed along rows
  for (int pass = 0; pass < parameters.smoothing_passes; ++pass) {
    const float range = SmoothingRange(parameters.smoothing_range, pass), reach = 4.0F * (range * range);
    ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
      const std::ptrdiff_t num_values = StrideOf(width) + 3 * kMargin;
      BlockMemory memory(static_cast<std::size_t>(num_values) * sizeof(float));
      auto* const values = reinterpret_cast<float*>(memory.data());
      std::fill_n(values, num_values, kNoValue);
      float* row = values + kMargin;
      NeighborRows neighbors;
      for (int tap = 0; tap < kSmoothingTaps; ++tap) {
        neighbors.before[tap] = row - kSmoothingOffsets_px[tap];
        neighbors.after[tap] = row + kSmoothingOffsets_px[tap];
      }
      for (int y = begin; y < end; ++y) {
        ReplaceNans(disparity.Row(y), width, row);
        MirrorPixelsOutside(width, row);
        SmoothRow(row, neighbors, width, reach, kNoValue, between.Row(y));
      }
    });
    between.MirrorRowsOutside();
    const bool is_last = pass + 1 == parameters.smoothing_passes;
    const float none = is_last ? std::numeric_limits<float>::quiet_NaN() : kNoValue;
    ForRowBlocks(height, kRowsPerBlock, threads, [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        NeighborRows neighbors;
        for (int tap = 0; tap < kSmoothingTaps; ++tap) {
          neighbors.before[tap] = between.Row(y - kSmoothingOffsets_px[tap]);
          neighbors.after[tap] = between.Row(y + kSmoothingOffsets_px[tap]);
        }
        SmoothRow(between.Row(y), neighbors, width, reach, none, disparity.Row(y));
      }
    });
  }
}

}  // namespace parallax::cpu
