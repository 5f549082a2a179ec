// Filling of holes on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/device_disparity_map.h"

namespace parallax::cuda {

struct FillScratch {
  float* nearest = nullptr;             // eight images of W x H
  std::uint32_t* holes_left = nullptr;  // two values
};
// Changes map in place.
void FillHoles(const FillScratch& scratch, const DeviceDisparityMap& map, cudaStream_t stream);

}  // namespace parallax::cuda
