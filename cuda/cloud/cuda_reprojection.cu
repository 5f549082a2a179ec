// reprojection: depth, one thread a pixel. A point's place in the cloud is the number of depths before its
// pixel: each block counts those of a run of pixels, one block adds the counts up, and each block of the last
// kernel counts within its run again and writes. No order of blocks, and no atomic, has a say in it.
#include "cuda/cloud/cuda_reprojection.h"

#include <string>
#include <variant>

#include "cuda/device/check.h"
#include "parallax/error.h"
#include "pipeline/rules/pixel_color.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kPixelsPerThread = 4;
constexpr int kPixelsPerBlock = kThreads * kPixelsPerThread;
constexpr int kScanThreads = 1024;
constexpr unsigned kAllLanes = 0xFFFFFFFFU;

unsigned BlocksFor(std::size_t num_pixels, int pixels_per_block) {
  const auto per_block = static_cast<std::size_t>(pixels_per_block);
  return static_cast<unsigned>((num_pixels + per_block - 1) / per_block);
}

// 32 bits suffice for the images that the back end takes.
std::uint32_t NumPixels(DeviceImageView<const float> image) {
  return static_cast<std::uint32_t>(image.width) * static_cast<std::uint32_t>(image.height);
}

__global__ void DepthFromDisparityKernel(const float* disparity, std::uint32_t num_pixels, float fb,
                                         float doffs_px, ReprojectionParameters limits, float* depth_m) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= num_pixels) return;
  const float shifted = disparity[i] + doffs_px;
  const float z = fb / shifted;
  const bool inside = shifted > 0 && z >= limits.min_depth_m && z <= limits.max_depth_m;  // false for NaN
  depth_m[i] = inside ? z : __int_as_float(0x7FC00000);
}

// The depth of a block's pixel number `round` of this thread; NaN beyond the image. Neighbouring threads have
// neighbouring pixels, so that a round reads whole lines.
__device__ float DepthOf(const float* depth_m, std::uint32_t num_pixels, int round, std::uint32_t& pixel) {
  pixel = blockIdx.x * kPixelsPerBlock + static_cast<unsigned>(round) * kThreads + threadIdx.x;
  return pixel < num_pixels ? depth_m[pixel] : __int_as_float(0x7FC00000);
}

__global__ void CountDepthsKernel(const float* depth_m, std::uint32_t num_pixels, std::uint32_t* counts) {
  int count = 0;
  for (int round = 0; round < kPixelsPerThread; ++round) {
    std::uint32_t pixel = 0;
    count += __syncthreads_count(!isnan(DepthOf(depth_m, num_pixels, round, pixel)));
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = static_cast<std::uint32_t>(count);
}

// The sum of the values of this lane and those below.
__device__ std::uint32_t SumUpToLane(std::uint32_t value, unsigned lane) {
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(kAllLanes, value, step);
    if (lane >= step) value += below;
  }
  return value;
}

// counts: each becomes the sum of those before it. One block.
__global__ void AddCountsUpKernel(std::uint32_t* counts, unsigned num_counts, std::uint32_t* num_points) {
  __shared__ std::uint32_t warp_sums[kScanThreads / 32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t before = 0;  // of the counts of earlier rounds
  for (unsigned first = 0; first < num_counts; first += kScanThreads) {
    const unsigned i = first + threadIdx.x;
    const std::uint32_t count = i < num_counts ? counts[i] : 0;
    const std::uint32_t sum = SumUpToLane(count, lane);
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    if (warp == 0) warp_sums[lane] = SumUpToLane(warp_sums[lane], lane);
    __syncthreads();
    const std::uint32_t sum_of_warps_before = warp == 0 ? 0 : warp_sums[warp - 1];
    if (i < num_counts) counts[i] = before + sum_of_warps_before + sum - count;
    before += warp_sums[kScanThreads / 32 - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) *num_points = before;
}

struct Pinhole {
  float fx_px, cx_px, cy_px;
};

template <typename Pixel>
__global__ void CloudFromDepthKernel(DeviceImageView<const float> depth_m, const Pixel* left, Pinhole camera,
                                     std::uint32_t num_pixels, CloudOutput cloud) {
  __shared__ std::uint32_t places[kPixelsPerThread * kWarps];  // of the first point of a round and warp
  static_assert(kPixelsPerThread * kWarps == 32);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float z[kPixelsPerThread];
  std::uint32_t pixel[kPixelsPerThread];
  unsigned has_depth[kPixelsPerThread];
#pragma unroll
  for (int round = 0; round < kPixelsPerThread; ++round) {
    z[round] = DepthOf(depth_m.data, num_pixels, round, pixel[round]);
    has_depth[round] = __ballot_sync(kAllLanes, !isnan(z[round]));
    if (lane == 0) places[round * kWarps + warp] = static_cast<std::uint32_t>(__popc(has_depth[round]));
  }
  __syncthreads();
  if (warp == 0) {
    const std::uint32_t count = places[lane];
    places[lane] = cloud.counts[blockIdx.x] + SumUpToLane(count, lane) - count;
  }
  __syncthreads();
#pragma unroll
  for (int round = 0; round < kPixelsPerThread; ++round) {
    if (isnan(z[round])) continue;
    const unsigned below = has_depth[round] & ((1U << lane) - 1);
    const std::uint32_t place = places[round * kWarps + warp] + static_cast<std::uint32_t>(__popc(below));
    const auto width = static_cast<std::uint32_t>(depth_m.width);
    const float column = static_cast<float>(pixel[round] % width) - camera.cx_px;
    const float row = static_cast<float>(pixel[round] / width) - camera.cy_px;
    cloud.points[place] = {column * z[round] / camera.fx_px, row * z[round] / camera.fx_px, z[round]};
    cloud.colors[place] = RgbOf(left[pixel[round]]);
  }
}

}  // namespace

void DepthFromDisparity(DeviceImageView<const float> disparity, const StereoRig& rig,
                        const ReprojectionParameters& limits, DeviceImageView<float> depth_m,
                        cudaStream_t stream) {
  if (!(rig.fx_px > 0) || !(rig.baseline_m > 0)) {
    throw InvalidArgument("rig has focal length " + std::to_string(rig.fx_px) + " px and baseline " +
                          std::to_string(rig.baseline_m) + " m: both must be positive to give a depth");
  }
  const std::uint32_t num_pixels = NumPixels(disparity);
  DepthFromDisparityKernel<<<BlocksFor(num_pixels, kThreads), kThreads, 0, stream>>>(
      disparity.data, num_pixels, static_cast<float>(rig.fx_px * rig.baseline_m),
      static_cast<float>(rig.doffs_px), limits, depth_m.data);
  CheckLaunch("DepthFromDisparityKernel");
}

std::size_t NumCloudCounts(std::size_t num_pixels) { return BlocksFor(num_pixels, kPixelsPerBlock); }

void CloudFromDepth(DeviceImageView<const float> depth_m, const DeviceCameraImage& left, const StereoRig& rig,
                    const CloudOutput& cloud, cudaStream_t stream) {
  const std::uint32_t num_pixels = NumPixels(depth_m);
  const unsigned num_blocks = BlocksFor(num_pixels, kPixelsPerBlock);
  CountDepthsKernel<<<num_blocks, kThreads, 0, stream>>>(depth_m.data, num_pixels, cloud.counts);
  CheckLaunch("CountDepthsKernel");
  AddCountsUpKernel<<<1, kScanThreads, 0, stream>>>(cloud.counts, num_blocks, cloud.num_points);
  CheckLaunch("AddCountsUpKernel");
  const Pinhole camera{static_cast<float>(rig.fx_px), static_cast<float>(rig.cx_px),
                       static_cast<float>(rig.cy_px)};
  std::visit(
      [&]<typename T>(const DeviceImageView<const T>& image) {
        CloudFromDepthKernel<T>
            <<<num_blocks, kThreads, 0, stream>>>(depth_m, image.data, camera, num_pixels, cloud);
        CheckLaunch("CloudFromDepthKernel");
      },
      left);
}

}  // namespace parallax::cuda
