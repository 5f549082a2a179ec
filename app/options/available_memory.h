// How much memory this process can still have, and matching within it: refused with a figure, or done in
// bands, where it would be killed or refused somewhere in the middle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pipeline/matcher_queue.h"

namespace parallax::app {

// The least of what the machine has free, what a limit of addresses leaves (ulimit -v) and what the limit of
// its group leaves (cgroups, as containers have them).
struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string whose;  // "free on this machine", "left by ulimit -v", "left by the container's limit"
};
AvailableMemory MemoryAvailable();

// Throws Error where so many bytes cannot be had. what: "matching 5 points"; remedy: "use fewer --points".
void RequireMemory(std::uint64_t needed_bytes, const std::string& what, const std::string& remedy);

// MakeMatcherQueue; where no limit was asked for, the cpu back end keeps within what can be had. Throws as
// that, and Error with the least that would do.
std::unique_ptr<MatcherQueue> MakeQueueInMemory(std::string_view backend, const Parameters& parameters,
                                                MatcherOptions options, int num_in_flight);

}  // namespace parallax::app
