#include "cuda/cloud/distances/distance_consumers.h"

#include <algorithm>

#include "cuda/cloud/neighbours/warp_list.cuh"
#include "cuda/device/check.h"

namespace parallax::cuda {
namespace {

constexpr int kThreads = 256;

// One block for each row: each warp keeps the best of its part of the row, the first one merges.
template <int kListRows>
__global__ void __launch_bounds__(kThreads)
    SmallestOfRows(const DeviceDistanceBlock block, int k, std::int32_t* indices, float* distances) {
  __shared__ NeighbourKey lists[kThreads / 32][kListRows * 32];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const NeighbourKey none = MakeKey(__int_as_float(0x7F800000), kNoPoint);
  const std::int64_t row = blockIdx.x;
  const float* const of_row = block.distances + row * block.stride;
  WarpList<kListRows> list(lane, k);
  for (std::int64_t first = warp * 32; first < block.columns; first += 4 * kThreads) {
    float values[4];  // in flight together
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::int64_t column = first + i * kThreads + lane;
      values[i] = column < block.columns ? of_row[column] : __int_as_float(0x7FC00000);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // A key is built from a number alone; comparing floats first leaves NaN out.
      const bool wanted = values[i] <= SquaredOf(list.worst);
      if (__any_sync(kFullWarp, wanted)) {
        list.Offer(wanted ? MakeKey(values[i], static_cast<std::uint32_t>(first + i * kThreads + lane))
                          : none);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kListRows; ++i) lists[warp][i * 32 + lane] = list.best[i];
  __syncthreads();
  if (warp != 0) return;
  for (int other = 1; other < kThreads / 32; ++other) {
#pragma unroll
    for (int i = 0; i < kListRows; ++i) list.Offer(lists[other][i * 32 + lane]);
  }
#pragma unroll
  for (int i = 0; i < kListRows; ++i) {
    if (i * 32 + lane >= k) continue;
    if (indices != nullptr) indices[row * k + i * 32 + lane] = static_cast<std::int32_t>(list.best[i]);
    if (distances != nullptr) distances[row * k + i * 32 + lane] = SquaredOf(list.best[i]);
  }
}

constexpr int kMostSharedBins = 8192;

__global__ void __launch_bounds__(kThreads)
    CountDistances(const DeviceDistanceBlock block, float largest, float scale, int num_bins,
                   unsigned long long* counts) {
  extern __shared__ unsigned shared_counts[];
  const bool in_shared = num_bins <= kMostSharedBins;
  if (in_shared) {
    for (int i = static_cast<int>(threadIdx.x); i < num_bins + 2; i += kThreads) shared_counts[i] = 0;
    __syncthreads();
  }
  // Rows dealt to blocks, so that no block counts more than 2^32.
  for (std::int64_t row = blockIdx.x; row < block.rows; row += gridDim.x) {
    const float* const of_row = block.distances + row * block.stride;
    for (std::int64_t column = threadIdx.x; column < block.columns; column += kThreads) {
      const float distance = of_row[column];
      int bin = num_bins + 1;
      if (distance < largest) {
        bin = min(__float2int_rd(__fmul_rn(distance, scale)), num_bins - 1);
      } else if (distance >= largest) {
        bin = num_bins;
      }
      if (in_shared) {
        atomicAdd(&shared_counts[bin], 1u);
      } else {
        atomicAdd(&counts[bin], 1ull);
      }
    }
  }
  if (!in_shared) return;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < num_bins + 2; i += kThreads) {
    if (shared_counts[i] != 0) atomicAdd(&counts[i], static_cast<unsigned long long>(shared_counts[i]));
  }
}

}  // namespace

void LaunchSmallestOfRows(const DeviceDistanceBlock& block, int k, std::int32_t* indices, float* distances,
                          cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(block.rows);
  if (k <= 32) {
    SmallestOfRows<1><<<blocks, kThreads, 0, stream>>>(block, k, indices, distances);
  } else {
    SmallestOfRows<2><<<blocks, kThreads, 0, stream>>>(block, k, indices, distances);
  }
  CheckLaunch("SmallestOfRows");
}

void LaunchHistogram(const DeviceDistanceBlock& block, float largest, int num_bins,
                     unsigned long long* counts, cudaStream_t stream) {
  const float scale = static_cast<float>(num_bins) / largest;
  const std::size_t shared =
      num_bins <= kMostSharedBins ? static_cast<std::size_t>(num_bins + 2) * sizeof(unsigned) : 0;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(block.rows, 1056));
  CountDistances<<<blocks, kThreads, shared, stream>>>(block, largest, scale, num_bins, counts);
  CheckLaunch("CountDistances");
}

}  // namespace parallax::cuda
