// Every CUDA call goes through Check, and every kernel launch is followed by CheckLaunch: an error becomes a
// parallax::Error with the call, the place and the remedy.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace parallax::cuda {

// Throws parallax::Error unless status is cudaSuccess. call: the call, e.g. "cudaMemcpyAsync".
void Check(cudaError_t status, const char* call,
           const std::source_location& place = std::source_location::current());

// Called after a kernel launch: clears the launch's error and throws parallax::Error for it.
void CheckLaunch(const char* kernel, const std::source_location& place = std::source_location::current());

}  // namespace parallax::cuda
