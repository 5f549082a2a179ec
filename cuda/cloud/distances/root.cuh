// Four square roots at a time.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace parallax::cuda {

// Correctly rounded for 2^-101 <= x < infinity, where the residual cannot underflow: one Newton step from the
// hardware's estimate with fused multiply-adds (Markstein 1990).
__device__ inline float RootInRange(float x) {
  float estimate;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
  const float root = __fmul_rn(x, estimate), half = __fmul_rn(0.5f, estimate);
  return __fmaf_rn(__fmaf_rn(-root, root, x), half, root);
}

// At most 0x727FFFFF for values in that range; above it for all others, including 0 and NaN.
__device__ inline std::uint32_t RootRange(float x) { return __float_as_uint(x) - 0x0D000000u; }

__device__ inline float4 Roots(float4 x) {
  const std::uint32_t range = max(max(RootRange(x.x), RootRange(x.y)), max(RootRange(x.z), RootRange(x.w)));
  if (range > 0x727FFFFFu)
    return make_float4(__fsqrt_rn(x.x), __fsqrt_rn(x.y), __fsqrt_rn(x.z), __fsqrt_rn(x.w));
  return make_float4(RootInRange(x.x), RootInRange(x.y), RootInRange(x.z), RootInRange(x.w));
}

}  // namespace parallax::cuda
