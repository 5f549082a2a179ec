// Consumers of the distance matrix on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "pipeline/cloud/distances/distances.h"

namespace parallax::cuda {

struct DeviceDistanceBlock {
  const float* distances = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
};

// Finds the k smallest distances of every row, by distance, then column; rows of k. NaN does not count; rows
// with fewer are filled with -1 and +inf. k: 1 .. 64.
void LaunchSmallestOfRows(const DeviceDistanceBlock& block, int k, std::int32_t* indices, float* distances,
                          cudaStream_t stream);

// Does the same for all rows of a and b in device memory, with 1 to kFewDimensions dimensions. It sums
// squared differences and stores no block of distances. This is faster if a has kRowsForNearest rows or more.
void LaunchNearestOfFewDimensions(const MatrixView& a, const MatrixView& b, int k, std::int32_t* indices,
                                  float* distances, cudaStream_t stream);
inline constexpr int kFewDimensions = 4;
inline constexpr std::int64_t kRowsForNearest = 16384;

// Adds to counts[num_bins + 2]: the bins, then larger distances, then NaN.
void LaunchHistogram(const DeviceDistanceBlock& block, float largest, int num_bins,
                     unsigned long long* counts, cudaStream_t stream);

}  // namespace parallax::cuda
