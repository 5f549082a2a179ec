// Depth of a disparity map on the device, and the cloud of the pixels that have one, as
// pipeline/cloud/reprojection.h makes them, to the bit. Launches kernels on the given stream and returns before
// they are done; allocates nothing, never waits.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/device_image.h"
#include "parallax/cloud.h"
#include "parallax/image.h"
#include "parallax/rig.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// Images of one size, rows densely packed. Throws InvalidArgument for a rig without focal length or baseline.
void DepthFromDisparity(DeviceImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, DeviceImageView<float> depth_m,
                        cudaStream_t stream);

// points, colors: room for every pixel. num_points: one number. counts: NumCloudCounts() numbers, scratch.
struct CloudOutput {
  Point3f* points = nullptr;
  Rgb8* colors = nullptr;
  std::uint32_t* num_points = nullptr;
  std::uint32_t* counts = nullptr;
};
// The size of CloudOutput::counts.
std::size_t NumCloudCounts(std::size_t num_pixels);
// Writes the points of the pixels with a depth, in reading order, in the colours of the left image.
void CloudFromDepth(DeviceImageView<const float> depth_m, const DeviceCameraImage& left, const StereoRig& rig,
                    const CloudOutput& cloud, cudaStream_t stream);

}  // namespace parallax::cuda
