// The k smallest distances of every row where there are few dimensions, without the matrix: a thread a row,
// columns through shared memory.
#include "cuda/cloud/distances/distance_consumers.h"
#include "cuda/cloud/neighbours/collector.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 64, kColumns = 256;  // columns at a time

template <int kSize, int kDims>
__global__ void __launch_bounds__(kThreads)
    NearestOfFewDimensions(const MatrixView a, const MatrixView b, int k, std::int32_t* indices,
                           float* distances) {
  using List = Collector<kSize, NeighbourKey>;
  __shared__ NeighbourKey buffers[kThreads / 32][List::kBufferSize];
  __shared__ __align__(16) float columns[kColumns][4];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + thread;
  float own[kDims];
#pragma unroll
  for (int d = 0; d < kDims; ++d) own[d] = row < a.rows ? a.data[row * a.stride + d] : 0.0f;
  List list;
  list.Start(k, row < a.rows, &buffers[thread / 32][List::kBuffered ? thread % 32 : 0]);
  // What lies beyond cannot have a root below the worst. Columns come in order, so that an equal one is too
  // late.
  float worst_squared = row < a.rows ? list.worst : -1.0f;
  for (std::int64_t first = 0; first < b.rows; first += kColumns) {
    const int count = static_cast<int>(min(static_cast<std::int64_t>(kColumns), b.rows - first));
    __syncthreads();
    for (int i = thread; i < kColumns; i += kThreads) {
#pragma unroll
      for (int d = 0; d < kDims; ++d)
        columns[i][d] = i < count ? b.data[(first + i) * b.stride + d] : __int_as_float(0x7FC00000);
    }
    __syncthreads();
    for (int group = 0; group < count; group += 8) {
      float squared[8];
      bool any = false;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float4 column = *reinterpret_cast<const float4*>(columns[group + i]);
        const float of_b[4] = {column.x, column.y, column.z, column.w};
        const float difference = own[0] - of_b[0];
        squared[i] = __fmul_rn(difference, difference);
#pragma unroll
        for (int d = 1; d < kDims; ++d) {
          const float other = own[d] - of_b[d];
          squared[i] = __fadd_rn(squared[i], __fmul_rn(other, other));
        }
        any |= squared[i] <= worst_squared;
      }
      if (!__any_sync(kFullWarp, any)) continue;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if (squared[i] <= worst_squared) {
          list.Offer(__fsqrt_rn(squared[i]), static_cast<std::uint32_t>(first + group + i), true);
        }
      }
      if (list.Settle(false)) worst_squared = list.worst < 0 ? -1.0f : __fmul_ru(list.worst, list.worst);
    }
  }
  list.Settle(true);
  if (row >= a.rows) return;
#pragma unroll
  for (int i = 0; i < kSize; ++i) {
    const int column = i - (kSize - k);
    if (column < 0) continue;
    if (indices != nullptr) indices[row * k + column] = static_cast<std::int32_t>(list.best[i]);
    if (distances != nullptr) distances[row * k + column] = SquaredOf(list.best[i]);
  }
}

template <int kDims>
void Launch(const MatrixView& a, const MatrixView& b, int k, std::int32_t* indices, float* distances,
            cudaStream_t stream) {
  const auto kernel = k == 1    ? NearestOfFewDimensions<1, kDims>
                      : k <= 8  ? NearestOfFewDimensions<8, kDims>
                      : k <= 16 ? NearestOfFewDimensions<16, kDims>
                      : k <= 32 ? NearestOfFewDimensions<32, kDims>
                                : NearestOfFewDimensions<64, kDims>;
  kernel<<<static_cast<unsigned>((a.rows + kThreads - 1) / kThreads), kThreads, 0, stream>>>(a, b, k, indices,
                                                                                             distances);
  CheckLaunch("NearestOfFewDimensions");
}

}  // namespace

void LaunchNearestOfFewDimensions(const MatrixView& a, const MatrixView& b, int k, std::int32_t* indices,
                                  float* distances, cudaStream_t stream) {
  switch (a.dims) {
    case 1:
      return Launch<1>(a, b, k, indices, distances, stream);
    case 2:
      return Launch<2>(a, b, k, indices, distances, stream);
    case 3:
      return Launch<3>(a, b, k, indices, distances, stream);
    default:
      return Launch<4>(a, b, k, indices, distances, stream);
  }
}

}  // namespace parallax::cuda
