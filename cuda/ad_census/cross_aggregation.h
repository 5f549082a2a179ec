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

// Sizes of the support regions for the two orders of passes: iterations 1, 3, ... and 2, 4, .... If a region
// depends on the arms of both images, a volume of sizes; if on the left arms alone, an image of reciprocal
// sizes. Null: not needed.
struct RegionSizes {
  std::uint16_t* volumes[2] = {};
  float* reciprocals[2] = {};
};

using SizesMade = Event[2];

// A second stream for launches, and the events when it may begin and is done.
struct Fork {
  Stream stream;
  Event begun, done;
};

// Records each order's event after its sizes.
void MakeRegionSizes(const Views& views, const CostShape& shape, const AdCensusParameters& parameters,
                     const RegionSizes& sizes, SizesMade& made, cudaStream_t stream);

// Replaces the costs by their means, `iterations` times. other: a volume of the same shape. Returns which of
// the two holds the result. The sizes may be computed in another stream; the kernels wait for each order's
// where they need them. The fork's stream takes half of the disparities, as they do not depend on each other:
// while one kernel's last blocks run, another one's begin.
std::uint16_t* AggregateOverCrosses(const Views& views, const CostShape& shape,
                                    const AdCensusParameters& parameters, std::uint16_t* costs,
                                    std::uint16_t* other, const RegionSizes& sizes, const SizesMade& made,
                                    Fork& fork, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
