// consistency (Hirschmueller 2008, sec. 2.6): one block a row. First every right pixel marks the left pixels
// that it claims, in shared memory; then every left pixel is classified. A left pixel that fails and that
// some right pixel claims is mismatched, otherwise occluded.
#include "cuda/check.h"
#include "cuda/stages.h"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 512;

struct Arguments {
  const std::uint16_t *winner_left, *winner_right;
  int width, min_disparity, num_disparities, max_difference;
  float* disparity;
  std::uint8_t* validity;
};

__global__ void __launch_bounds__(kThreads) CheckConsistencyKernel(Arguments a) {
  extern __shared__ std::uint8_t claimed[];
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  for (int x = static_cast<int>(threadIdx.x); x < a.width; x += kThreads) claimed[x] = 0;
  __syncthreads();
  for (int x_right = static_cast<int>(threadIdx.x); x_right < a.width; x_right += kThreads) {
    const int winner = a.winner_right[row + static_cast<std::size_t>(x_right)];
    if (winner == kNoWinner) continue;
    const int first = max(winner - a.max_difference, 0),
              last = min(winner + a.max_difference, a.num_disparities - 1);
    const int x_zero = x_right + a.min_disparity;  // left pixel that meets it with d = 0
    for (int x = max(x_zero + first, 0); x <= min(x_zero + last, a.width - 1); ++x) claimed[x] = 1;
  }
  __syncthreads();
  for (int x = static_cast<int>(threadIdx.x); x < a.width; x += kThreads) {
    const std::size_t pixel = row + static_cast<std::size_t>(x);
    const int winner = a.winner_left[pixel], x_right = x - a.min_disparity - winner;
    std::uint8_t fault = kValid;
    if (x_right < 0 || x_right >= a.width) {
      fault = kOutOfRange;
    } else {
      const int other = a.winner_right[row + static_cast<std::size_t>(x_right)];
      const bool agrees = other != kNoWinner && abs(other - winner) <= a.max_difference;
      if (!agrees) fault = claimed[x] != 0 ? kMismatched : kOccluded;
    }
    if (fault == kValid) continue;
    a.validity[pixel] = static_cast<std::uint8_t>(a.validity[pixel] | fault);
    a.disparity[pixel] = __int_as_float(0x7FC00000);
  }
}

}  // namespace

void CheckConsistency(DeviceImageView<const std::uint16_t> winner_left,
                      DeviceImageView<const std::uint16_t> winner_right, int min_disparity,
                      int num_disparities, const ConsistencyParameters& parameters,
                      const DeviceDisparityMap& map, cudaStream_t stream) {
  if (parameters.max_difference < 0) return;
  const Arguments a{winner_left.data, winner_right.data,         winner_left.width,  min_disparity,
                    num_disparities,  parameters.max_difference, map.disparity.data, map.validity.data};
  const auto shared_bytes = static_cast<std::size_t>(winner_left.width);
  if (shared_bytes > 48 * 1024) {
    Check(cudaFuncSetAttribute(CheckConsistencyKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "cudaFuncSetAttribute");
  }
  CheckConsistencyKernel<<<static_cast<unsigned>(winner_left.height), kThreads, shared_bytes, stream>>>(a);
  CheckLaunch("CheckConsistencyKernel");
}

}  // namespace parallax::cuda
