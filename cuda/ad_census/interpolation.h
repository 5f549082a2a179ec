// Proper interpolation of AD-Census on the device: pixels without a value take one of the nearest values in
// sixteen directions. Launches kernels on the given stream and returns before they are done; allocates
// nothing, never waits, never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"

namespace parallax::cuda::ad_census {

// Words of the bit lines that Interpolate makes of a map.
std::size_t NumLineWords(int width, int height);

// Fills a map of entries (index_entry.cuh) and sets the bit in validity. color: of the left image.
void Interpolate(const std::uint32_t* color, int width, int height, std::uint32_t* line_words,
                 std::int16_t* index, std::uint8_t* validity, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
