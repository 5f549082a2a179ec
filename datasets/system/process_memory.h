// How much memory this process can still get. Work that needs more is refused with a figure, instead of being
// killed by the system halfway.
#pragma once

#include <cstdint>
#include <string>

namespace parallax {

// The least of the machine's free memory, the rest of the limit of addresses (ulimit -v) and the rest of the
// group's limit (cgroups, as in containers).
struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string whose;  // "free on this machine", "left by ulimit -v", "left by the container's limit"
};
AvailableMemory MemoryAvailable();

// Throws Error if that many bytes are not available. what: "matching 5 points"; remedy: "use fewer points".
void RequireMemory(std::uint64_t needed_bytes, const std::string& what, const std::string& remedy);

}  // namespace parallax
