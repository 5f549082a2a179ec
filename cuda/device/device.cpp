#include "cuda/device/device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <charconv>

#include "cuda/device/check.h"
#include "cuda/device/device_code.h"
#include "parallax/error.h"

namespace parallax {
namespace {

std::string CapabilityText(int number) {  // 86: "8.6"
  return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

// visit(name, number, kind), as in "80-real": 80 and "-real"; number 0: a name without a number, as "native".
template <typename Visit>
void ForEachArchitecture(std::string_view architectures, const Visit& visit) {
  while (!architectures.empty()) {
    const std::size_t end = std::min(architectures.find(' '), architectures.size());
    const std::string_view name = architectures.substr(0, end);
    architectures.remove_prefix(std::min(end + 1, architectures.size()));
    const std::size_t dash = std::min(name.find('-'), name.size());
    int number = 0;
    const std::from_chars_result parsed = std::from_chars(name.data(), name.data() + dash, number);
    const bool is_whole = parsed.ptr == name.data() + dash;  // else of one card alone: "90a"
    visit(name, is_whole ? number : 0, name.substr(dash));
  }
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
         "; if the list includes it, update the NVIDIA driver";
}

// why_none: says why there is none.
int CountDevices(std::string* why_none) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  if (why_none != nullptr) {
    *why_none = status == cudaErrorInsufficientDriver
                    ? "no NVIDIA driver, or one older than this build's CUDA: install or update it"
                    : std::string("no CUDA device answers (") + cudaGetErrorString(status) + ")";
  }
  return 0;
}

// The device's properties. Reading them opens the device, which stays open.
CudaDeviceInfo Describe(int device) {
  cudaDeviceProp properties{};
  cuda::Check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  CudaDeviceInfo info;
  info.index = device;
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.total_memory_bytes = properties.totalGlobalMem;
  info.num_multiprocessors = properties.multiProcessorCount;
  int before = 0;
  cuda::Check(cudaGetDevice(&before), "cudaGetDevice");
  if (cudaSetDevice(device) != cudaSuccess) {
    cudaGetLastError();
    info.why_not = "the device cannot be opened (another program may use it exclusively)";
  } else if (!cuda::HasKernelsForCurrentDevice()) {
    info.why_not = WhyNoCode(info.major, info.minor);
  } else {
    info.usable = true;
  }
  cudaSetDevice(before);
  return info;
}

}  // namespace

std::string DescribeArchitectures(std::string_view architectures) {
  std::string text, newer;
  ForEachArchitecture(architectures, [&](std::string_view name, int number, std::string_view kind) {
    if (number == 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
      return;
    }
    // Machine code runs on the same generation's newer cards too, PTX on all newer ones.
    if (kind != "-virtual") text += (text.empty() ? "" : ", ") + CapabilityText(number);
    if (kind != "-real") newer = CapabilityText(number);
  });
  if (!newer.empty() && text.empty()) return "compute capability " + newer + " and newer";
  return "compute capability " + text + (newer.empty() ? "" : " and newer");
}

bool HasMachineCode(std::string_view architectures, int major, int minor) {
  const auto is_jetson = [](int number) {
    return number == 72 || number == 87 || number == 101 || number == 110;
  };
  const int card = 10 * major + minor;
  bool has_code = false;
  ForEachArchitecture(architectures, [&](std::string_view, int number, std::string_view kind) {
    const bool runs = number / 10 == major && number <= card && !is_jetson(number) && !is_jetson(card);
    has_code = has_code || (kind != "-virtual" && (number == card || runs));
  });
  return has_code;
}

std::string DescribeBuiltArchitectures() { return DescribeArchitectures(PARALLAX_CUDA_ARCHITECTURE_NAMES); }

std::vector<CudaDeviceInfo> ListCudaDevices(std::string* why_none) {
  const int count = CountDevices(why_none);
  std::vector<CudaDeviceInfo> devices;
  for (int i = 0; i < count; ++i) devices.push_back(Describe(i));
  return devices;
}

int NumCudaDevices() { return CountDevices(nullptr); }

bool HasCudaDevice() {
  const int count = NumCudaDevices();
  for (int i = 0; i < count; ++i) {
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, i) == cudaSuccess &&
        HasMachineCode(PARALLAX_CUDA_ARCHITECTURE_NAMES, major, minor)) {
      return true;
    }
    cudaGetLastError();
    if (Describe(i).usable) return true;
  }
  return false;
}

void RequireCudaDevice(int device) {
  std::string why_none;
  const int count = CountDevices(&why_none);
  if (count == 0) throw Error(why_none + "; use the back end cpu");
  if (device < 0 || device >= count) {
    throw Error("there is no CUDA device " + std::to_string(device) + ": use device 0" +
                (count > 1 ? " .. " + std::to_string(count - 1) : ""));
  }
}

void SelectCudaDevice(int device) {
  RequireCudaDevice(device);
  const CudaDeviceInfo info =
      Describe(device);  // not of the others: opening a device takes long, and memory there
  if (!info.usable) {
    throw Error("CUDA device " + std::to_string(device) + " (" + info.name +
                ") cannot be used: " + info.why_not);
  }
  cuda::Check(cudaSetDevice(device), "cudaSetDevice");
}

}  // namespace parallax
