// Scanline optimisation of AD-Census on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "pipeline/rules/ad_census_tables.h"
#include "pipeline/types/cost_volume.h"

namespace parallax::cuda::ad_census {

// Sums of path costs: of rows, and of columns, to be added. columns null: only rows.
struct PathSums {
  const std::uint16_t *rows = nullptr, *columns = nullptr;
};

// Sums path costs along rows, and along columns. rows, columns: volumes of the shape.
PathSums OptimizeScanlines(const Views& views, const CostShape& shape, const AdCensusTables& tables,
                           const std::uint16_t* costs, std::uint16_t* rows, std::uint16_t* columns,
                           cudaStream_t stream);

// Writes rows + columns to `to`: an intermediate result that a caller asked for.
void AddPathSums(const PathSums& sums, const CostShape& shape, DeviceCostVolumeView<std::uint16_t> to,
                 cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
