// The cpu back end with several frames in flight.
#pragma once

#include <memory>

#include "pipeline/matchers/matcher_queue.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// num_at_a_time >= 1 matchers side by side, which share the threads and the memory limit of options: threads
// that work on frames of their own never wait for each other, as those of one frame do. Twice as many frames
// may be in flight, so that every matcher has the next one at hand. More frames per second, later results, as
// many times the memory. Throws as MakeCpuMatcher.
std::unique_ptr<MatcherQueue> MakeCpuMatcherQueue(const Parameters& parameters, const MatcherOptions& options,
                                                  int num_at_a_time);

}  // namespace parallax
