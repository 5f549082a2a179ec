// Learned trees choose the value of a rejected pixel among candidates, on the device. Launches kernels on the
// given stream and returns before they are done; allocates nothing, never waits, never uses the default
// stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Memory for any image up to width x height; borrowed.
struct ChoiceMemory {
  std::uint32_t *listed = nullptr, *num_listed = nullptr;  // pixels that have a choice: y in 16 bits above x
  float4* values = nullptr;                                // their candidates'
  std::uint32_t* kept = nullptr;                           // one bit per pixel, rows in whole words

  static ChoiceMemory Take(Arena& arena, int width, int height);
};

// Changes from_planes, the result of FillFromPlanes for map and planes, in place. guide: left image. memory.num_listed
// must be 0 before and is not 0 afterwards.
void ChooseCandidates(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                      const DeviceDisparityMap& map, const DisparityPlane* planes, const ChoiceMemory& memory,
                      DeviceImageView<float> from_planes, cudaStream_t stream);

}  // namespace parallax::cuda
