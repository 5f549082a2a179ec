// Keeps matching within the memory available to this process: a frame that needs more is matched in bands, or
// refused with the figures, before the system kills the process or an allocation fails.
#pragma once

#include <memory>
#include <string_view>

#include "pipeline/matchers/matcher_queue.h"

namespace parallax::app {

// MakeMatcherQueue; where no limit was asked for, the cpu back end keeps within what can be had. Throws as
// that, and Error with the least that would do.
std::unique_ptr<MatcherQueue> MakeQueueInMemory(std::string_view backend, const Parameters& parameters,
                                                MatcherOptions options, int num_in_flight);

// UsualFramesInFlight, or as many of them as half of what can be had suffices for; at least 1.
int UsualFramesInMemory(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options);

}  // namespace parallax::app
