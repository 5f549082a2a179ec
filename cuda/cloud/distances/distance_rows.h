// Rows of the distance matrix of two sets on the device (parallax/cloud_measures.h), on the
// caller's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/device_buffer.h"
#include "pipeline/cloud/distances/distances.h"

namespace parallax::cuda {

// Blocks of a multiple of this many rows leave no tile partly empty.
inline constexpr int kBlockOfRows = 128;

// The most dimensions for which kAuto takes differences; beyond that they cost more than products
// (docs/benchmarks.md).
inline constexpr int kMostDirectDims = 12;

// The method that kAuto means: kDirect or kProduct.
DistanceMethod ChooseDistanceMethod(std::int64_t rows_a, std::int64_t rows_b, int dims);

// Memory is sized once; Prepare and Enqueue neither allocate nor wait.
class DistanceRows {
 public:
  DistanceRows() = default;
  // Allocates memory for sets of up to max_rows_a and max_rows_b rows, which only the product methods need.
  DistanceRows(std::int64_t max_rows_a, std::int64_t max_rows_b, int max_dims, DistanceMethod method);
  std::size_t MemoryBytes() const;

  // Prepares the distances between the rows of a and b, in device memory that must stay until the rows are
  // done.
  void Prepare(const MatrixView& a, const MatrixView& b, cudaStream_t stream);
  // Writes the distances of rows [first, first + count) of a to all of b: distances[i * stride + j]. Fastest
  // if distances is aligned to 16 bytes and stride a multiple of 4.
  void Enqueue(std::int64_t first, std::int64_t count, float* distances, std::int64_t stride,
               cudaStream_t stream);

  DistanceMethod method() const { return method_; }  // never kAuto

 private:
  DistanceMethod method_ = DistanceMethod::kDirect;
  MatrixView a_, b_;
  // Used for products: rows padded with zeros to whole tiles, dimensions to whole steps; squared lengths.
  DeviceBuffer<float> padded_a_, padded_b_, squares_a_, squares_b_;
};

// The kernels. distances: as in DistanceRows::Enqueue.
void LaunchDirectDistances(const MatrixView& a, const MatrixView& b, float* distances, std::int64_t stride,
                           cudaStream_t stream);

inline constexpr int kProductTileRows = kBlockOfRows, kProductTileColumns = 64, kProductStep = 8;
struct ProductOperand {
  const float* rows = nullptr;     // padded
  const float* squares = nullptr;  // squared lengths
  std::int64_t count = 0;          // rows without padding
};
// Copies a set into its padded form. round: to TF32.
void LaunchPadRows(const MatrixView& set, std::int64_t padded_rows, int padded_dims, bool round,
                   float* padded, float* squares, cudaStream_t stream);
// tf32: takes one product of TF32 numbers instead of three.
void LaunchProductDistances(const ProductOperand& a, const ProductOperand& b, int padded_dims, bool tf32,
                            float* distances, std::int64_t stride, cudaStream_t stream);

}  // namespace parallax::cuda
