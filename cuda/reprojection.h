// reprojection on the device: depth, and the cloud of the pixels that have one.
// Launches kernels on the given stream and returns before they are done; allocates nothing, never waits,
// never uses the default stream. It computes what docs/matching.md says, to the bit.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "pipeline/cloud.h"
#include "pipeline/image.h"
#include "pipeline/parameters.h"
#include "pipeline/rig.h"

namespace parallax::cuda {

// Images of one size, rows densely packed. Throws InvalidArgument for a rig without focal length or baseline.
void DepthFromDisparity(DeviceImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, DeviceImageView<float> depth,
                        cudaStream_t stream);

// Exactly one of gray, gray16 and color is not empty.
struct CloudInput {
  DeviceImageView<const float> depth;
  DeviceImageView<const std::uint8_t> gray;
  DeviceImageView<const std::uint16_t> gray16;
  DeviceImageView<const Rgb8> color;
};
// points, colors: room for W x H. num_points: one value. scratch: CloudScratchBytes().
struct CloudOutput {
  Point3f* points = nullptr;
  Rgb8* colors = nullptr;
  std::uint32_t* num_points = nullptr;
  std::byte* scratch = nullptr;
};
std::size_t CloudScratchBytes(int width, int height);
// Points of the pixels that have a depth, in reading order.
void CloudFromDepth(const CloudInput& input, const StereoRig& rig, const CloudOutput& output,
                    cudaStream_t stream);

}  // namespace parallax::cuda
