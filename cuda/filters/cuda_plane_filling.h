// Values for rejected pixels from planes around them, on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/device_disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// The largest number of tiles of an image with up to this many pixels.
std::size_t LargestNumTiles(const RefinementParameters& parameters, std::size_t num_pixels);

// Memory for a list of an image's rejected pixels, in any order; borrowed.
struct RejectedPixels {
  std::uint16_t *x = nullptr, *y = nullptr;  // room for all pixels
  std::uint32_t* count = nullptr;            // 0 when FillFromPlanes begins
};

// Fits the planes of all tiles, row by row; a tile without a plane has the value kNoValue.
void FitPlanes(const Parameters& parameters, const DeviceDisparityMap& map, DisparityPlane* planes,
               cudaStream_t stream);
// Copies the disparities of map to filled, gives rejected pixels other values, and marks those in map. guide:
// left image; planes: room for one for each tile. counter, unless null, is set to 0 on the way: a copy between
// kernels would take longer.
void FillFromPlanes(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                    const DeviceDisparityMap& map, DisparityPlane* planes, const RejectedPixels& rejected,
                    DeviceImageView<float> filled, std::uint32_t* counter, cudaStream_t stream);

}  // namespace parallax::cuda
