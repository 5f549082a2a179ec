// Matchers with settings other than the fastest measured ones, for tests and benchmarks. No CUDA header.
#pragma once

#include <memory>

#include "cuda/device/tuning.h"
#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// See MakeCudaMatcher and MakeCudaFrameQueue (cuda/matcher/cuda_matcher.h).
std::unique_ptr<StereoMatcher> MakeTunedCudaMatcher(const Parameters& parameters,
                                                    const MatcherOptions& options, const CudaTuning& tuning);
std::unique_ptr<MatcherQueue> MakeTunedCudaFrameQueue(const Parameters& parameters,
                                                      const MatcherOptions& options, int num_in_flight,
                                                      const CudaTuning& tuning);

}  // namespace parallax
