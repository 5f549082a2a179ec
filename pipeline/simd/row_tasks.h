#pragma once

#include <algorithm>

#include "pipeline/threads/parallel.h"

namespace parallax::cpu {

// Calls body(y_begin, y_end) for blocks of rows, on all threads. Blocks do not depend on the number of
// threads.
template <typename F>
void ForRowBlocks(int height, int rows_per_block, ThreadPool& threads, const F& body) {
  threads.ParallelFor((height + rows_per_block - 1) / rows_per_block, [&](int block) {
    body(block * rows_per_block, std::min(height, (block + 1) * rows_per_block));
  });
}

}  // namespace parallax::cpu
