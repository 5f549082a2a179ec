// consistency of one row (Hirschmueller 2008, sec. 2.6), by all threads of a block.
#pragma once

#include <cstdint>

#include "cuda/filters/cuda_consistency.h"
#include "parallax/disparity_map.h"

namespace parallax::cuda {

struct ConsistencyRow {
  int width, min_disparity, num_disparities, max_difference;
  std::uint8_t* claimed;  // width bytes of shared memory, all 0
};

// First every right pixel marks the left pixels that it claims. Then every left pixel is classified: one that
// fails is mismatched if some right pixel claims it, otherwise occluded. winner_left(x), winner_right(x): the
// row's winners; store(x, fault): called once for every pixel. All threads must call it, and its arguments
// must be visible to all.
template <typename WinnerLeft, typename WinnerRight, typename Store>
__device__ void CheckRow(const ConsistencyRow& row, int thread, int num_threads,
                         const WinnerLeft& winner_left, const WinnerRight& winner_right, const Store& store) {
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
    store(x, fault);
  }
}

}  // namespace parallax::cuda
