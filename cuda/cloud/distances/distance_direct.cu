// Distances from differences. Up to 4 dimensions a thread keeps its columns in registers and goes down the
// rows: as fast as the result can be written. Above, tiles of both sets in shared memory.
#include <algorithm>

#include "cuda/cloud/distances/distance_rows.h"
#include "cuda/cloud/distances/root.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

__device__ float PlusSquare(float sum, float difference) {
  return __fadd_rn(sum, __fmul_rn(difference, difference));
}

// Writes 4 columns of a row, or as many as there are.
__device__ void Store(float* row, std::int64_t column, std::int64_t columns, bool vectors, float4 values) {
  if (vectors && column + 3 < columns) {
    __stcs(reinterpret_cast<float4*>(row + column), values);
    return;
  }
  if (column < columns) row[column] = values.x;
  if (column + 1 < columns) row[column + 1] = values.y;
  if (column + 2 < columns) row[column + 2] = values.z;
  if (column + 3 < columns) row[column + 3] = values.w;
}

constexpr int kFewThreads = 256, kFewRows = 64;  // a block: 1024 columns of 64 rows

template <int kDims>
__global__ void __launch_bounds__(kFewThreads)
    FewDimensions(MatrixView a, MatrixView b, float* distances, std::int64_t stride,
                  std::int64_t column_blocks, bool vectors) {
  __shared__ float rows_of_a[kFewRows][4];
  const std::int64_t first_row = blockIdx.x / column_blocks * kFewRows;
  const std::int64_t column = (blockIdx.x % column_blocks * kFewThreads + threadIdx.x) * 4;
  const int rows = static_cast<int>(min(static_cast<std::int64_t>(kFewRows), a.rows - first_row));
  for (int i = static_cast<int>(threadIdx.x); i < rows * kDims; i += kFewThreads)
    rows_of_a[i / kDims][i % kDims] = a.data[(first_row + i / kDims) * a.stride + i % kDims];
  float own[4][kDims];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
#pragma unroll
    for (int d = 0; d < kDims; ++d) own[j][d] = b.data[min(column + j, b.rows - 1) * b.stride + d];
  }
  __syncthreads();
  if (column >= b.rows) return;
  float* row = distances + first_row * stride;
#pragma unroll 2
  for (int i = 0; i < rows; ++i, row += stride) {
    const float4 p = *reinterpret_cast<const float4*>(rows_of_a[i]);
    const float of_a[4] = {p.x, p.y, p.z, p.w};
    float sums[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float first = of_a[0] - own[j][0];
      sums[j] = __fmul_rn(first, first);
#pragma unroll
      for (int d = 1; d < kDims; ++d) sums[j] = PlusSquare(sums[j], of_a[d] - own[j][d]);
    }
    Store(row, column, b.rows, vectors, Roots(make_float4(sums[0], sums[1], sums[2], sums[3])));
  }
}

// 128 x 128 distances a block, 8 x 8 a thread: rows 4 ty .. + 3 and 64 + 4 ty .. + 3, columns likewise.
constexpr int kTile = 128, kStep = 8, kTileThreads = 256;

__global__ void __launch_bounds__(kTileThreads)
    ManyDimensions(MatrixView a, MatrixView b, float* distances, std::int64_t stride,
                   std::int64_t column_blocks, bool vectors) {
  __shared__ __align__(16) float tile_a[kStep][kTile + 4], tile_b[kStep][kTile + 4];
  const std::int64_t first_row = blockIdx.x / column_blocks * kTile,
                     first_column = blockIdx.x % column_blocks * kTile;
  const int thread = static_cast<int>(threadIdx.x), tx = thread % 16, ty = thread / 16;
  float sums[8][8] = {};
  for (int first = 0; first < a.dims; first += kStep) {
    const int steps = min(kStep, a.dims - first);
#pragma unroll
    for (int i = 0; i < kTile * kStep / kTileThreads; ++i) {
      const int at = thread + i * kTileThreads, d = at % kStep, place = at / kStep;
      const bool inside = d < steps;
      tile_a[d][place] = inside ? a.data[min(first_row + place, a.rows - 1) * a.stride + first + d] : 0.0f;
      tile_b[d][place] = inside ? b.data[min(first_column + place, b.rows - 1) * b.stride + first + d] : 0.0f;
    }
    __syncthreads();
    const auto add = [&](int d) {
      float of_a[8], of_b[8];
      *reinterpret_cast<float4*>(of_a) = *reinterpret_cast<const float4*>(&tile_a[d][4 * ty]);
      *reinterpret_cast<float4*>(of_a + 4) = *reinterpret_cast<const float4*>(&tile_a[d][64 + 4 * ty]);
      *reinterpret_cast<float4*>(of_b) = *reinterpret_cast<const float4*>(&tile_b[d][4 * tx]);
      *reinterpret_cast<float4*>(of_b + 4) = *reinterpret_cast<const float4*>(&tile_b[d][64 + 4 * tx]);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] = PlusSquare(sums[i][j], of_a[i] - of_b[j]);
      }
    };
    if (steps == kStep) {
#pragma unroll
      for (int d = 0; d < kStep; ++d) add(d);
    } else {
      for (int d = 0; d < steps; ++d) add(d);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::int64_t row = first_row + i / 4 * 64 + 4 * ty + i % 4;
    if (row >= a.rows) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* s = sums[i] + 4 * half;
      Store(distances + row * stride, first_column + 64 * half + 4 * tx, b.rows, vectors,
            Roots(make_float4(s[0], s[1], s[2], s[3])));
    }
  }
}

}  // namespace

void LaunchDirectDistances(const MatrixView& a, const MatrixView& b, float* distances, std::int64_t stride,
                           cudaStream_t stream) {
  const bool vectors = reinterpret_cast<std::uintptr_t>(distances) % 16 == 0 && stride % 4 == 0;
  const bool few = a.dims <= 4;
  const std::int64_t rows_each = few ? kFewRows : kTile, columns_each = few ? 4 * kFewThreads : kTile;
  const std::int64_t column_blocks = (b.rows + columns_each - 1) / columns_each;
  // Grids are one-dimensional, as y and z end at 65535 blocks. A launch takes at most as many rows as fit
  // 2^31 - 1 blocks.
  const std::int64_t most_rows =
      std::max<std::int64_t>(1, ((std::int64_t{1} << 31) - 1) / column_blocks) * rows_each;
  for (std::int64_t first = 0; first < a.rows; first += most_rows) {
    MatrixView part = a;
    part.data += first * a.stride;
    part.rows = std::min(most_rows, a.rows - first);
    const auto blocks = static_cast<unsigned>((part.rows + rows_each - 1) / rows_each * column_blocks);
    float* const out = distances + first * stride;
    const auto launch = [&](auto kernel, int threads) {
      kernel<<<blocks, threads, 0, stream>>>(part, b, out, stride, column_blocks, vectors);
    };
    switch (a.dims) {
      case 1:
        launch(FewDimensions<1>, kFewThreads);
        break;
      case 2:
        launch(FewDimensions<2>, kFewThreads);
        break;
      case 3:
        launch(FewDimensions<3>, kFewThreads);
        break;
      case 4:
        launch(FewDimensions<4>, kFewThreads);
        break;
      default:
        launch(ManyDimensions, kTileThreads);
    }
    CheckLaunch("DirectDistances");
  }
}

}  // namespace parallax::cuda
