// What was measured best on an H200 (docs/gpu.md), and matchers with other choices, for tests and benchmarks:
// the results are the same. No CUDA header.
#pragma once

#include <memory>

#include "pipeline/matcher.h"
#include "pipeline/matcher_queue.h"

namespace parallax {

struct CudaTuning {
  // Rows are aggregated in pairs where pairs * values a lane is at least this. Pairs take fewer instructions;
  // single rows, two warps each, are done sooner where there are few.
  int pairs_rows_from = 3000;
};

// As MakeCudaMatcher and MakeCudaFrameQueue (cuda/cuda_matcher.h).
std::unique_ptr<StereoMatcher> MakeTunedCudaMatcher(const Parameters& parameters,
                                                    const MatcherOptions& options, const CudaTuning& tuning);
std::unique_ptr<MatcherQueue> MakeTunedCudaFrameQueue(const Parameters& parameters,
                                                      const MatcherOptions& options, int num_in_flight,
                                                      const CudaTuning& tuning);

}  // namespace parallax
