// Launches kernels of filters with the split between first-level cache and shared memory that selection uses. While
// two kernels overlap, a multiprocessor keeps the split of the first one, which may leave room for few blocks.
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
