// Kernels that begin while the previous one on the stream still works ("programmatic dependent launch",
// compute capability 9.0 or newer). Their blocks start as soon as all blocks of the previous kernel have
// called LetNextKernelBegin or ended. On older devices the two device functions do nothing and kernels run
// one after the other.
//
// Each thread of such a kernel calls WaitForKernelBefore before it touches what earlier kernels write or
// read, unless it says why it need not. A kernel that waits nowhere calls EndAfterKernelBefore as its last step.
// So no kernel ends before the previous ones, and later work need only wait for the last one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <source_location>
#include <type_traits>

#include "cuda/device/check.h"
#include "cuda/device/device_code.h"

namespace parallax::cuda {

__device__ __forceinline__ void WaitForKernelBefore() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ __forceinline__ void LetNextKernelBegin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Only the last block waits for the end of the previous kernel, which is enough. If all blocks waited, all would
// have to end after it, and this kernel would end 2 us later.
__device__ __forceinline__ void EndAfterKernelBefore() {
  if (blockIdx.x + 1 == gridDim.x && blockIdx.y + 1 == gridDim.y && blockIdx.z + 1 == gridDim.z)
    WaitForKernelBefore();
}

// A kernel's name, for errors, with the place of its launch.
struct KernelName {
  const char* text;
  std::source_location place;
  KernelName(const char* name, const std::source_location& here = std::source_location::current())
      : text(name), place(here) {}
};

// Launches a kernel that may begin early, after any work on the stream.
template <typename... Parameters>
void LaunchDependent(const KernelName& name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                     std::size_t shared_bytes, cudaStream_t stream,
                     const std::type_identity_t<Parameters>&... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = HasDependentLaunch() ? 1 : 0;
  Check(cudaLaunchKernelEx(&config, kernel, arguments...), name.text, name.place);
}

// Called for kernels that run at the same time. A multiprocessor changes the split between first-level cache
// and shared memory only when it is empty, so all of them request the same split.
template <typename... Parameters>
void ShareMultiprocessors(void (*kernel)(Parameters...)) {
  constexpr int kSharedPercent = 45;  // the best of 30 to 100 on an H200
  if (!HasDependentLaunch()) return;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, kSharedPercent),
        "cudaFuncSetAttribute");
}

}  // namespace parallax::cuda
