// What was best on an H200 (docs/benchmarks.md): other choices give the same results. No CUDA header.
#pragma once

namespace parallax {

struct CudaTuning {
  // Rows are aggregated in pairs where pairs * values a lane is at least this. Pairs take fewer instructions;
  // single rows, two warps each, are done sooner where there are few.
  int pairs_rows_from = 3000;
};

}  // namespace parallax
