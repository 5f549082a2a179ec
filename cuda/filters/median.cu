// filter, median: the lowest and highest values are thrown away in pairs while the rest of the window is read
// ("forgetful selection"), so that little more than half of it is ever held in registers. Of 5 x 5, a thread takes two
// pixels, one above the other, which share 20 values: of these only the middle six can be a median.
#include "cuda/filters/median.h"

#include "cuda/filters/launch_filter.cuh"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(32, 8);

__device__ __forceinline__ void Sort(float& a, float& b) {
  const float smaller = fminf(a, b);
  b = fmaxf(a, b);
  a = smaller;
}

// The kLeft middle ones of kCount values, in any order: an even number is thrown away.
template <int kCount, int kLeft, typename Read>
__device__ __forceinline__ void KeepMiddle(const Read& read, float (&middle)[kLeft]) {
  constexpr int kHeld = (kCount + kLeft) / 2 + 1;
  float held[kHeld];
#pragma unroll
  for (int i = 0; i < kHeld; ++i) held[i] = read(i);
    // Each round brings the lowest of the first `size` values to the front and the highest to the end, forgets both,
    // and reads one more in their stead.
#pragma unroll
  for (int size = kHeld, next = kHeld; size >= kLeft + 2; --size, ++next) {
    const int last = size - 1, half = (size + 1) / 2;
#pragma unroll
    for (int i = 0; i < size / 2; ++i) Sort(held[i], held[last - i]);
#pragma unroll
    for (int i = 1; i < half; ++i) Sort(held[0], held[i]);
#pragma unroll
    for (int i = 1; i < half; ++i) Sort(held[last - i], held[last]);
    if (next < kCount) held[0] = read(next);
  }
#pragma unroll
  for (int i = 0; i < kLeft; ++i) middle[i] = held[i + 1];
}

template <int kSide>
__device__ __forceinline__ float MedianAround(DeviceImageView<const float> from, int x, int y) {
  constexpr int kRadius = kSide / 2;
  const float center = from(x, y);
  if (isnan(center)) return center;
  float median[1];
  KeepMiddle<kSide * kSide>(
      [&](int i) {
        const int u = x + i % kSide - kRadius, v = y + i / kSide - kRadius;
        const float value = from.Contains(u, v) ? from(u, v) : center;
        return isnan(value) ? center : value;
      },
      median);
  return median[0];
}

template <int kSide>
constexpr int kRowsOfThread = kSide == 5 ? 2 : 1;

template <int kSide>
__global__ void MedianFilterKernel(DeviceImageView<const float> from, DeviceImageView<float> to) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  constexpr int kRows = kRowsOfThread<kSide>;
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = kRows * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if constexpr (kRows == 2) {
    constexpr int kRadius = kSide / 2, kCommon = (kSide - 1) * kSide, kAll = (kSide + 1) * kSide;
    bool all_known = from.Contains(x - kRadius, y - kRadius) && from.Contains(x + kRadius, y + kRadius + 1);
    float values[kAll];
    if (all_known) {
#pragma unroll
      for (int i = 0; i < kAll; ++i) values[i] = from(x + i % kSide - kRadius, y + i / kSide - kRadius);
#pragma unroll
      for (int i = 0; i < kAll; i += 2) all_known = all_known && !isnan(values[i] + values[i + 1]);
    }
    if (all_known) {
      float common[kSide + 1];
      KeepMiddle<kCommon>([&](int i) { return values[kSide + i]; }, common);
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        float median[1];
        KeepMiddle<2 * kSide + 1>(
            [&](int i) { return i <= kSide ? common[i] : values[row * (kAll - kSide) + i - kSide - 1]; },
            median);
        to(x, y + row) = median[0];
      }
      return;
    }
  }
#pragma unroll 1
  for (int row = 0; row < kRows; ++row) {
    if (from.Contains(x, y + row)) to(x, y + row) = MedianAround<kSide>(from, x, y + row);
  }
}

}  // namespace

void MedianFilter(int side, DeviceImageView<const float> from, DeviceImageView<float> to,
                  cudaStream_t stream) {
  const auto launch = [&](auto kernel, unsigned rows) {
    const dim3 grid((static_cast<unsigned>(from.width) + kBlock.x - 1) / kBlock.x,
                    (static_cast<unsigned>(from.height) + kBlock.y * rows - 1) / (kBlock.y * rows));
    LaunchFilter("MedianFilterKernel", kernel, grid, kBlock, 0, stream, from, to);
  };
  side == 3 ? launch(MedianFilterKernel<3>, kRowsOfThread<3>)
            : launch(MedianFilterKernel<5>, kRowsOfThread<5>);
}

}  // namespace parallax::cuda
