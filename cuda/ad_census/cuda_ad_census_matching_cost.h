// matching_cost of AD-Census on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// The host's tables in device memory, and what fits in a kernel's arguments. Borrowed.
struct DeviceTables {
  const std::uint16_t* costs = nullptr;  // color_cost, then census_cost
  std::uint32_t outside_cost = 0;
};
inline constexpr std::size_t kNumColorCosts = AdCensusTables{}.color_cost.size(),
                             kNumCensusCosts = AdCensusTables{}.census_cost.size();

void MatchingCost(const Views& views, const CostShape& shape, ColorDifference difference,
                  const DeviceTables& tables, std::uint16_t* costs, cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
