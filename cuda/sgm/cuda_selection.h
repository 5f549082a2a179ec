// selection on the device, alone and with consistency.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "cuda/device/device_disparity_map.h"
#include "cuda/filters/cuda_consistency.h"
#include "cuda/sgm/volume_layout.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Reads the path sums, even while aggregation still writes them (volumes.bands_done), and the costs if the
// sums leave them out.
void SelectDisparities(const SgmVolumes& volumes, const SelectionParameters& parameters,
                       const WinnerImages& winners, const DeviceDisparityMap& selected, cudaStream_t stream);

// SelectAndCheck does selection and consistency in one kernel, without intermediate results, if a row fits
// into shared memory (FitsSelectAndCheck). max_difference must not be negative.
bool FitsSelectAndCheck(const VolumeLayout& layout);
void SelectAndCheck(const SgmVolumes& volumes, const SelectionParameters& selection,
                    const ConsistencyParameters& consistency, const DeviceDisparityMap& map,
                    cudaStream_t stream);

// The size of the largest image. A block of selection keeps a row of the right image and up to kMostTileBytes
// of sums in shared memory, which limits the width. The size of a grid limits the height.
inline constexpr int kMostTileBytes = 20 * 1024;
constexpr int LargestWidth_px(int shared_bytes) {
  constexpr int kMostWidth_px = 50000;
  return std::min((shared_bytes - kMostTileBytes) / 4 - 1, kMostWidth_px);
}
inline constexpr int kLargestHeight_px = 65535;

}  // namespace parallax::cuda
