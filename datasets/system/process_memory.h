// How much memory this process can still have: what is too large is refused with a figure, instead of killed
// by the system somewhere in the middle.
#pragma once

#include <cstdint>
#include <string>

namespace parallax {

// The least of what the machine has free, what a limit of addresses leaves (ulimit -v) and what the limit of
// its group leaves (cgroups, as containers have them).
struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string whose;  // "free on this machine", "left by ulimit -v", "left by the container's limit"
};
AvailableMemory MemoryAvailable();

// Throws Error where so many bytes cannot be had. what: "matching 5 points"; remedy: "use fewer --points".
void RequireMemory(std::uint64_t needed_bytes, const std::string& what, const std::string& remedy);

}  // namespace parallax
