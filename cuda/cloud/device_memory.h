// Refuses work that the device has no memory for, before anything is allocated.
#pragma once

#include <cstddef>
#include <string>

namespace parallax::cuda {

// Throws Error "WHAT needs X MB of device memory, Y MB are free: REMEDY" where needed_bytes is more than what
// is free on the current device and held_bytes, which will be given back, together.
void RequireMemory(const std::string& what, std::size_t needed_bytes, std::size_t held_bytes,
                   const std::string& remedy);

}  // namespace parallax::cuda
