// Whether images on the device have any texture: the rule of pipeline/rules/texture.h. Launches kernels on
// the given stream and returns before they are done; allocates nothing, never waits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "cuda/device/device_image.h"
#include "parallax/image.h"

namespace parallax::cuda {

// Writes two values in device memory to has_texture, for left and right: 0 if all pixels of the image are
// equal, else 1.
void FindTexture(const DeviceCameraImage& left, const DeviceCameraImage& right, std::uint32_t* has_texture,
                 cudaStream_t stream);

// Sets the confidence to 0 everywhere if one of the two values is 0.
void ClearConfidenceOfConstantImages(const std::uint32_t* has_texture,
                                     DeviceImageView<std::uint8_t> confidence, cudaStream_t stream);

}  // namespace parallax::cuda
