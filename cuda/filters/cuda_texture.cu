// Every thread compares a few pixels with the image's first one and leaves as soon as anyone has found
// another: of images that are not constant, which is nearly all, hardly more than a line is read.
#include "cuda/filters/cuda_texture.h"

#include <algorithm>
#include <variant>

#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kMostBlocks = 256;

__device__ bool Differ(std::uint8_t a, std::uint8_t b) { return a != b; }
__device__ bool Differ(std::uint16_t a, std::uint16_t b) { return a != b; }
__device__ bool Differ(Rgb8 a, Rgb8 b) { return a.r != b.r || a.g != b.g || a.b != b.b; }

template <typename Pixel>
__global__ void FindTextureKernel(const Pixel* left, const Pixel* right, std::uint32_t num_pixels,
                                  std::uint32_t* has_texture) {
  const Pixel* const image = blockIdx.y == 0 ? left : right;
  volatile std::uint32_t* const found = has_texture + blockIdx.y;
  const Pixel first = image[0];
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < num_pixels; i += gridDim.x * kThreads) {
    if (*found != 0) return;
    if (Differ(image[i], first)) *found = 1;  // all threads that write write the same
  }
}

__global__ void ClearConfidenceOfConstantImagesKernel(const std::uint32_t* has_texture,
                                                      std::uint8_t* confidence, std::uint32_t num_pixels) {
  if (has_texture[0] != 0 && has_texture[1] != 0) return;
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < num_pixels; i += gridDim.x * kThreads)
    confidence[i] = 0;
}

unsigned BlocksFor(std::uint32_t num_pixels) {
  return std::min(kMostBlocks, (num_pixels + kThreads - 1) / kThreads);
}

}  // namespace

void FindTexture(const DeviceCameraImage& left, const DeviceCameraImage& right, std::uint32_t* has_texture,
                 cudaStream_t stream) {
  Check(cudaMemsetAsync(has_texture, 0, 2 * sizeof(*has_texture), stream), "cudaMemsetAsync");
  std::visit(
      [&]<typename T>(const DeviceImageView<const T>& image) {
        const auto num_pixels =
            static_cast<std::uint32_t>(image.width) * static_cast<std::uint32_t>(image.height);
        FindTextureKernel<T><<<dim3(BlocksFor(num_pixels), 2), kThreads, 0, stream>>>(
            image.data, std::get<DeviceImageView<const T>>(right).data, num_pixels, has_texture);
        CheckLaunch("FindTextureKernel");
      },
      left);
}

void ClearConfidenceOfConstantImages(const std::uint32_t* has_texture,
                                     DeviceImageView<std::uint8_t> confidence, cudaStream_t stream) {
  const auto num_pixels =
      static_cast<std::uint32_t>(confidence.width) * static_cast<std::uint32_t>(confidence.height);
  ClearConfidenceOfConstantImagesKernel<<<BlocksFor(num_pixels), kThreads, 0, stream>>>(
      has_texture, confidence.data, num_pixels);
  CheckLaunch("ClearConfidenceOfConstantImagesKernel");
}

}  // namespace parallax::cuda
