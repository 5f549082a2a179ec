// Costs at one disparity, averaged over the crosses of both images.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/cpu/ad_census/ad_census_views.h"
#include "pipeline/cpu/ad_census/slice_kernels.h"
#include "pipeline/simd/large_buffer.h"
#include "pipeline/types/cost_volume.h"

namespace parallax::cpu::ad_census {

// The input of a frame's slices.
struct SliceInput {
  int width, height;
  const View *left, *right;
  const ArmPlanes *left_columns, *right_columns;  // the arms, each column as a row
  const CostTables* tables;
  ColorDifference difference;
  int min_disparity, iterations;
  HostCostVolume<std::uint16_t>* costs;  // null, or receives them before they are averaged
};

// One thread's memory, for frames up to a size. It holds some slices from their costs to their last average.
// They take turns line by line, because they need the same lines of both images: all of them for their costs,
// which need most of the images, then two at a time, since more would not stay in the caches.
class SliceAverager {
 public:
  static constexpr int kTogether = 4;

  SliceAverager(int largest_width, int largest_height);
  static std::size_t BytesOf(int width, int height);

  // Makes the slices of count disparities, at most kTogether, from index d. Their rows go to to[i], row_step
  // apart, bypassing the caches and in whole aligned vectors.
  void Average(const SliceInput& input, int d, int count, std::uint16_t* const* to, std::ptrdiff_t row_step);

 private:
  // Adjacent lines of a slice. A slice is held as rows or as columns.
  struct Lines {
    std::uint16_t* first;
    std::ptrdiff_t stride;
    std::uint16_t* operator[](int i) const { return first + i * stride; }
  };
  enum Direction { kRows, kColumns };
  // Elements of memory for frames up to a size, and from line to line.
  struct Sizes {
    Sizes(int width, int height);
    int longest;
    std::ptrdiff_t row_stride, column_stride, stride;
    std::ptrdiff_t of_rows, of_columns, of_all;
  };
  struct Slice {
    // Indexed by direction: sizes of rows belong to iterations that end with rows. Slices two apart share
    // everything but the columns of costs.
    Lines costs[2], sizes[2];
    Lines group;  // the lines of one vector
    int d, disparity;
    int begin, end;  // columns whose partners are inside the right image
    std::uint16_t* to;
  };

  int LengthOf(Direction direction) const { return direction == kRows ? input_->width : input_->height; }
  SliceLine LineOf(const Slice& slice, Direction direction, int line) const;
  const Slice& NextInTurn(const Slice& slice) const;
  void FetchNextArms(const Slice& slice, Direction direction, int line, bool and_across) const;
  template <typename F>
  void TurnLines(Direction direction, const F& make_line);
  void MatchRow(const Slice& slice, int y, std::uint16_t* costs) const;
  void Iterate(std::ptrdiff_t row_step);

  static constexpr int kInTurns = 2;
  LargeBuffer memory_;
  Slice slices_[kTogether];
  AlignedBuffer<std::uint16_t> line_;
  AlignedBuffer<std::uint8_t> scratch_;
  const SliceInput* input_ = nullptr;  // of the slices being made
  int first_ = 0, end_ = 0;            // of the slices that take turns
};

}  // namespace parallax::cpu::ad_census
