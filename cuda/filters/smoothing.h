// Bilateral means of a finished map on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include "pipeline/image.h"
#include "pipeline/parameters.h"

namespace parallax::cuda {

// Changes disparity in place. between: another image.
void Smooth(const RefinementParameters& parameters, DeviceImageView<float> disparity,
            DeviceImageView<float> between, cudaStream_t stream);

}  // namespace parallax::cuda
