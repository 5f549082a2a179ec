// The CUDA back end without CUDA headers, for the program.
#pragma once

#include <memory>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// The back end "cuda" on options.device: one frame at a time, each a replay of one CUDA graph. Throws Error
// if there is no such device or it has too little memory; the message has the needed figure and a number of
// disparities that fits.
std::unique_ptr<StereoMatcher> MakeCudaMatcher(const Parameters& parameters, const MatcherOptions& options);

// num_in_flight >= 1 frames, each with separate device memory. Finished frames are in page-locked memory.
// Takes raw images and computes depth and cloud (MatcherQueue::SubmitWith). With one in flight, the
// submitting thread matches it, and its stages are timed.
std::unique_ptr<MatcherQueue> MakeCudaFrameQueue(const Parameters& parameters, const MatcherOptions& options,
                                                 int num_in_flight);

}  // namespace parallax
