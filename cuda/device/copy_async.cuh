// Asynchronous copies from global to shared memory, completed in groups.
#pragma once

#include <cstdint>

namespace parallax::cuda {

// The 32-bit address in shared memory. The compiler would otherwise compute it again for each use.
__device__ __forceinline__ std::uint32_t SharedAddress(const void* of) {
  std::uint32_t address;
  asm volatile("mov.u32 %0, %1;"
               : "=r"(address)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(of))));
  return address;
}
// If `wanted`, copies 16 bytes, bypassing the first-level cache; both addresses are multiples of 16.
// count: 16, or 0 to read nothing and write zeros. Before compute capability 8.0 the copy is done when this
// returns.
__device__ __forceinline__ void CopyAsyncIf(bool wanted, std::uint32_t to, const void* from, int count) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred wanted;\n"
      "setp.ne.u32 wanted, %0, 0;\n"
      "@wanted cp.async.cg.shared.global [%1], [%2], 16, %3; }" ::"r"(static_cast<std::uint32_t>(wanted)),
      "r"(to), "l"(from), "r"(count)
      : "memory");
#else
  if (!wanted) return;
  uint4 value = make_uint4(0, 0, 0, 0);
  if (count > 0) value = *static_cast<const uint4*>(from);
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
#endif
}
// If `wanted`, copies a word.
__device__ __forceinline__ void CopyWordAsyncIf(bool wanted, std::uint32_t to, const std::uint32_t* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred wanted;\n"
      "setp.ne.u32 wanted, %0, 0;\n"
      "@wanted cp.async.ca.shared.global [%1], [%2], 4; }" ::"r"(static_cast<std::uint32_t>(wanted)),
      "r"(to), "l"(from)
      : "memory");
#else
  if (wanted) asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(*from) : "memory");
#endif
}
// Loads kBytes (2, 4, 8 or a multiple of 16).
template <int kBytes>
__device__ __forceinline__ void LoadShared(std::uint32_t from, std::uint32_t* to) {
  if constexpr (kBytes == 2) {
    std::uint16_t value;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(from));
    to[0] = value;
  } else if constexpr (kBytes == 4) {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(from));
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(from));
  } else {
#pragma unroll
    for (int i = 0; i < kBytes / 4; i += 4) {
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(to[i]), "=r"(to[i + 1]), "=r"(to[i + 2]), "=r"(to[i + 3])
                   : "r"(from + 4 * i));
    }
  }
}
__device__ __forceinline__ void CommitCopies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until at most kPending groups of copies are in flight, and makes the others visible to the warp.
template <int kPending>
__device__ __forceinline__ void WaitForCopies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
  __syncwarp();
}

}  // namespace parallax::cuda
