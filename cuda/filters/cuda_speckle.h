// Removal of speckles on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/device_disparity_map.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// W x H each.
struct SpeckleScratch {
  DeviceImageView<std::uint32_t> labels, sizes;
};
// Changes map in place.
void RemoveSpeckles(const FilterParameters& parameters, const SpeckleScratch& scratch,
                    const DeviceDisparityMap& map, cudaStream_t stream);

}  // namespace parallax::cuda
