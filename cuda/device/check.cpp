#include "cuda/device/check.h"

#include <string>

#include "parallax/error.h"

namespace parallax::cuda {
namespace {

// What the user can do about the errors that happen in practice.
std::string RemedyFor(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "free device memory, or use fewer disparities or smaller images";
    case cudaErrorInsufficientDriver:
      return "update the NVIDIA driver, or use the back end cpu";
    case cudaErrorNoDevice:
      return "no CUDA device is visible: use the back end cpu";
    case cudaErrorInvalidDevice:
      return "choose a device that `parallax info` lists";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build for this device with -DCMAKE_CUDA_ARCHITECTURES=<its compute capability>";
    default:
      return "if it happens again, run the program under compute-sanitizer";
  }
}

}  // namespace

void Check(cudaError_t status, const char* call, const std::source_location& place) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next call does not report it again
  throw Error(std::string(call) + " failed at " + place.file_name() + ":" + std::to_string(place.line()) +
              ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + "); " +
              RemedyFor(status));
}

void CheckLaunch(const char* kernel, const std::source_location& place) {
  Check(cudaGetLastError(), kernel, place);
}

}  // namespace parallax::cuda
