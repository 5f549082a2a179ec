// Bilateral means of a finished map on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Pass number `pass` of the smoothing, from one image to another.
void SmoothOnce(const RefinementParameters& parameters, int pass, DeviceImageView<const float> from,
                DeviceImageView<float> to, cudaStream_t stream);

}  // namespace parallax::cuda
