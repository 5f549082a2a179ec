// Euclidean distances between all rows of two matrices, in blocks of rows, so that the m x n matrix never
// has to exist.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace parallax {

// rows x dims floats, row-major. stride >= dims: floats from one row to the next.
struct MatrixView {
  const float* data = nullptr;
  std::int64_t rows = 0;
  int dims = 0;
  std::int64_t stride = 0;
};

enum class DistanceMethod {
  kAuto,     // by size, as measured (docs/benchmarks.md)
  kDirect,   // sqrt of the sum of squared differences, in the order of the dimensions
  kProduct,  // |a|^2 + |b|^2 - 2ab in fp32: quicker from some dozens of dimensions on; near-equal rows lose
             // digits
  kProductTf32  // the same with TF32 products (10-bit mantissa); error stated in docs/clouds.md
};

struct DistanceOptions {
  DistanceMethod method = DistanceMethod::kAuto;
  std::int64_t block_rows = 0;  // rows a block; 0 = chosen
};

// Rows [first_row, first_row + num_rows) of the distances: distances[i * stride + j] belongs to row
// first_row + i of a and row j of b.
struct DistanceBlock {
  std::int64_t first_row = 0, num_rows = 0, num_columns = 0;
  const float* distances = nullptr;
  std::int64_t stride = 0;
};
using DistanceConsumer = std::function<void(const DistanceBlock&)>;

// The nearest row of b for every row of a, by distance as handed out (after the root), ties to the lowest
// index. A distance that is not a number is never the nearest; a row that has no other is kNoNeighbour, at
// +inf.
struct NearestRows {
  std::vector<std::int32_t> indices;
  std::vector<float> distances;
};

struct DistanceHistogram {
  float largest = 0;  // upper end of the last bin; bins have equal width from 0
  // A distance d < largest is in bin floor(d * scale), but at most in the last one; scale is the float
  // num_bins / largest and the product is rounded to float.
  std::vector<std::int64_t> counts;
  std::int64_t beyond = 0;  // distances >= largest
  std::int64_t not_a_number = 0;
};

// Throws InvalidArgument where the dimensions differ, a stride is too small, a matrix is empty or has more
// than 2^31 - 1 rows, and for a negative number of rows a block.
void CheckDistanceInput(const MatrixView& a, const MatrixView& b, const DistanceOptions& options);
// Throws InvalidArgument unless largest and num_bins / largest are positive and finite and num_bins is 1 to
// 2^20.
void CheckHistogram(float largest, int num_bins);

}  // namespace parallax
