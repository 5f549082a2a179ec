// What is made of a block of the distance matrix where it stands, in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace parallax::cuda {

struct DeviceDistanceBlock {
  const float* distances = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
};

// The k smallest of every row, by distance, then column; rows of k. What is not a number does not count; rows
// with fewer are filled with -1 and +inf. k: 1 .. 64.
void LaunchSmallestOfRows(const DeviceDistanceBlock& block, int k, std::int32_t* indices, float* distances,
                          cudaStream_t stream);

// Adds to counts[num_bins + 2]: the bins, then what lies beyond, then what is not a number.
void LaunchHistogram(const DeviceDistanceBlock& block, float largest, int num_bins,
                     unsigned long long* counts, cudaStream_t stream);

}  // namespace parallax::cuda
