// selection of AD-Census on the device, without sub-pixel.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/scanlines.h"
#include "cuda/device/device_disparity_map.h"
#include "cuda/filters/cuda_consistency.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda::ad_census {

// Finds the winners of both images, the right ones from the diagonals of the left sums, and the selected map.
void SelectDisparities(const PathSums& sums, const CostShape& shape, int uniqueness_percent,
                       const WinnerImages& winners, const DeviceDisparityMap& selected, cudaStream_t stream);
// Finds the left winners and the selected map alone.
void SelectLeftDisparities(const PathSums& sums, const CostShape& shape, int uniqueness_percent,
                           DeviceImageView<std::uint16_t> winner_left, const DeviceDisparityMap& selected,
                           cudaStream_t stream);
// Finds only the winners, in rows from right to left.
void SelectMirrored(const PathSums& sums, const CostShape& shape, DeviceImageView<std::uint16_t> winners,
                    cudaStream_t stream);

}  // namespace parallax::cuda::ad_census
