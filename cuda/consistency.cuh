// consistency of one row (Hirschmueller 2008, sec. 2.6), by all threads of a block.
#pragma once

#include <cstdint>

#include "cuda/stages.h"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {

struct ConsistencyRow {
  int width, min_disparity, num_disparities, max_difference;
  float* disparity;        // of the row
  std::uint8_t* validity;  // of the row
  std::uint8_t* claimed;   // width bytes of shared memory
};

// First every right pixel marks the left pixels that it claims. Then every left pixel is classified: one that
// fails and that some right pixel claims is mismatched, otherwise occluded. winner_left(x), winner_right(x):
// the row's winners. Must be called by all threads; the winners must be visible to all.
template <typename WinnerLeft, typename WinnerRight>
__device__ void CheckRow(const ConsistencyRow& row, int thread, int num_threads,
                         const WinnerLeft& winner_left, const WinnerRight& winner_right) {
  for (int x = thread; x < row.width; x += num_threads) row.claimed[x] = 0;
  __syncthreads();
  for (int x_right = thread; x_right < row.width; x_right += num_threads) {
    const int winner = winner_right(x_right);
    if (winner == kNoWinner) continue;
    const int first = max(winner - row.max_difference, 0);
    const int last = min(winner + row.max_difference, row.num_disparities - 1);
    const int x_zero = x_right + row.min_disparity;  // left pixel that meets it with d = 0
    for (int x = max(x_zero + first, 0); x <= min(x_zero + last, row.width - 1); ++x) row.claimed[x] = 1;
  }
  __syncthreads();
  for (int x = thread; x < row.width; x += num_threads) {
    const int winner = winner_left(x), x_right = x - row.min_disparity - winner;
    std::uint8_t fault = kValid;
    if (x_right < 0 || x_right >= row.width) {
      fault = kOutOfRange;
    } else {
      const int other = winner_right(x_right);
      const bool agrees = other != kNoWinner && abs(other - winner) <= row.max_difference;
      if (!agrees) fault = row.claimed[x] != 0 ? kMismatched : kOccluded;
    }
    if (fault == kValid) continue;
    row.validity[x] = static_cast<std::uint8_t>(row.validity[x] | fault);
    row.disparity[x] = __int_as_float(0x7FC00000);
  }
}

}  // namespace parallax::cuda
