// The queues behind MakeCudaFrameQueue (cuda/matcher/cuda_matcher.h).
#pragma once

#include <memory>

#include "cuda/device/tuning.h"
#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax::cuda {

// num_in_flight must be >= 1, parameters and options valid, and the device selected. With one frame in
// flight, stages are timed.
std::unique_ptr<MatcherQueue> MakeFrameQueue(const Parameters& parameters, const MatcherOptions& options,
                                             int num_in_flight, const CudaTuning& tuning);

}  // namespace parallax::cuda
