// cuda/cloud/distances/root.cuh: equal to the device's correctly rounded root wherever it is taken.
#include "cuda/cloud/distances/root.cuh"

#include <gtest/gtest.h>

#include "cuda/device/device_buffer.h"
#include "cuda/device/stream.h"
#include "tests/cuda/require_device.h"

namespace parallax {
namespace {

// All mantissas of the exponents [first, first + gridDim.y), each float in each of the four places.
__global__ void CountDifferences(std::uint32_t first, unsigned long long* differences) {
  const std::uint32_t mantissa = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = __uint_as_float((first + blockIdx.y) << 23 | mantissa);
  const float4 roots = cuda::Roots(make_float4(x, 4.0f, x, x));
  const std::uint32_t expected = __float_as_uint(__fsqrt_rn(x));
  const auto differs = [&](float root) {
    return __float_as_uint(root) != expected && !(isnan(root) && isnan(x));
  };
  if (differs(roots.x) || differs(roots.z) || differs(roots.w) || roots.y != 2.0f)
    atomicAdd(differences, 1ull);
}

class RootTest : public test::CudaTest {};

TEST_F(RootTest, IsCorrectlyRounded) {
  cuda::Stream stream;
  cuda::DeviceBuffer<unsigned long long> differences(1);
  unsigned long long count = 0;
  cuda::CopyNow(differences.data(), &count, 1, stream.get());
  // Exponents 0 .. 255 with positive sign: zero, denormal numbers, infinity and NaN among them.
  CountDifferences<<<dim3((1u << 23) / 256, 256), 256, 0, stream.get()>>>(0, differences.data());
  cuda::CheckLaunch("CountDifferences");
  cuda::CopyNow(&count, differences.data(), 1, stream.get());
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace parallax
