#include "cuda/device/device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <charconv>

#include "cuda/device/check.h"
#include "cuda/device/device_code.h"
#include "pipeline/error.h"

namespace parallax {
namespace {

std::string CapabilityText(int number) {  // 86: "8.6"
  return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

std::string WhyNoCode(int major, int minor) {
  constexpr int kOldest = 75;
  const int number = 10 * major + minor;
  if (number < kOldest) {
    return "compute capability " + CapabilityText(number) + " is too old: " + CapabilityText(kOldest) +
           " or newer is needed";
  }
  return "this build has code for " + DescribeBuiltArchitectures() +
         ": build on this machine, or with -D CMAKE_CUDA_ARCHITECTURES=" + std::to_string(number) +
         "; where that is in it, update the NVIDIA driver";
}

}  // namespace

std::string DescribeArchitectures(std::string_view architectures) {
  std::string text, newer;
  while (!architectures.empty()) {
    const std::size_t end = std::min(architectures.find(' '), architectures.size());
    const std::string_view name = architectures.substr(0, end);
    architectures.remove_prefix(std::min(end + 1, architectures.size()));
    const std::size_t dash = std::min(name.find('-'), name.size());
    int number = 0;
    std::from_chars(name.data(), name.data() + dash, number);
    const std::string_view kind = name.substr(dash);
    if (number == 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
      continue;
    }
    // Machine code runs on the same generation's newer cards too, PTX on all newer ones.
    if (kind != "-virtual") text += (text.empty() ? "" : ", ") + CapabilityText(number);
    if (kind != "-real") newer = CapabilityText(number);
  }
  if (!newer.empty() && text.empty()) return "compute capability " + newer + " and newer";
  return "compute capability " + text + (newer.empty() ? "" : " and newer");
}

std::string DescribeBuiltArchitectures() { return DescribeArchitectures(PARALLAX_CUDA_ARCHITECTURE_NAMES); }

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
      info.why_not = WhyNoCode(info.major, info.minor);
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
