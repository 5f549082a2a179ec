// refinement, smoothing: a pass along rows, then along columns, is one kernel. A block takes a tile and what
// its means look at around it; between the two halves the means along rows stay in shared memory.
#include "cuda/filters/cuda_smoothing.h"

#include "cuda/filters/launch_filter.cuh"
#include "pipeline/rules/refinement_math.h"

namespace parallax::cuda {
namespace {

constexpr int kTile = 32;  // px
constexpr int kWarps = 8;
constexpr int kRadius = kSmoothingRadius_px, kAround = kTile + 2 * kRadius;

// Values of a tile and around it: kNoValue where there is none, and beyond the image's border what the
// smoothing takes there. Row r is the image's row y_begin + r - kRadius, columns likewise.
struct SmoothingTile {
  float values[kAround][kAround + 1];
  float along_rows[kAround][kTile];
};

template <int kTap, int kStep>
__device__ __forceinline__ SmoothingSums AddTap(SmoothingSums sums, const float* at, float reach) {
  constexpr int kOffset = kSmoothingOffsets_px[kTap];
  constexpr float kWeight = kSmoothingWeights[kTap];
  return AddNeighbors(sums, at[0], at[-kOffset * kStep], at[kOffset * kStep], kWeight, reach);
}

// The mean of values kStep apart in memory; kNoValue if there is none.
template <int kStep>
__device__ __forceinline__ float Mean(const float* at, float reach) {
  const float center = at[0];
  static_assert(kSmoothingTaps == 4);
  SmoothingSums sums{reach * reach, 0.0F};
  sums = AddTap<0, kStep>(sums, at, reach);
  sums = AddTap<1, kStep>(sums, at, reach);
  sums = AddTap<2, kStep>(sums, at, reach);
  sums = AddTap<3, kStep>(sums, at, reach);
  return center == kNoValue ? kNoValue : center + sums.differences / sums.weights;
}

// What lies beyond the border at number i of a line of `count` values; inside(k): one of these.
template <typename Inside>
__device__ __forceinline__ float ValueBeyond(int i, int count, const Inside& inside) {
  const auto known = [&](int k) { return k >= 0 && k < count ? inside(k) : kNoValue; };
  const int last = count - 1;
  return i < 0 ? MirroredInPoint(known(0), known(-i))
               : MirroredInPoint(known(last), known(last - (i - last)));
}

__global__ void __launch_bounds__(kTile* kWarps)
    SmoothKernel(DeviceImageView<const float> from, DeviceImageView<float> to, float reach) {
  constexpr int kRows = (kAround + kWarps - 1) / kWarps, kColumns = (kAround + kTile - 1) / kTile;
  __shared__ SmoothingTile tile;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * kTile, y_begin = static_cast<int>(blockIdx.y) * kTile;
  WaitForKernelBefore();
  LetNextKernelBegin();
  // All loads are on their way before the first one is used. Beyond the border: any pixel, for now.
  float loaded[kRows][kColumns];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int y = min(max(y_begin + warp + i * kWarps - kRadius, 0), from.height - 1);
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      loaded[i][k] = from(min(max(x_begin + lane + k * kTile - kRadius, 0), from.width - 1), y);
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = warp + i * kWarps;
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int column = lane + k * kTile;
      if (row < kAround && column < kAround) {
        tile.values[row][column] = isnan(loaded[i][k]) ? kNoValue : loaded[i][k];
      }
    }
  }
  __syncthreads();
  if (x_begin < kRadius || x_begin + kTile + kRadius > from.width) {
    for (int row = warp; row < kAround; row += kWarps) {
      for (int column = lane; column < kAround; column += kTile) {
        const int x = x_begin + column - kRadius;
        if ((x >= 0 && x < from.width) || x >= from.width + kRadius) continue;  // no pixel looks further
        tile.values[row][column] = ValueBeyond(
            x, from.width, [&](int inside) { return tile.values[row][inside - x_begin + kRadius]; });
      }
    }
    __syncthreads();
  }
  for (int row = warp; row < kAround; row += kWarps) {
    tile.along_rows[row][lane] = Mean<1>(&tile.values[row][lane + kRadius], reach);
  }
  __syncthreads();
  if (y_begin < kRadius || y_begin + kTile + kRadius > from.height) {
    for (int row = warp; row < kAround; row += kWarps) {
      const int y = y_begin + row - kRadius;
      if ((y >= 0 && y < from.height) || y >= from.height + kRadius) continue;
      tile.along_rows[row][lane] = ValueBeyond(
          y, from.height, [&](int inside) { return tile.along_rows[inside - y_begin + kRadius][lane]; });
    }
    __syncthreads();
  }
  const int x = x_begin + lane;
  if (x >= from.width) return;
#pragma unroll
  for (int row = warp; row < kTile; row += kWarps) {
    const int y = y_begin + row;
    if (y >= from.height) return;
    const float mean = Mean<kTile>(&tile.along_rows[row + kRadius][lane], reach);
    to(x, y) = mean == kNoValue ? __int_as_float(0x7FC00000) : mean;
  }
}

}  // namespace

void SmoothOnce(const RefinementParameters& parameters, int pass, DeviceImageView<const float> from,
                DeviceImageView<float> to, cudaStream_t stream) {
  const float range = SmoothingRange(parameters.smoothing_range, pass), reach = 4.0F * (range * range);
  const dim3 grid(static_cast<unsigned>((from.width + kTile - 1) / kTile),
                  static_cast<unsigned>((from.height + kTile - 1) / kTile));
  LaunchFilter("SmoothKernel", SmoothKernel, grid, dim3(kTile, kWarps), 0, stream, from, to, reach);
}

}  // namespace parallax::cuda
