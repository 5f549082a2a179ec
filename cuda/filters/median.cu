// filter, median: one thread a pixel. The window's lowest and highest values are thrown away in pairs while
// the rest of it is read ("forgetful selection"), so that only half a window is ever held in registers.
#include "cuda/filters/median.h"

#include "cuda/device/dependent_launch.cuh"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(32, 8);

__device__ __forceinline__ void Sort(float& a, float& b) {
  const float smaller = fminf(a, b);
  b = fmaxf(a, b);
  a = smaller;
}

template <int kSide>
__global__ void MedianFilterKernel(DeviceImageView<const float> from, DeviceImageView<float> to) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  constexpr int kRadius = kSide / 2, kCount = kSide * kSide;
  constexpr int kHeld = kCount / 2 + 2;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!from.Contains(x, y)) return;
  const float center = from(x, y);
  if (isnan(center)) {
    to(x, y) = center;
    return;
  }
  const auto read = [&](int i) {
    const int u = x + i % kSide - kRadius, v = y + i / kSide - kRadius;
    const float value = from.Contains(u, v) ? from(u, v) : center;
    return isnan(value) ? center : value;
  };
  float held[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) held[i] = read(i);
    // Each round brings the lowest of the first `size` values to the front and the highest to the end,
    // forgets both, and reads one more in their stead.
#pragma unroll
  for (int size = kHeld, next = kHeld; size >= 3; --size, ++next) {
#pragma unroll
    for (int i = 1; i < size; ++i) Sort(held[0], held[i]);
#pragma unroll
    for (int i = 1; i < size - 1; ++i) Sort(held[i], held[size - 1]);
    if (next < kCount) held[0] = read(next);
    if (next >= kCount) {
      // Nothing is left to read: size is 3 and the median stands in the middle.
      held[0] = held[1];
      break;
    }
    // held[size - 1] is forgotten; the new value takes the place of the lowest.
  }
  to(x, y) = held[0];
}

}  // namespace

void MedianFilter(int side, DeviceImageView<const float> from, DeviceImageView<float> to,
                  cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((from.width + 31) / 32),
                  static_cast<unsigned>((from.height + 7) / 8));
  if (side == 3) {
    LaunchDependent("MedianFilterKernel", MedianFilterKernel<3>, grid, kBlock, 0, stream, from, to);
  } else {
    LaunchDependent("MedianFilterKernel", MedianFilterKernel<5>, grid, kBlock, 0, stream, from, to);
  }
}

}  // namespace parallax::cuda
