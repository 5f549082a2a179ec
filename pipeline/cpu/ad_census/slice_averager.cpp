#include "pipeline/cpu/ad_census/slice_averager.h"

#include <hwy/cache_control.h>

#include <algorithm>

#include "pipeline/cpu/ad_census/kernels.h"

namespace parallax::cpu::ad_census {
namespace {

std::size_t Size(std::ptrdiff_t value) { return static_cast<std::size_t>(value); }

// Elements from a line to the next one: an odd number of cache lines, so that elements of successive lines
// meet different sets of a cache.
std::ptrdiff_t StrideOf(int length) { return ((length + kLineSlack) / 32 | 1) * std::ptrdiff_t{32}; }
// Asks for a line ahead of its use.
void Fetch(const void* line, int bytes) {
  for (int i = 0; i < bytes; i += kAlignment_bytes) hwy::Prefetch(static_cast<const char*>(line) + i);
}

std::ptrdiff_t NumLines(int count) { return (count + kMaxLanes - 1) / kMaxLanes * kMaxLanes; }

}  // namespace

SliceAverager::Sizes::Sizes(int width, int height)
    : longest(std::max(width, height)),
      row_stride(StrideOf(width + kMaxLanes)),
      column_stride(StrideOf(height + kMaxLanes)),
      stride(StrideOf(longest + kMaxLanes)),
      of_rows(row_stride * NumLines(height)),
      of_columns(column_stride * NumLines(width)),
      of_all(kInTurns * (2 * of_rows + of_columns) + kTogether * (of_columns + kMaxLanes * stride)) {}

SliceAverager::SliceAverager(int largest_width, int largest_height) {
  const Sizes sizes(largest_width, largest_height);
  memory_ = LargeBuffer(Size(sizes.of_all) * sizeof(std::uint16_t));
  auto* memory = reinterpret_cast<std::uint16_t*>(memory_.data());
  const auto take = [&](std::ptrdiff_t size, std::ptrdiff_t stride) {
    const Lines lines{memory, stride};
    memory += size;
    return lines;
  };
  for (int k = 0; k < kTogether; ++k) {
    Slice& slice = slices_[k];
    if (k < kInTurns) {
      slice.costs[kRows] = take(sizes.of_rows, sizes.row_stride);
      slice.sizes[kRows] = take(sizes.of_rows, sizes.row_stride);
      slice.sizes[kColumns] = take(sizes.of_columns, sizes.column_stride);
    } else {
      slice = slices_[k - kInTurns];
    }
    slice.costs[kColumns] = take(sizes.of_columns, sizes.column_stride);
    slice.group = take(kMaxLanes * sizes.stride, sizes.stride);
  }
  line_ = AlignedBuffer<std::uint16_t>(Size(sizes.stride));
  scratch_ = AlignedBuffer<std::uint8_t>(SliceScratchBytes(sizes.longest));
}

std::size_t SliceAverager::BytesOf(int width, int height) {
  const Sizes sizes(width, height);
  return Size(sizes.of_all + sizes.stride) * sizeof(std::uint16_t) + SliceScratchBytes(sizes.longest);
}

SliceLine SliceAverager::LineOf(const Slice& slice, Direction direction, int line) const {
  const int length = LengthOf(direction);
  if (direction == kRows) {
    const auto arms = [&](const Plane<std::uint8_t>& back, const Plane<std::uint8_t>& ahead, int offset) {
      return LineArms{back.Row(line) - offset, ahead.Row(line) - offset};
    };
    const ArmPlanes &left = input_->left->arms, &right = input_->right->arms;
    const int d = slice.disparity;
    return {length,
            slice.begin,
            slice.end,
            arms(left.left, left.right, 0),
            arms(right.left, right.right, d),
            arms(left.up, left.down, 0),
            arms(right.up, right.down, d)};
  }
  // A column's partners are one column.
  const bool is_inside = line >= slice.begin && line < slice.end;
  const int line_right = is_inside ? line - slice.disparity : 0;
  const auto arms = [](const Plane<std::uint8_t>& back, const Plane<std::uint8_t>& ahead, int column) {
    return LineArms{back.Row(column), ahead.Row(column)};
  };
  const ArmPlanes &left = *input_->left_columns, &right = *input_->right_columns;
  return {length,
          0,
          is_inside ? length : 0,
          arms(left.up, left.down, line),
          arms(right.up, right.down, line_right),
          arms(left.left, left.right, line),
          arms(right.left, right.right, line_right)};
}

const SliceAverager::Slice& SliceAverager::NextInTurn(const Slice& slice) const {
  return &slice + 1 == slices_ + end_ ? slices_[first_] : *(&slice + 1);
}

// Columns are too short for the machine to foresee the next one's arms.
void SliceAverager::FetchNextArms(const Slice& slice, Direction direction, int line, bool and_across) const {
  if (direction == kRows || line + 1 == input_->width) return;
  if (&slice != slices_ + first_) return;  // a slice's partners are the next slice's with the next line
  const int next = line + 1, height = input_->height;
  const int next_right = std::clamp(next - slice.disparity, 0, input_->width - 1);
  const auto fetch_arms = [&](const Plane<std::uint8_t>& left, const Plane<std::uint8_t>& right) {
    Fetch(left.Row(next), height);
    Fetch(right.Row(next_right), height);
  };
  const ArmPlanes &left = *input_->left_columns, &right = *input_->right_columns;
  fetch_arms(left.up, right.up), fetch_arms(left.down, right.down);
  if (and_across) fetch_arms(left.left, right.left), fetch_arms(left.right, right.right);
}

// Makes all lines of one direction, and from them the slices by the other direction.
template <typename F>
void SliceAverager::TurnLines(Direction direction, const F& make_line) {
  const Direction other = direction == kRows ? kColumns : kRows;
  const int num_lines = LengthOf(other), lanes = NumLanes();
  for (int first = 0; first < num_lines; first += lanes) {
    for (int i = 0; i < std::min(lanes, num_lines - first); ++i) {
      for (int k = first_; k < end_; ++k) make_line(slices_[k], first + i, slices_[k].group[i]);
    }
    for (int k = first_; k < end_; ++k) {
      const Lines &from = slices_[k].group, &to = slices_[k].costs[other];
      TransposeLines(from[0], from.stride, LengthOf(direction), to[0] + first, to.stride);
    }
  }
}

void SliceAverager::MatchRow(const Slice& slice, int y, std::uint16_t* costs) const {
  const View &left = *input_->left, &right = *input_->right;
  SliceCostRow row{};
  row.width = input_->width, row.num_channels = left.num_channels;
  row.begin = slice.begin, row.end = slice.end;
  for (int c = 0; c < row.num_channels; ++c)
    row.left[c] = left.channel[c].Row(y), row.right[c] = right.channel[c].Row(y) - slice.disparity;
  row.census_left = left.census.Row(y), row.census_right = right.census.Row(y) - slice.disparity;
  // Each slice fetches its part of the next row.
  const int next = std::min(y + 1, input_->height - 1);
  const std::ptrdiff_t part = (&slice - slices_) * std::ptrdiff_t{kAlignment_bytes / sizeof(std::uint64_t)};
  row.next_left = left.census.Row(next) + part;
  row.next_right = right.census.Row(next) - slice.disparity + part;
  row.difference = input_->difference;
  row.tables = input_->tables;
  MatchSliceRow(row, costs);
  if (input_->costs != nullptr) {
    for (int x = 0; x < row.width; ++x) input_->costs->View().Cell(x, y)[slice.d] = costs[x];
  }
}

void SliceAverager::Average(const SliceInput& input, int d, int count, std::uint16_t* const* to,
                            std::ptrdiff_t row_step) {
  input_ = &input, first_ = 0, end_ = count;
  for (int k = 0; k < count; ++k) {
    Slice& slice = slices_[k];
    slice.d = d + k, slice.disparity = input.min_disparity + d + k, slice.to = to[k];
    slice.begin = std::clamp(slice.disparity, 0, input.width);
    slice.end = std::max(slice.begin, std::min(input.width, input.width + slice.disparity));
  }
  if (input.iterations == 0) {
    for (int y = 0; y < input.height; ++y) {
      for (int k = 0; k < count; ++k) {
        MatchRow(slices_[k], y, line_.data());
        StreamLine(line_.data(), input.width, to[k] + y * row_step);
      }
    }
    hwy::FlushStream();
    return;
  }
  TurnLines(kRows, [&](const Slice& slice, int y, std::uint16_t* sums) {
    MatchRow(slice, y, line_.data());
    SumLine(LineOf(slice, kRows, y), line_.data(), sums, scratch_.data());
  });
  for (first_ = 0; first_ < count; first_ += kInTurns) {
    end_ = std::min(count, first_ + kInTurns);
    Iterate(row_step);
  }
  hwy::FlushStream();
}

// Starts from sums along the rows. An iteration sums along one direction, then along the other one, with
// which the next iteration begins.
void SliceAverager::Iterate(std::ptrdiff_t row_step) {
  const int iterations = input_->iterations;
  const auto for_rows = [&](const auto& make_row) {
    for (int y = 0; y < input_->height; ++y) {
      for (int k = first_; k < end_; ++k)
        StreamLine(make_row(slices_[k], y), input_->width, slices_[k].to + y * row_step);
    }
  };
  for (int i = 0; i < iterations; ++i) {
    const Direction direction = i % 2 == 0 ? kColumns : kRows;
    const bool is_last = i + 1 == iterations;
    const auto average = [&](const Slice& slice, int line, std::uint16_t* means) {
      FetchNextArms(slice, direction, line, i < 2);
      const Slice& next = NextInTurn(slice);
      const int next_line = &next > &slice ? line : line + 1;
      AverageLine(LineOf(slice, direction, line),
                  {i < 2, !is_last, next.costs[direction][next_line], next.sizes[direction][next_line]},
                  slice.costs[direction][line], slice.sizes[direction][line], means, scratch_.data());
    };
    if (!is_last || direction == kColumns) {
      TurnLines(direction, average);
      if (is_last) for_rows([&](const Slice& slice, int y) { return slice.costs[kRows][y]; });
    } else {
      for_rows([&](const Slice& slice, int y) {
        average(slice, y, line_.data());
        return line_.data();
      });
    }
  }
}

}  // namespace parallax::cpu::ad_census
