// Costs at one disparity, averaged over the crosses of both images.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/aligned_buffer.h"
#include "pipeline/cost_volume.h"
#include "pipeline/cpu/ad_census/slice_kernels.h"
#include "pipeline/cpu/ad_census/views.h"
#include "pipeline/simd/large_buffer.h"

namespace parallax::cpu::ad_census {

// What the slices of a frame are made of.
struct SliceInput {
  int width, height;
  const View *left, *right;
  const ArmPlanes *left_columns, *right_columns;  // the arms, a column a row
  const CostTables* tables;
  ColorDifference difference;
  int min_disparity, iterations;
  HostCostVolume<std::uint16_t>* costs;  // null, or gets them before they are averaged
};

// Memory of one thread, for frames up to a size, which holds some slices from their costs to their last
// average. They take turns line by line, as they need the same lines of both images.
class SliceAverager {
 public:
  static constexpr int kTogether = 2;

  SliceAverager(int largest_width, int largest_height);
  static std::size_t BytesOf(int width, int height);

  // Makes the slices of count disparities, kTogether at most, from index d on. Their rows, of width elements,
  // go to to[i], row_step apart.
  void Average(const SliceInput& input, int d, int count, std::uint16_t* const* to, std::ptrdiff_t row_step);

 private:
  // Lines of a slice, which lie side by side. A slice is held as rows or as columns.
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
    std::ptrdiff_t of_rows, of_columns, of_slice;
  };
  struct Slice {
    Lines costs[2], sizes[2];  // by direction: sizes of rows belong to iterations that end with rows
    Lines group;               // a vector's worth of lines
    int d, disparity;
    int begin, end;  // columns whose partners are inside the right image
    std::uint16_t* to;
  };

  int LengthOf(Direction direction) const { return direction == kRows ? input_->width : input_->height; }
  SliceLine LineOf(const Slice& slice, Direction direction, int line) const;
  std::ptrdiff_t ToNext(const Slice& slice, Direction direction) const;
  void FetchNextArms(const Slice& slice, Direction direction, int line, bool and_across) const;
  template <typename F>
  void TurnLines(Direction direction, const F& make_line);
  void MatchRow(const Slice& slice, int y, std::uint16_t* costs) const;

  LargeBuffer memory_;
  Slice slices_[kTogether];
  AlignedBuffer<std::uint16_t> line_;
  AlignedBuffer<std::uint8_t> scratch_;
  const SliceInput* input_ = nullptr;  // of the slices being made
  int count_ = 0;
};

}  // namespace parallax::cpu::ad_census
