// Copies from global to shared memory that finish later, in the order of their groups.
#pragma once

#include <cstdint>

namespace parallax::cuda {

// 16 bytes, past the first-level cache; both addresses multiples of 16.
__device__ __forceinline__ void CopyAsync(void* to, const void* from) {
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}
__device__ __forceinline__ void CommitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most kPending groups of copies are on their way, and makes the others visible to the warp.
template <int kPending>
__device__ __forceinline__ void WaitForCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
  __syncwarp();
}

}  // namespace parallax::cuda
