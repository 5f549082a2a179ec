#include "cuda/device/device.h"

#include <cuda_runtime_api.h>

#include "cuda/device/check.h"
#include "cuda/stages.h"
#include "pipeline/error.h"

namespace parallax {

std::vector<CudaDeviceInfo> ListCudaDevices(std::string* why_none) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    if (why_none != nullptr) {
      *why_none = status == cudaErrorInsufficientDriver
                      ? "no NVIDIA driver, or one older than this build's CUDA: install or update it"
                      : std::string("no CUDA device answers (") + cudaGetErrorString(status) + ")";
    }
    return {};
  }
  std::vector<CudaDeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    cuda::Check(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
    CudaDeviceInfo info;
    info.index = i;
    info.name = properties.name;
    info.major = properties.major;
    info.minor = properties.minor;
    info.total_memory_bytes = properties.totalGlobalMem;
    info.num_multiprocessors = properties.multiProcessorCount;
    int before = 0;
    cuda::Check(cudaGetDevice(&before), "cudaGetDevice");
    if (cudaSetDevice(i) != cudaSuccess) {
      cudaGetLastError();
      info.why_not = "the device cannot be opened (another program may hold it alone)";
    } else if (!cuda::HasKernelsForCurrentDevice()) {
      info.why_not = "this build has no code for compute capability " + std::to_string(info.major) + "." +
                     std::to_string(info.minor) + ": configure with -DCMAKE_CUDA_ARCHITECTURES=" +
                     std::to_string(info.major * 10 + info.minor);
    } else {
      info.usable = true;
    }
    cudaSetDevice(before);
    devices.push_back(std::move(info));
  }
  return devices;
}

bool HasCudaDevice() {
  for (const CudaDeviceInfo& device : ListCudaDevices()) {
    if (device.usable) return true;
  }
  return false;
}

void SelectCudaDevice(int device) {
  std::string why_none;
  const std::vector<CudaDeviceInfo> devices = ListCudaDevices(&why_none);
  if (devices.empty()) throw Error(why_none + "; use --backend cpu");
  if (device < 0 || device >= static_cast<int>(devices.size())) {
    throw Error("there is no CUDA device " + std::to_string(device) + ": use --device 0 .. " +
                std::to_string(devices.size() - 1));
  }
  const CudaDeviceInfo& info = devices[static_cast<std::size_t>(device)];
  if (!info.usable) {
    throw Error("CUDA device " + std::to_string(device) + " (" + info.name +
                ") cannot be used: " + info.why_not);
  }
  cuda::Check(cudaSetDevice(device), "cudaSetDevice");
}

}  // namespace parallax
