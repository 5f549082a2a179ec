// The median filter on the device.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include "parallax/image.h"

namespace parallax::cuda {

// Filters disparities into another image. side: 3 or 5.
void MedianFilter(int side, DeviceImageView<const float> from, DeviceImageView<float> to,
                  cudaStream_t stream);

}  // namespace parallax::cuda
