// consistency on its own, one block per row, for callers that want the selected disparities too; a frame does
// it at the end of the selection kernel.
#include "cuda/filters/cuda_consistency.cuh"

#include "cuda/device/check.h"
#include "cuda/filters/launch_filter.cuh"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 512;

struct Arguments {
  const std::uint16_t *winner_left, *winner_right;
  int width, min_disparity, num_disparities, max_difference;
  float *disparity, *selected;  // selected: null, or where disparities are copied to before they are checked
  std::uint8_t* validity;
};

__global__ void __launch_bounds__(kThreads) CheckConsistencyKernel(const Arguments a) {
  extern __shared__ std::uint8_t claimed[];
  WaitForKernelBefore();
  LetNextKernelBegin();
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  const std::uint16_t *const left = a.winner_left + row, *const right = a.winner_right + row;
  const int thread = static_cast<int>(threadIdx.x);
  float* const disparity = a.disparity + row;
  for (int x = thread; x < a.width; x += kThreads) {
    claimed[x] = 0;
    if (a.selected != nullptr) a.selected[row + static_cast<std::size_t>(x)] = disparity[x];
  }
  if (a.max_difference < 0) return;
  __syncthreads();
  std::uint8_t* const validity = a.validity + row;
  CheckRow(
      {a.width, a.min_disparity, a.num_disparities, a.max_difference, claimed}, thread, kThreads,
      [&](int x) -> int { return left[x]; }, [&](int x) -> int { return right[x]; },
      [&](int x, std::uint8_t fault) {
        if (fault == kValid) return;
        validity[x] = static_cast<std::uint8_t>(validity[x] | fault);
        disparity[x] = __int_as_float(0x7FC00000);
      });
}

}  // namespace

void CheckConsistency(const WinnerImages& winners, const DisparityRange& range,
                      const ConsistencyParameters& parameters, const DeviceDisparityMap& map, float* selected,
                      cudaStream_t stream) {
  if (parameters.max_difference < 0 && selected == nullptr) return;
  const Arguments a{winners.left.data,     winners.right.data,        winners.left.width, range.min_disparity,
                    range.num_disparities, parameters.max_difference, map.disparity.data, selected,
                    map.validity.data};
  const auto shared_bytes = static_cast<std::size_t>(a.width);
  if (shared_bytes > 48 * 1024) {
    Check(cudaFuncSetAttribute(CheckConsistencyKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "cudaFuncSetAttribute");
  }
  LaunchFilter("CheckConsistencyKernel", CheckConsistencyKernel, static_cast<unsigned>(winners.left.height),
               kThreads, shared_bytes, stream, a);
}

}  // namespace parallax::cuda
