// census_transform on the device, and its gray input images. Launches kernels on the given stream and returns
// before they are done; allocates nothing, never waits, never uses the default stream. It computes what
// docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Make the gray images that the stage needs if the input is colour or 16-bit; rows densely packed.
void GrayFromColor(DeviceImageView<const Rgb8> color, DeviceImageView<std::uint8_t> gray,
                   cudaStream_t stream);
void GuideFromGray16(DeviceImageView<const std::uint16_t> gray, DeviceImageView<std::uint8_t> guide,
                     cudaStream_t stream);

// Codes of both images. Windows of up to 32 bits fill left32 and right32, the others left64 and right64; the
// unused ones may be empty. Rows densely packed.
struct CensusImages {
  DeviceImageView<std::uint32_t> left32, right32;
  DeviceImageView<std::uint64_t> left64, right64;
};
inline bool HasCode32(CensusWindow window) {
  return window == CensusWindow::k5x5 || window == CensusWindow::kCenterSymmetric9x7 ||
         window == CensusWindow::kCenterSymmetricTwoScale;
}
// Transforms both images in one launch.
void CensusTransform(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream);
void CensusTransform(DeviceImageView<const std::uint16_t> left, DeviceImageView<const std::uint16_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream);
// The gradients along the row of both images in the form that matching_cost compares. The bytes of a pixel,
// from the lowest: the least gradient from half a pixel before to half a pixel after it, its own, 255 minus
// the greatest, and 255 minus its own.
struct GradientImages {
  DeviceImageView<std::uint32_t> left, right;
};
void GradientsAlongRow(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                       const GradientImages& gradients, cudaStream_t stream);
// Widens 32-bit codes to 64 bits, for StageResults.
void WidenCensus(DeviceImageView<const std::uint32_t> from, DeviceImageView<std::uint64_t> to,
                 cudaStream_t stream);

}  // namespace parallax::cuda
