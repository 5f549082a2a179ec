#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/aligned_buffer.h"
#include "pipeline/parameters.h"

namespace parallax::cpu {

// What the check of a row of W pixels needs besides, kept between rows.
class CheckRowScratch {
 public:
  explicit CheckRowScratch(int width);
  std::size_t bytes() const;

  std::int32_t* places() { return places_.data(); }     // W, padded
  std::uint16_t* answers() { return answers_.data(); }  // W, padded
  // Bytes: four rows, from column -1 to W, mark_stride() apart, and one for what is nowhere.
  std::uint8_t* marks() { return marks_.data(); }
  std::ptrdiff_t mark_stride() const { return mark_stride_; }
  std::uint8_t* claimed() { return claimed_.data(); }  // W, padded
  std::int16_t* counts() { return counts_.data(); }    // W + 1

 private:
  std::ptrdiff_t mark_stride_;
  AlignedBuffer<std::int32_t> places_;
  AlignedBuffer<std::uint16_t> answers_;
  AlignedBuffer<std::uint8_t> marks_, claimed_;
  AlignedBuffer<std::int16_t> counts_;
};

// Left-right check of one row of W pixels (Hirschmueller 2008, sec. 2.6); see docs/matching.md. winner_right:
// 0xFFFF = none. Both may be read, disparity and validity written, 64 elements past the row. Changes
// disparity and validity.
void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, CheckRowScratch& scratch);

}  // namespace parallax::cpu
