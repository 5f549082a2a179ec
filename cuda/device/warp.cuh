// Minimum and maximum of a warp's numbers, with the instruction of compute capability 8.0 or without it. All
// lanes take part and get the result.
#pragma once

#include <cstdint>

namespace parallax::cuda {

inline constexpr unsigned kFullWarp = 0xFFFFFFFFU;
inline constexpr int kWarpSize = 32;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ inline int WarpMin(int value) { return __reduce_min_sync(kFullWarp, value); }
__device__ inline int WarpMax(int value) { return __reduce_max_sync(kFullWarp, value); }
__device__ inline std::uint32_t WarpMin(std::uint32_t value) { return __reduce_min_sync(kFullWarp, value); }
__device__ inline std::uint32_t WarpMax(std::uint32_t value) { return __reduce_max_sync(kFullWarp, value); }
#else
template <typename T>
__device__ T WarpMin(T value) {
  for (int i = 16; i > 0; i /= 2) value = min(value, __shfl_xor_sync(kFullWarp, value, i));
  return value;
}
template <typename T>
__device__ T WarpMax(T value) {
  for (int i = 16; i > 0; i /= 2) value = max(value, __shfl_xor_sync(kFullWarp, value, i));
  return value;
}
#endif

}  // namespace parallax::cuda
