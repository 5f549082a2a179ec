// consistency on the device, of any method's winners.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/device_disparity_map.h"
#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

inline constexpr std::uint16_t kNoWinner = 0xFFFF;
// Indices d of both images' pixels, kNoWinner where there is none; rows densely packed.
struct WinnerImages {
  DeviceImageView<std::uint16_t> left, right;
};
struct DisparityRange {
  int min_disparity = 0, num_disparities = 0;
};
// Changes map in place. selected: null, or where the map's disparities are copied to first, W x H.
void CheckConsistency(const WinnerImages& winners, const DisparityRange& range,
                      const ConsistencyParameters& parameters, const DeviceDisparityMap& map, float* selected,
                      cudaStream_t stream);

}  // namespace parallax::cuda
