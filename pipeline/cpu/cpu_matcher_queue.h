// The cpu back end with several frames in flight.
#pragma once

#include <memory>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// num_at_a_time >= 1 matchers in parallel, which share the threads and the memory limit of options. Threads
// that work on separate frames never wait for each other, as those of one frame do. Twice as many frames may
// be in flight, so every matcher has its next one at hand. Gives more frames per second, later results, and
// takes as many times the memory. Throws what MakeCpuMatcher throws.
std::unique_ptr<MatcherQueue> MakeCpuMatcherQueue(const Parameters& parameters, const MatcherOptions& options,
                                                  int num_at_a_time);

}  // namespace parallax
