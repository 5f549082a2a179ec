// Refuses work for which the device lacks memory, before anything is allocated.
#pragma once

#include <cstddef>
#include <string>

namespace parallax::cuda {

// Throws Error "WHAT needs X MB of device memory, Y MB are free: REMEDY" if needed_bytes exceeds the free
// memory of the current device plus held_bytes, which the caller will free.
void RequireMemory(const std::string& what, std::size_t needed_bytes, std::size_t held_bytes,
                   const std::string& remedy);

}  // namespace parallax::cuda
