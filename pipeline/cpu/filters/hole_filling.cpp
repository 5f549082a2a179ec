#include "pipeline/cpu/filters/hole_filling.h"

#include <atomic>
#include <limits>

#include "pipeline/cpu/filters/filter_kernels.h"
#include "pipeline/simd/row_tasks.h"

namespace parallax::cpu {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
// The margin of each row in the workspace: as far as a diagonal moves sideways within a block, and a vector
// more.
constexpr int kMargin = HoleFilling::kRowsPerBlock;
static_assert(kMargin >= 16 && kMargin <= FramedMap::kColumnsAround);

// Rows that a thread works in: the nearest values from above for each row of a block, those from below for
// two rows, those along a row, and the bits of its holes.
constexpr int kBelow = 3 * HoleFilling::kRowsPerBlock, kAlong = kBelow + 6, kHoles = kAlong + 2;
constexpr int kScratchRows = kHoles + 1;

}  // namespace

std::ptrdiff_t HoleFilling::StrideOf(int width) { return (width + 2 * kMargin + 15) / 16 * 16; }

std::size_t HoleFilling::WorkspaceBytes(int width, int height, int num_threads) {
  return sizeof(float) * static_cast<std::size_t>(StrideOf(width)) *
         static_cast<std::size_t>(1 + 2 * kSteps * NumBlocks(height) + num_threads * kScratchRows);
}

HoleFilling::HoleFilling(const FramedMap& map, std::uint8_t* workspace, int num_threads)
    : map_(map), stride_(StrideOf(map.width())), rows_(reinterpret_cast<float*>(workspace)) {
  const int num_rows = 1 + 2 * kSteps * num_blocks() + num_threads * kScratchRows;
  for (int i = 0; i < num_rows; ++i) std::fill_n(RowAt(i) - kMargin, i == 0 ? stride_ : kMargin, kUnknown);
}

float* HoleFilling::RowAt(std::ptrdiff_t index) const { return rows_ + index * stride_ + kMargin; }

HoleFilling::Rows HoleFilling::RowsAt(std::ptrdiff_t index) const {
  return {RowAt(index), RowAt(index + 1), RowAt(index + 2)};
}

HoleFilling::Rows HoleFilling::NoValues() const { return {RowAt(0), RowAt(0), RowAt(0)}; }

HoleFilling::Rows HoleFilling::Handed(int block, Way way) const {
  return RowsAt(1 + (2 * block + way) * kSteps);
}

// Carries row y and its nearest values on to the next row.
void HoleFilling::CarryOn(int y, const Rows& nearest, const Rows& nearest_beyond) const {
  CarryNearest(map_.Row(y), nearest.data(), map_.width(), nearest_beyond.data());
  for (float* row : nearest_beyond)
    row[map_.width()] = kUnknown;  // CarryNearest writes whole vectors, past the last pixel
}

void HoleFilling::Gather(int block) const {
  const int top = Top(block), bottom = Bottom(block);
  FindNearest(map_.Row(bottom - 1), -map_.stride(), bottom - top, map_.width(),
              Handed(block, kFromAbove).data());
  FindNearest(map_.Row(top), map_.stride(), bottom - top, map_.width(), Handed(block, kFromBelow).data());
}

// A block without a value of its own passes on the value of the block before it.
void HoleFilling::HandOn() const {
  const int width = map_.width(), last = num_blocks() - 1;
  for (const Way way : {kFromAbove, kFromBelow}) {
    for (int i = 0; i <= last; ++i) {
      const int block = way == kFromAbove ? i : last - i, before = way == kFromAbove ? i - 1 : block + 1;
      const Rows handed = Handed(block, way);
      for (int step = 0; step < kSteps; ++step) {
        float* row = handed[static_cast<std::size_t>(step)];
        if (i > 0) {
          const float* from = Handed(before, way)[static_cast<std::size_t>(step)];
          FillFrom(from + (step - 1) * (Bottom(block) - Top(block)), width, row);
        }
        std::fill_n(row + width, kMargin, kUnknown);
      }
    }
  }
}

// True: holes are left.
bool HoleFilling::FillBlock(int block, int worker, HostImage<std::uint8_t>& validity) const {
  const int top = Top(block), rows = Bottom(block) - top, width = map_.width();
  const std::ptrdiff_t scratch = 1 + 2 * kSteps * num_blocks() + worker * kScratchRows;
  std::array<Rows, kRowsPerBlock> above;
  above[0] = block > 0 ? Handed(block - 1, kFromAbove) : NoValues();
  for (int i = 1; i < rows; ++i) {
    above[static_cast<std::size_t>(i)] = RowsAt(scratch + kSteps * i);
    CarryOn(top + i - 1, above[static_cast<std::size_t>(i) - 1], above[static_cast<std::size_t>(i)]);
  }
  float *from_left = RowAt(scratch + kAlong), *from_right = RowAt(scratch + kAlong + 1);
  auto* holes = reinterpret_cast<std::uint64_t*>(RowAt(scratch + kHoles));
  Rows below = block + 1 < num_blocks() ? Handed(block + 1, kFromBelow) : NoValues();
  bool holes_left = false;
  for (int i = rows - 1; i >= 0; --i) {
    const Rows& up = above[static_cast<std::size_t>(i)];
    const Rows below_next = RowsAt(scratch + kBelow + i % 2 * kSteps);
    if (i > 0) CarryOn(top + i, below, below_next);  // before the row is filled
    float* row = map_.Row(top + i);
    NearestAlongRow(row, width, holes, from_left, from_right);
    const float* nearest[] = {from_left, from_right, up[0], up[1], up[2], below[0], below[1], below[2]};
    holes_left |= FillRow(nearest, width, row, validity.Row(top + i));
    map_.RestoreMargin(top + i);
    below = below_next;
  }
  return holes_left;
}

bool HoleFilling::FillBlocks(HostImage<std::uint8_t>& validity, ThreadPool& threads) const {
  std::atomic<int> next_block{0};
  std::atomic<bool> holes_left{false};
  threads.ParallelFor(std::min(threads.num_threads(), num_blocks()), [&](int worker) {
    for (int block = next_block++; block < num_blocks(); block = next_block++) {
      if (FillBlock(block, worker, validity)) holes_left = true;
    }
  });
  return holes_left;
}

void HoleFilling::Fill(HostImage<std::uint8_t>& validity, ThreadPool& threads) const {
  HandOn();
  if (!FillBlocks(validity, threads)) return;
  // A second time reaches what saw no value in any direction; a third could do no more.
  threads.ParallelFor(num_blocks(), [&](int block) { Gather(block); });
  HandOn();
  FillBlocks(validity, threads);
}

}  // namespace parallax::cpu
