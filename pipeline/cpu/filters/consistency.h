#pragma once

#include <cstddef>
#include <cstdint>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Winners of a row of the right image, from the selection.
struct RightWinners {
  // winner[x], x from 1 - D: the winner of the right pixel that left pixel x is compared with at index d = 0.
  // Entries that no left pixel is compared with may hold anything.
  const std::uint16_t* winner = nullptr;
  std::uint16_t index_bits = 0;  // mask of the bits of an entry that hold the index
};

// Scratch of the check for a row of W pixels, kept between rows.
class CheckRowScratch {
 public:
  static constexpr int kMarkMargin = 64;

  explicit CheckRowScratch(int width);
  std::size_t bytes() const;

  std::uint16_t* answers() { return answers_.data(); }           // W, padded
  std::int32_t* marks() { return marks_.data() + kMarkMargin; }  // W, with a margin
  std::uint8_t* claimed() { return claimed_.data(); }            // W, padded
  std::int16_t* counts() { return counts_.data(); }              // W + 1

 private:
  AlignedBuffer<std::uint16_t> answers_;
  AlignedBuffer<std::int32_t> marks_;
  AlignedBuffer<std::uint8_t> claimed_;
  AlignedBuffer<std::int16_t> counts_;
};

// Checks one row of W pixels, left against right (Hirschmueller 2008, sec. 2.6), and updates its disparity
// and validity; see docs/matching.md. It may read up to 64 elements past the end of the winners' rows, and
// write as many past the end of disparity and validity.
void CheckRow(const std::uint16_t* winner_left, const RightWinners& right, int width, int min_disparity,
              int num_disparities, const ConsistencyParameters& parameters, float* disparity,
              std::uint8_t* validity, CheckRowScratch& scratch);

}  // namespace parallax::cpu
