// The CUDA back end as the program sees it. No CUDA header.
#pragma once

#include <memory>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// The back end "cuda" on options.device: one frame at a time, each a replay of one CUDA graph. Throws Error
// where there is no such device or it has too little memory (with the figure needed and a number of
// disparities that fits).
std::unique_ptr<StereoMatcher> MakeCudaMatcher(const Parameters& parameters, const MatcherOptions& options);

// num_in_flight >= 1 frames; each has device memory of its own. Finished frames lie in page-locked memory.
// Takes raw images and makes depth and cloud (MatcherQueue::SubmitWith). One in flight is matched in the
// thread that submits it, and its stages are timed.
std::unique_ptr<MatcherQueue> MakeCudaFrameQueue(const Parameters& parameters, const MatcherOptions& options,
                                                 int num_in_flight);

}  // namespace parallax
