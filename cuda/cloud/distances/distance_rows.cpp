#include "cuda/cloud/distances/distance_rows.h"

#include <string>

#include "parallax/error.h"

namespace parallax::cuda {
namespace {

std::int64_t RoundedUp(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }
bool UsesProducts(DistanceMethod method) { return method != DistanceMethod::kDirect; }

bool HasTensorCores() {
  int device = 0, major = 0;
  Check(cudaGetDevice(&device), "cudaGetDevice");
  Check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  return major >= 8;
}

}  // namespace

DistanceMethod ChooseDistanceMethod(std::int64_t, std::int64_t, int dims) {
  return dims > kMostDirectDims && HasTensorCores() ? DistanceMethod::kProduct : DistanceMethod::kDirect;
}

DistanceRows::DistanceRows(std::int64_t max_rows_a, std::int64_t max_rows_b, int max_dims,
                           DistanceMethod method)
    : method_(method) {
  if (method_ == DistanceMethod::kAuto) method_ = ChooseDistanceMethod(max_rows_a, max_rows_b, max_dims);
  if (!UsesProducts(method_)) return;
  if (!HasTensorCores()) {
    throw InvalidArgument(
        "distances by products need a device of compute capability 8.0 or later: use the direct method");
  }
  const std::int64_t dims = RoundedUp(max_dims, kProductStep);
  // A tile more, so that blocks may begin at any row.
  const std::int64_t rows_a = RoundedUp(max_rows_a, kProductTileRows) + kProductTileRows;
  const std::int64_t rows_b = RoundedUp(max_rows_b, kProductTileColumns);
  padded_a_ = DeviceBuffer<float>(static_cast<std::size_t>(rows_a * dims));
  padded_b_ = DeviceBuffer<float>(static_cast<std::size_t>(rows_b * dims));
  squares_a_ = DeviceBuffer<float>(static_cast<std::size_t>(rows_a));
  squares_b_ = DeviceBuffer<float>(static_cast<std::size_t>(rows_b));
}

std::size_t DistanceRows::MemoryBytes() const {
  return padded_a_.size_bytes() + padded_b_.size_bytes() + squares_a_.size_bytes() + squares_b_.size_bytes();
}

void DistanceRows::Prepare(const MatrixView& a, const MatrixView& b, cudaStream_t stream) {
  a_ = a;
  b_ = b;
  if (!UsesProducts(method_)) return;
  const std::int64_t dims = RoundedUp(a.dims, kProductStep);
  const std::int64_t rows_a = RoundedUp(a.rows, kProductTileRows),
                     rows_b = RoundedUp(b.rows, kProductTileColumns);
  if (static_cast<std::size_t>(rows_a * dims) > padded_a_.size() ||
      static_cast<std::size_t>(rows_b * dims) > padded_b_.size()) {
    throw InvalidArgument("distances of " + std::to_string(a.rows) + " x " + std::to_string(b.rows) +
                          " rows: more than the memory has room for");
  }
  const bool round = method_ == DistanceMethod::kProductTf32;
  LaunchPadRows(a, rows_a, static_cast<int>(dims), round, padded_a_.data(), squares_a_.data(), stream);
  LaunchPadRows(b, rows_b, static_cast<int>(dims), round, padded_b_.data(), squares_b_.data(), stream);
}

void DistanceRows::Enqueue(std::int64_t first, std::int64_t count, float* distances, std::int64_t stride,
                           cudaStream_t stream) {
  if (!UsesProducts(method_)) {
    MatrixView rows = a_;
    rows.data += first * a_.stride;
    rows.rows = count;
    LaunchDirectDistances(rows, b_, distances, stride, stream);
    return;
  }
  const std::int64_t dims = RoundedUp(a_.dims, kProductStep);
  const ProductOperand a{padded_a_.data() + first * dims, squares_a_.data() + first, count};
  const ProductOperand b{padded_b_.data(), squares_b_.data(), b_.rows};
  LaunchProductDistances(a, b, static_cast<int>(dims), method_ == DistanceMethod::kProductTf32, distances,
                         stride, stream);
}

}  // namespace parallax::cuda
