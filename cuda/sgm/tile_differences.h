// The input of the weights of the matching costs (docs/matching.md, "matching_cost"): for each tile of the left image
// the sum of the differences of smoothed pixels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/device_image.h"
#include "pipeline/rules/cost_weights.h"

namespace parallax::cuda {

inline std::size_t NumTileDifferences(int width, int height) {
  return static_cast<std::size_t>(NumWeightTiles(width)) * static_cast<std::size_t>(NumWeightTiles(height));
}

// Adds up, for each weight tile, the absolute differences of smoothed pixels 2 px left and right of a pixel.
// differences: one word per tile, row by row, on the device. gray: complete before the previous kernel began.
void SumTileDifferences(DeviceImageView<const std::uint8_t> gray, std::uint32_t* differences,
                        cudaStream_t stream);

}  // namespace parallax::cuda
