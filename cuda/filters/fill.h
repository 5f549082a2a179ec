// Filling of holes on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/device_disparity_map.h"

namespace parallax::cuda {

struct FillScratch {
  std::uint32_t* has_value = nullptr;   // NumFillWords of a size at least the map's
  std::uint32_t* holes_left = nullptr;  // two values
  std::uint32_t* counter = nullptr;     // of a later kernel; set to 0 unless null
};
std::size_t NumFillWords(int width, int height);
// Changes map in place.
void FillHoles(const FillScratch& scratch, const DeviceDisparityMap& map, cudaStream_t stream);

}  // namespace parallax::cuda
