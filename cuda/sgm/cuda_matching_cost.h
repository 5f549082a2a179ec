// matching_cost on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/sgm/cuda_census_transform.h"
#include "cuda/sgm/volume_layout.h"

namespace parallax::cuda {

struct MatchingCostInput {
  CensusImages census;
  CensusWindow window = CensusWindow::k5x5;  // the size of the images
  // Empty without a gradient term.
  GradientImages gradients;
  int gradient_cap = 15;                            // MatchingCostParameters::gradient_cap
  const std::uint32_t* tile_differences = nullptr;  // of SumTileDifferences; null if all costs count whole
  const MatchingTables& tables;
};
// Fills volumes.Costs() and sets volumes.bands_done to zero.
void MatchingCost(const MatchingCostInput& input, const SgmVolumes& volumes, cudaStream_t stream);

}  // namespace parallax::cuda
