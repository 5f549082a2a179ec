// reprojection: depth, one thread a pixel; and the cloud of the pixels that have one, whose places are an
// exclusive scan over "has a depth", so that points stand in reading order.
#include "cuda/reprojection.h"

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include "cuda/device/check.h"
#include "pipeline/error.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;

unsigned BlocksFor(int count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void DepthFromDisparityKernel(const float* disparity, int count, float fb, float doffs,
                                         float min_depth_m, float max_depth_m, float* depth) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= count) return;
  const float shifted = disparity[i] + doffs;
  const float z = fb / shifted;
  const bool inside = shifted > 0 && z >= min_depth_m && z <= max_depth_m;  // false for NaN
  depth[i] = inside ? z : __int_as_float(0x7FC00000);
}

struct HasDepth {
  __host__ __device__ std::uint32_t operator()(float depth) const { return depth == depth ? 1U : 0U; }
};

__global__ void CloudFromDepthKernel(CloudInput input, float fx, float cx, float cy,
                                     const std::uint32_t* places, Point3f* points, Rgb8* colors,
                                     std::uint32_t* num_points) {
  const int width = input.depth.width, count = width * input.depth.height;
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (i >= count) return;
  const float z = input.depth.data[i];
  const std::uint32_t place = places[i];
  if (i == count - 1) *num_points = place + HasDepth{}(z);
  if (isnan(z)) return;
  const int x = i % width, y = i / width;
  const float px = (static_cast<float>(x) - cx) * z;
  const float py = (static_cast<float>(y) - cy) * z;
  points[place] = {px / fx, py / fx, z};
  if (input.color.data != nullptr) {
    colors[place] = input.color(x, y);
  } else {
    const std::uint8_t gray =
        input.gray.data != nullptr ? input.gray(x, y) : static_cast<std::uint8_t>(input.gray16(x, y) >> 8);
    colors[place] = {gray, gray, gray};
  }
}

using DepthFlags = thrust::transform_iterator<HasDepth, const float*>;

// The scan's own scratch comes after the places of all pixels.
std::size_t PlacesBytes(int count) {
  return (static_cast<std::size_t>(count) * sizeof(std::uint32_t) + 255) / 256 * 256;
}

}  // namespace

void DepthFromDisparity(DeviceImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, DeviceImageView<float> depth,
                        cudaStream_t stream) {
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw InvalidArgument("rig has focal length " + std::to_string(rig.fx_px) + " px and baseline " +
                          std::to_string(rig.baseline_m) + " m: both must be positive to give a depth");
  }
  const int count = disparity.width * disparity.height;
  DepthFromDisparityKernel<<<BlocksFor(count), kThreads, 0, stream>>>(
      disparity.data, count, static_cast<float>(rig.fx_px * rig.baseline_m), static_cast<float>(rig.doffs_px),
      limits.min_depth_m, limits.max_depth_m, depth.data);
  CheckLaunch("DepthFromDisparityKernel");
}

std::size_t CloudScratchBytes(int width, int height) {
  const int count = width * height;
  std::size_t scan_bytes = 0;
  Check(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, DepthFlags(nullptr, HasDepth{}),
                                      static_cast<std::uint32_t*>(nullptr), count),
        "cub::DeviceScan::ExclusiveSum");
  return PlacesBytes(count) + scan_bytes;
}

void CloudFromDepth(const CloudInput& input, const StereoRig& rig, const CloudOutput& output,
                    cudaStream_t stream) {
  const int width = input.depth.width, height = input.depth.height, count = width * height;
  auto* const places = reinterpret_cast<std::uint32_t*>(output.scratch);
  std::size_t scan_bytes = CloudScratchBytes(width, height) - PlacesBytes(count);
  Check(cub::DeviceScan::ExclusiveSum(output.scratch + PlacesBytes(count), scan_bytes,
                                      DepthFlags(input.depth.data, HasDepth{}), places, count, stream),
        "cub::DeviceScan::ExclusiveSum");
  CloudFromDepthKernel<<<BlocksFor(count), kThreads, 0, stream>>>(
      input, static_cast<float>(rig.fx_px), static_cast<float>(rig.cx_px), static_cast<float>(rig.cy_px),
      places, output.points, output.colors, output.num_points);
  CheckLaunch("CloudFromDepthKernel");
}

}  // namespace parallax::cuda
