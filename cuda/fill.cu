// filter, hole filling: one thread a pixel without a value looks along eight directions in the map as it was
// when the pass began; two passes.
#include "cuda/check.h"
#include "cuda/stages.h"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(32, 4);
constexpr int kDirections = 8;

struct Step {
  int dx, dy;
};
__constant__ constexpr Step kSteps[kDirections] = {{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                                   {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

__global__ void FillHolesKernel(DeviceImageView<const float> before, DeviceImageView<float> disparity,
                                DeviceImageView<std::uint8_t> validity) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!before.Contains(x, y)) return;
  const float own = before(x, y);
  if (!isnan(own)) {
    disparity(x, y) = own;
    return;
  }
  // Values found, ascending, +inf where there is none. Insertion into registers.
  float values[kDirections];
  int count = 0;
#pragma unroll
  for (int i = 0; i < kDirections; ++i) {
    int u = x + kSteps[i].dx, v = y + kSteps[i].dy;
    float value = __int_as_float(0x7F800000);
    while (before.Contains(u, v)) {
      const float there = before(u, v);
      if (!isnan(there)) {
        value = there;
        ++count;
        break;
      }
      u += kSteps[i].dx;
      v += kSteps[i].dy;
    }
#pragma unroll
    for (int k = 0; k < i; ++k) {
      const float smaller = fminf(values[k], value);
      value = fmaxf(values[k], value);
      values[k] = smaller;
    }
    values[i] = value;
  }
  if (count == 0) {
    disparity(x, y) = own;
    return;
  }
  const bool hidden = (validity(x, y) & (kOccluded | kOutOfRange)) != 0;
  const int rank = hidden ? min(1, count - 1) : (count - 1) / 2;
  float value = values[0];
#pragma unroll
  for (int k = 1; k < kDirections; ++k) value = k == rank ? values[k] : value;
  disparity(x, y) = value;
  validity(x, y) = static_cast<std::uint8_t>(validity(x, y) | kFilled);
}

}  // namespace

void FillHoles(DeviceImageView<float> before, const DeviceDisparityMap& map, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((before.width + 31) / 32),
                  static_cast<unsigned>((before.height + 3) / 4));
  for (int pass = 0; pass < 2; ++pass) {
    Check(cudaMemcpyAsync(before.data, map.disparity.data,
                          static_cast<std::size_t>(before.width) * static_cast<std::size_t>(before.height) *
                              sizeof(float),
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    FillHolesKernel<<<grid, kBlock, 0, stream>>>(AsConst(before), map.disparity, map.validity);
    CheckLaunch("FillHolesKernel");
  }
}

}  // namespace parallax::cuda
