#include "cuda/cloud/device_memory.h"

#include <cuda_runtime_api.h>

#include "cuda/device/check.h"
#include "parallax/error.h"

namespace parallax::cuda {

void RequireMemory(const std::string& what, std::size_t needed_bytes, std::size_t held_bytes,
                   const std::string& remedy) {
  std::size_t free_bytes = 0, total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  const std::size_t available = free_bytes + held_bytes;
  if (needed_bytes <= available) return;
  throw Error(what + " needs " + std::to_string((needed_bytes + 999'999) / 1'000'000) +
              " MB of device memory, " + std::to_string(available / 1'000'000) + " MB are free: " + remedy);
}

}  // namespace parallax::cuda
