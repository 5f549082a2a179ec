// Kernels of filters request the split between first-level cache and shared memory that selection has. A
// multiprocessor would keep the split of the kernel before, with room for few blocks, while both kernels run.
#pragma once

#include "cuda/device/dependent_launch.cuh"

namespace parallax::cuda {

template <typename... Parameters>
void LaunchFilter(const KernelName& name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                  std::size_t shared_bytes, cudaStream_t stream,
                  const std::type_identity_t<Parameters>&... arguments) {
  ShareMultiprocessors(kernel);
  LaunchDependent(name, kernel, grid, block, shared_bytes, stream, arguments...);
}

}  // namespace parallax::cuda
