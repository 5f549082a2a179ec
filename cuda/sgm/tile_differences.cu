#include "cuda/sgm/tile_differences.h"

#include "cuda/device/dependent_launch.cuh"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 4;

// A warp sums four neighbouring tiles, a lane one column of pixels. It needs no result of the preceding kernel and waits
// for it only as its last step.
__global__ void SumTileDifferencesKernel(DeviceImageView<const std::uint8_t> gray,
                                         std::uint32_t* differences) {
  LetNextKernelBegin();
  const int columns = NumWeightTiles(gray.width);
  const int tile_y = static_cast<int>(blockIdx.y * kWarps + threadIdx.y);
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (tile_y < NumWeightTiles(gray.height)) {
    // The difference in one row, before the weights 1 2 1 along columns.
    const auto difference = [&](int y) {
      const std::uint8_t* const row = gray.Row(min(max(y, 0), gray.height - 1));
      const auto at = [&](int i) -> int { return row[min(max(x + i, 0), gray.width - 1)]; };
      return at(1) + 2 * at(2) + at(3) - at(-1) - 2 * at(-2) - at(-3);
    };
    const int y_begin = tile_y * kWeightTile_px;
    int above = difference(y_begin - 1), here = difference(y_begin);
    std::uint32_t sum = 0;
#pragma unroll
    for (int i = 0; i < kWeightTile_px; ++i) {
      const int below = difference(y_begin + i + 1);
      if (y_begin + i < gray.height) sum += static_cast<std::uint32_t>(abs(above + 2 * here + below));
      above = here;
      here = below;
    }
    if (x >= gray.width) sum = 0;
#pragma unroll
    for (int step = kWeightTile_px / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFFU, sum, step);
    if (x % kWeightTile_px == 0 && x < gray.width) differences[tile_y * columns + x / kWeightTile_px] = sum;
  }
  EndAfterKernelBefore();
}

}  // namespace

void SumTileDifferences(DeviceImageView<const std::uint8_t> gray, std::uint32_t* differences,
                        cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((gray.width + 31) / 32),
                  static_cast<unsigned>((NumWeightTiles(gray.height) + kWarps - 1) / kWarps));
  LaunchDependent("SumTileDifferencesKernel", SumTileDifferencesKernel, grid, dim3(32, kWarps), 0, stream,
                  gray, differences);
}

}  // namespace parallax::cuda
