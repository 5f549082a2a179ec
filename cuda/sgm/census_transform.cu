// census_transform; the third grid dimension tells the left image from the right.
#include "cuda/sgm/census_transform.h"

#include "cuda/device/check.h"
#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/census_packed.cuh"
#include "pipeline/pixel_math.h"

namespace parallax::cuda {
namespace {

constexpr dim3 kBlock(32, 8);

dim3 GridFor(int width, int height) {
  return dim3(static_cast<unsigned>((width + 31) / 32), static_cast<unsigned>((height + 7) / 8));
}

__global__ void GrayFromColorKernel(DeviceImageView<const Rgb8> color, DeviceImageView<std::uint8_t> gray) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (gray.Contains(x, y)) gray(x, y) = GrayOf(color(x, y));
}

__global__ void GuideFromGray16Kernel(DeviceImageView<const std::uint16_t> gray,
                                      DeviceImageView<std::uint8_t> guide) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (guide.Contains(x, y)) guide(x, y) = static_cast<std::uint8_t>(gray(x, y) >> 8);
}

__global__ void WidenCensusKernel(DeviceImageView<const std::uint32_t> from,
                                  DeviceImageView<std::uint64_t> to) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (to.Contains(x, y)) to(x, y) = from(x, y);
}

// 16-bit images: codes of one tile of 32 x 32 pixels a block, four pixels below each other a thread, from
// shared memory.
constexpr int kTile = 32;

template <typename Shape>
__global__ void __launch_bounds__(kTile* kTile / 4)
    CensusTransformKernel(DeviceImageView<const std::uint16_t> left,
                          DeviceImageView<const std::uint16_t> right,
                          DeviceImageView<typename Shape::Code> census_left,
                          DeviceImageView<typename Shape::Code> census_right) {
  using Code = typename Shape::Code;
  LetNextKernelBegin();
  constexpr int kRadiusX = Shape::kRadiusX, kRadiusY = Shape::kRadiusY;
  constexpr bool kSymmetric = Shape::kSymmetric;
  constexpr int kTileWidth = kTile + 2 * kRadiusX, kTileHeight = kTile + 2 * kRadiusY;
  __shared__ std::uint16_t tile[kTileHeight][kTileWidth];
  const DeviceImageView<const std::uint16_t> image{blockIdx.z == 0 ? left.data : right.data, left.width,
                                                   left.height, left.stride_bytes};
  const DeviceImageView<Code> census{blockIdx.z == 0 ? census_left.data : census_right.data, left.width,
                                     left.height, census_left.stride_bytes};
  const int x_begin = static_cast<int>(blockIdx.x) * kTile, y_begin = static_cast<int>(blockIdx.y) * kTile;
  for (int i = static_cast<int>(threadIdx.y * kTile + threadIdx.x); i < kTileWidth * kTileHeight;
       i += kTile * kTile / 4) {
    const int row = i / kTileWidth, column = i % kTileWidth;
    tile[row][column] = image(min(max(x_begin + column - kRadiusX, 0), image.width - 1),
                              min(max(y_begin + row - kRadiusY, 0), image.height - 1));
  }
  __syncthreads();

  // The values around a column of kRows pixels, each read once.
  constexpr int kRows = 4;
  const int x = static_cast<int>(threadIdx.x), y_first = static_cast<int>(threadIdx.y) * kRows;
  if (x_begin + x >= image.width) return;
  std::uint32_t around[kRows + 2 * kRadiusY][2 * kRadiusX + 1];
#pragma unroll
  for (int row = 0; row < kRows + 2 * kRadiusY; ++row) {
#pragma unroll
    for (int column = 0; column <= 2 * kRadiusX; ++column)
      around[row][column] = tile[y_first + row][x + column];
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (y_begin + y_first + i >= image.height) return;
    const std::uint32_t center = around[i + kRadiusY][kRadiusX];
    Code code = 0;
    int bit = 0;
#pragma unroll
    for (int dy = -kRadiusY; dy <= (kSymmetric ? 0 : kRadiusY); ++dy) {
#pragma unroll
      for (int dx = -kRadiusX; dx <= kRadiusX; ++dx) {
        if (kSymmetric ? (dy == 0 && dx >= 0) : (dy == 0 && dx == 0)) continue;
        const std::uint32_t neighbour = around[i + kRadiusY + dy][kRadiusX + dx];
        const bool set =
            kSymmetric ? neighbour > around[i + kRadiusY - dy][kRadiusX - dx] : neighbour < center;
        if (set) code |= Code{1} << bit;
        ++bit;
      }
    }
    census(x_begin + x, y_begin + y_first + i) = code;
  }
}

// Calls launch(shape, left codes, right codes).
template <typename Launch>
void WithShape(CensusWindow window, const CensusImages& c, const Launch& launch) {
  switch (window) {
    case CensusWindow::k5x5:
      return launch(CensusShape<std::uint32_t, 2, 2, false>{}, c.left32, c.right32);
    case CensusWindow::k7x7:
      return launch(CensusShape<std::uint64_t, 3, 3, false>{}, c.left64, c.right64);
    case CensusWindow::k9x7:
      return launch(CensusShape<std::uint64_t, 4, 3, false>{}, c.left64, c.right64);
    case CensusWindow::kCenterSymmetric9x7:
      return launch(CensusShape<std::uint32_t, 4, 3, true>{}, c.left32, c.right32);
  }
}

dim3 TilesOf(int width, int height, int tile_width, int tile_height) {
  return {static_cast<unsigned>((width + tile_width - 1) / tile_width),
          static_cast<unsigned>((height + tile_height - 1) / tile_height), 2};
}

}  // namespace

void GrayFromColor(DeviceImageView<const Rgb8> color, DeviceImageView<std::uint8_t> gray,
                   cudaStream_t stream) {
  GrayFromColorKernel<<<GridFor(gray.width, gray.height), kBlock, 0, stream>>>(color, gray);
  CheckLaunch("GrayFromColorKernel");
}

void GuideFromGray16(DeviceImageView<const std::uint16_t> gray, DeviceImageView<std::uint8_t> guide,
                     cudaStream_t stream) {
  GuideFromGray16Kernel<<<GridFor(gray.width, gray.height), kBlock, 0, stream>>>(gray, guide);
  CheckLaunch("GuideFromGray16Kernel");
}

void CensusTransform(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream) {
  using Tile = PackedCensusTile;
  const dim3 grid = TilesOf(left.width, left.height, Tile::kWidth, Tile::kHeight);
  WithShape(window, census, [&](auto shape, auto left_codes, auto right_codes) {
    PackedCensusKernel<decltype(shape)>
        <<<grid, dim3(kWarpSize, Tile::kWarps), 0, stream>>>(left, right, left_codes, right_codes);
  });
  CheckLaunch("PackedCensusKernel");
}
void CensusTransform(DeviceImageView<const std::uint16_t> left, DeviceImageView<const std::uint16_t> right,
                     CensusWindow window, const CensusImages& census, cudaStream_t stream) {
  const dim3 grid = TilesOf(left.width, left.height, kTile, kTile);
  WithShape(window, census, [&](auto shape, auto left_codes, auto right_codes) {
    CensusTransformKernel<decltype(shape)>
        <<<grid, dim3(kTile, kTile / 4), 0, stream>>>(left, right, left_codes, right_codes);
  });
  CheckLaunch("CensusTransformKernel");
}

void WidenCensus(DeviceImageView<const std::uint32_t> from, DeviceImageView<std::uint64_t> to,
                 cudaStream_t stream) {
  WidenCensusKernel<<<GridFor(from.width, from.height), kBlock, 0, stream>>>(from, to);
  CheckLaunch("WidenCensusKernel");
}

}  // namespace parallax::cuda
