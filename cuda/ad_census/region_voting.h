// Region voting of AD-Census on the device: pixels without a value take the most frequent value of their
// region. Launches kernels on the given stream and returns before they are done; allocates nothing, never
// waits, never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/device/arena.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Borrowed.
struct VotingMemory {
  std::uint32_t* ballots = nullptr;       // a pixel
  std::uint32_t* open_columns = nullptr;  // `width` numbers for each band of rows
  std::uint32_t* news = nullptr;          // each round: one bit for each pixel; then one number for each
                                          // band

  static VotingMemory Take(Arena& arena, int num_rounds, int width, int height);
};

// Fills pixels of a map of entries (index_entry.cuh) and sets their bit in validity.
void VoteInRegions(const View& left, int width, int height, int num_disparities,
                   const AdCensusParameters& parameters, const VotingMemory& memory, std::int16_t* index,
                   std::uint8_t* validity, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
