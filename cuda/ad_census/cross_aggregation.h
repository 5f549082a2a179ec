// Aggregation of AD-Census over the crosses, on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/device/stream.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Sizes of the support regions, of the order of iterations 1, 3, ... and of that of 2, 4, ...: of both
// images' crosses a volume each, of the left ones' alone their reciprocals, an image each. Null: not needed.
struct RegionSizes {
  std::uint16_t* volumes[2] = {};
  float* reciprocals[2] = {};
};

using SizesMade = Event[2];

// Records each order's event behind its sizes.
void MakeRegionSizes(const Views& views, const CostShape& shape, const AdCensusParameters& parameters,
                     const RegionSizes& sizes, SizesMade& made, cudaStream_t stream);

// Makes the costs' means, iterations times. other: a volume of the same shape. Returns which of the two holds
// them. The sizes may be made in another stream; each order's are waited for where they are needed.
std::uint16_t* AggregateOverCrosses(const Views& views, const CostShape& shape,
                                    const AdCensusParameters& parameters, std::uint16_t* costs,
                                    std::uint16_t* other, const RegionSizes& sizes, const SizesMade& made,
                                    cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
