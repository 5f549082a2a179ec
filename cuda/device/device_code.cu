#include "cuda/device/device_code.h"

#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

// Never launched: it is compiled as all kernels are, and its attributes tell what the device takes of them.
__global__ void SampleKernel() {}

}  // namespace

bool HasKernelsForCurrentDevice() {
  cudaFuncAttributes attributes{};
  const bool found = cudaFuncGetAttributes(&attributes, SampleKernel) == cudaSuccess;
  cudaGetLastError();
  return found;
}

bool HasDependentLaunch() {
  cudaFuncAttributes attributes{};
  Check(cudaFuncGetAttributes(&attributes, SampleKernel), "cudaFuncGetAttributes");
  return attributes.ptxVersion >= 90;
}

int MostSharedBytes() {
  int device = 0, bytes = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
  return bytes;
}

}  // namespace parallax::cuda
