// filter, speckle removal: islands of pixels whose neighbours differ little, by union-find over runs.
//   1 LabelRunsKernel    one block a row: a pixel's label is the first pixel of its run (a row's joined
//   neighbours) 2 JoinRunsKernel     one thread a pixel: joins the trees of runs that touch in two rows,
//   larger root below smaller 3 CountPixelsKernel  one thread a pixel: the first pixel of a run adds the
//   run's length to its root 4 RemoveKernel       one thread a pixel
// The root of an island is its smallest pixel number whatever the order of the joins, and sizes are integers:
// the result does not depend on how the threads run.
#include "cuda/filters/speckle.h"

#include "cuda/device/dependent_launch.cuh"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kFullWarp = 0xFFFFFFFFU;

// A NaN on either side fails the comparison.
__device__ __forceinline__ bool Joined(float a, float b, float range) { return fabsf(b - a) <= range; }

__device__ std::uint32_t RootOf(const std::uint32_t* labels, std::uint32_t pixel) {
  std::uint32_t root = pixel;
  for (std::uint32_t next = __ldcg(&labels[root]); next != root; next = __ldcg(&labels[root])) root = next;
  return root;
}

// sizes[first pixel of a run] = its length; 0 for other pixels.
__global__ void LabelRunsKernel(const float* disparity, int width, float range, std::uint32_t* labels,
                                std::uint32_t* sizes) {
  __shared__ std::uint32_t warp_starts[kThreads / 32];
  __shared__ std::uint32_t carried_start;
  WaitForKernelBefore();
  LetNextKernelBegin();
  const std::uint32_t row = blockIdx.x * static_cast<std::uint32_t>(width);
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) carried_start = row;
  __syncthreads();
  for (int x_begin = 0; x_begin < width; x_begin += kThreads) {
    const int x = x_begin + static_cast<int>(threadIdx.x);
    const std::uint32_t pixel = row + static_cast<std::uint32_t>(x);
    const bool inside = x < width;
    const bool starts = !inside || x == 0 || !Joined(disparity[pixel - 1], disparity[pixel], range);
    // First pixel of the run: the nearest start at or before this pixel, in the warp, the block, or carried
    // over.
    const unsigned start_lanes = __ballot_sync(kFullWarp, starts) & (kFullWarp >> (31U - lane));
    const bool in_warp = start_lanes != 0;
    std::uint32_t first =
        in_warp ? pixel - lane + (31U - static_cast<std::uint32_t>(__clz(static_cast<int>(start_lanes)))) : 0;
    const std::uint32_t warp_last = __shfl_sync(kFullWarp, in_warp ? first : 0xFFFFFFFFU, 31);
    if (lane == 0) warp_starts[warp] = warp_last;
    __syncthreads();
    if (!in_warp) {
      first = carried_start;
      for (std::uint32_t w = 0; w < warp; ++w) first = warp_starts[w] != 0xFFFFFFFFU ? warp_starts[w] : first;
    }
    __syncthreads();
    if (threadIdx.x == kThreads - 1) carried_start = first;
    if (inside) {
      labels[pixel] = first;
      if (starts) sizes[pixel] = 0;
    }
    __syncthreads();
    // The last pixel of a run knows its length.
    if (inside) {
      const bool ends = x + 1 == width || !Joined(disparity[pixel], disparity[pixel + 1], range);
      if (!starts) sizes[pixel] = 0;
      if (ends) sizes[first] = pixel - first + 1;
    }
    __syncthreads();
  }
}

// Joins the islands of a and b: the larger root points to the smaller one.
__device__ void Join(std::uint32_t* labels, std::uint32_t a, std::uint32_t b) {
  while (true) {
    a = RootOf(labels, a);
    b = RootOf(labels, b);
    if (a == b) return;
    if (a < b) {
      const std::uint32_t swap = a;
      a = b;
      b = swap;
    }
    const std::uint32_t before = atomicMin(&labels[a], b);
    if (before == a) return;  // a was still a root
    a = before;               // another thread has moved it: join what it points to as well
  }
}

__global__ void JoinRunsKernel(const float* disparity, int width, int num_pixels, float range,
                               std::uint32_t* labels) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int pixel = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (pixel >= num_pixels || pixel < width) return;
  const int above = pixel - width, x = pixel % width;
  if (!Joined(disparity[above], disparity[pixel], range)) return;
  // Once for each pair of touching runs is enough.
  const bool repeated = x > 0 && Joined(disparity[above - 1], disparity[pixel - 1], range) &&
                        Joined(disparity[above - 1], disparity[above], range) &&
                        Joined(disparity[pixel - 1], disparity[pixel], range);
  if (!repeated) Join(labels, static_cast<std::uint32_t>(pixel), static_cast<std::uint32_t>(above));
}

// sizes of roots: pixels of the island, or any number >= enough.
__global__ void CountPixelsKernel(int num_pixels, std::uint32_t enough, std::uint32_t* labels,
                                  std::uint32_t* sizes) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const auto pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= static_cast<std::uint32_t>(num_pixels)) return;
  const std::uint32_t root = RootOf(labels, pixel);
  const std::uint32_t length = sizes[pixel];
  if (root == pixel || length == 0) return;  // a root keeps its own length; not the first pixel of a run
  labels[pixel] = root;                      // shortens the way for others; the root stays the same
  if (__ldcg(&sizes[root]) < enough) atomicAdd(&sizes[root], length);
}

__global__ void RemoveSpecklesKernel(int num_pixels, std::uint32_t enough, const std::uint32_t* labels,
                                     const std::uint32_t* sizes, float* disparity, std::uint8_t* validity) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const auto pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= static_cast<std::uint32_t>(num_pixels) || isnan(disparity[pixel])) return;
  if (sizes[RootOf(labels, pixel)] >= enough) return;
  disparity[pixel] = __int_as_float(0x7FC00000);
  validity[pixel] = static_cast<std::uint8_t>(validity[pixel] | kSpeckle);
}

}  // namespace

void RemoveSpeckles(const FilterParameters& parameters, const SpeckleScratch& scratch,
                    const DeviceDisparityMap& map, cudaStream_t stream) {
  if (parameters.speckle_size <= 1) return;
  const int width = map.disparity.width, height = map.disparity.height, num_pixels = width * height;
  const auto blocks = static_cast<unsigned>((num_pixels + kThreads - 1) / kThreads);
  const auto enough = static_cast<std::uint32_t>(parameters.speckle_size);
  const float range = parameters.speckle_range;
  float* const disparity = map.disparity.data;
  std::uint32_t *const labels = scratch.labels.data, *const sizes = scratch.sizes.data;
  LaunchDependent("LabelRunsKernel", LabelRunsKernel, static_cast<unsigned>(height), kThreads, 0, stream,
                  disparity, width, range, labels, sizes);
  LaunchDependent("JoinRunsKernel", JoinRunsKernel, blocks, kThreads, 0, stream, disparity, width, num_pixels,
                  range, labels);
  LaunchDependent("CountPixelsKernel", CountPixelsKernel, blocks, kThreads, 0, stream, num_pixels, enough,
                  labels, sizes);
  LaunchDependent("RemoveSpecklesKernel", RemoveSpecklesKernel, blocks, kThreads, 0, stream, num_pixels,
                  enough, labels, sizes, disparity, map.validity.data);
}

}  // namespace parallax::cuda
