// Keeps matching within the memory available to this process. A frame that needs more is matched in bands, or
// refused with the figures, before the system kills the process or an allocation fails.
#pragma once

#include <memory>
#include <string_view>

#include "pipeline/matchers/matcher_queue.h"

namespace parallax::app {

// Calls MakeMatcherQueue. Without a requested limit, the cpu back end stays within the available memory.
// Throws what MakeMatcherQueue throws, and Error with the smallest sufficient size.
std::unique_ptr<MatcherQueue> MakeQueueInMemory(std::string_view backend, const Parameters& parameters,
                                                MatcherOptions options, int num_in_flight);

// The smaller of UsualFramesInFlight and the number of frames that half of the available memory suffices for;
// at least 1.
int UsualFramesInMemory(std::string_view backend, const Parameters& parameters,
                        const MatcherOptions& options);

}  // namespace parallax::app
