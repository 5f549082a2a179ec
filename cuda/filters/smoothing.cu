// refinement, smoothing: one thread a pixel; a pass is a kernel along rows and one along columns.
#include "cuda/filters/smoothing.h"

#include "cuda/device/dependent_launch.cuh"
#include "pipeline/refinement_math.h"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(32, 8);

// Values of a line of `count` pixels, `step` elements apart, and what lies outside it.
struct Line {
  const float* first;
  std::ptrdiff_t step;
  int count;

  __device__ float Inside(int i) const {
    if (i < 0 || i >= count) return kNoValue;
    const float value = first[i * step];
    return isnan(value) ? kNoValue : value;
  }
  __device__ float At(int i) const {
    if (i < 0) return MirroredInPoint(Inside(0), Inside(-i));
    const int last = count - 1;
    if (i > last) return MirroredInPoint(Inside(last), Inside(last - (i - last)));
    return Inside(i);
  }
};

template <int kTap>
__device__ SmoothingSums AddTap(SmoothingSums sums, const Line& line, int i, float center, float reach) {
  constexpr int kOffset = kSmoothingOffsets_px[kTap];
  constexpr float kWeight = kSmoothingWeights[kTap];
  return AddNeighbors(sums, center, line.At(i - kOffset), line.At(i + kOffset), kWeight, reach);
}

template <bool kAlongRows>
__global__ void SmoothKernel(DeviceImageView<const float> from, DeviceImageView<float> to, float reach) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!from.Contains(x, y)) return;
  const float center = from(x, y);
  if (isnan(center)) {
    to(x, y) = center;
    return;
  }
  const std::ptrdiff_t row_step = from.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(float));
  const Line line =
      kAlongRows ? Line{from.Row(y), 1, from.width} : Line{from.data + x, row_step, from.height};
  const int i = kAlongRows ? x : y;
  static_assert(kSmoothingTaps == 4);
  SmoothingSums sums{reach * reach, 0.0F};
  sums = AddTap<0>(sums, line, i, center, reach);
  sums = AddTap<1>(sums, line, i, center, reach);
  sums = AddTap<2>(sums, line, i, center, reach);
  sums = AddTap<3>(sums, line, i, center, reach);
  to(x, y) = center + sums.differences / sums.weights;
}

}  // namespace

void Smooth(const RefinementParameters& parameters, DeviceImageView<float> disparity,
            DeviceImageView<float> between, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((disparity.width + 31) / 32),
                  static_cast<unsigned>((disparity.height + 7) / 8));
  for (int pass = 0; pass < parameters.smoothing_passes; ++pass) {
    const float range = SmoothingRange(parameters.smoothing_range, pass), reach = 4.0F * (range * range);
    LaunchDependent("SmoothKernel", SmoothKernel<true>, grid, kBlock, 0, stream, AsConst(disparity), between,
                    reach);
    LaunchDependent("SmoothKernel", SmoothKernel<false>, grid, kBlock, 0, stream, AsConst(between), disparity,
                    reach);
  }
}

}  // namespace parallax::cuda
