// The settings that were fastest on an H200 (docs/benchmarks.md); other settings give the same results. No
// CUDA header.
#pragma once

namespace parallax {

struct CudaTuning {
  // Rows are aggregated in pairs if pairs * values in a lane is at least this. Pairs take fewer instructions;
  // single rows, with two warps each, finish sooner where there are few.
  int pairs_rows_from = 3000;
  // Shared memory of a block of selection, at most; 0: what the device has.
  int shared_bytes = 0;
};

}  // namespace parallax
