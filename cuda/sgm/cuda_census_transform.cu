// census_transform; the third grid dimension tells the left image from the right.
#include "cuda/sgm/cuda_census_transform.h"

#include "cuda/device/check.h"
#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/census_packed.cuh"
#include "cuda/sgm/census_two_scale.cuh"
#include "pipeline/rules/matching_tables.h"
#include "pipeline/rules/pixel_math.h"

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

// 16-bit images: codes of one tile of 32 x 32 pixels per block, four pixels below each other per thread, from
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

// A window of two scales, 16-bit images. A block makes the codes of one tile of 32 x 32 pixels, from the
// image and its binomial sums in shared memory; a thread makes four, one below the other.
template <bool kPairs>
__global__ void __launch_bounds__(kTile* kTile / 4)
    TwoScaleCensusKernel(DeviceImageView<const std::uint16_t> left,
                         DeviceImageView<const std::uint16_t> right,
                         DeviceImageView<TwoScaleCode<kPairs>> census_left,
                         DeviceImageView<TwoScaleCode<kPairs>> census_right) {
  using Code = TwoScaleCode<kPairs>;
  LetNextKernelBegin();
  constexpr int kFarX = TwoScaleReach<kPairs>::kX,
                kFarY = TwoScaleReach<kPairs>::kY;           // of the smoothed image
  constexpr int kMarginX = kFarX + 1, kMarginY = kFarY + 1;  // of the image
  constexpr int kTileWidth = kTile + 2 * kMarginX, kTileHeight = kTile + 2 * kMarginY;
  constexpr int kFarWidth = kTile + 2 * kFarX, kFarHeight = kTile + 2 * kFarY;
  __shared__ std::uint16_t tile[kTileHeight][kTileWidth], smoothed[kFarHeight][kFarWidth];
  const DeviceImageView<const std::uint16_t> image{blockIdx.z == 0 ? left.data : right.data, left.width,
                                                   left.height, left.stride_bytes};
  const DeviceImageView<Code> census{blockIdx.z == 0 ? census_left.data : census_right.data, left.width,
                                     left.height, census_left.stride_bytes};
  const int x_begin = static_cast<int>(blockIdx.x) * kTile, y_begin = static_cast<int>(blockIdx.y) * kTile;
  const int thread = static_cast<int>(threadIdx.y * kTile + threadIdx.x);
  const auto inside_x = [&](int x) { return min(max(x, 0), image.width - 1); };
  const auto inside_y = [&](int y) { return min(max(y, 0), image.height - 1); };
  for (int i = thread; i < kTileWidth * kTileHeight; i += kTile * kTile / 4) {
    const int row = i / kTileWidth, column = i % kTileWidth;
    tile[row][column] = image(inside_x(x_begin + column - kMarginX), inside_y(y_begin + row - kMarginY));
  }
  __syncthreads();
  for (int i = thread; i < kFarWidth * kFarHeight; i += kTile * kTile / 4) {
    const int row = i / kFarWidth, column = i % kFarWidth;
    // Beyond the border stands the sum of the nearest pixel inside.
    const int at_x = inside_x(x_begin + column - kFarX) - x_begin + kMarginX,
              at_y = inside_y(y_begin + row - kFarY) - y_begin + kMarginY;
    const auto sum_of_row = [&](int dy) -> std::uint32_t {
      const std::uint16_t* const at = &tile[at_y + dy][at_x];
      return at[-1] + 2U * at[0] + at[1];
    };
    const std::uint32_t sum = sum_of_row(-1) + 2U * sum_of_row(0) + sum_of_row(1);
    smoothed[row][column] = static_cast<std::uint16_t>(sum / 16U);
  }
  __syncthreads();

  const int x = static_cast<int>(threadIdx.x);
  if (x_begin + x >= image.width) return;
#pragma unroll 1
  for (int y = static_cast<int>(threadIdx.y); y < kTile; y += kTile / 4) {
    if (y_begin + y >= image.height) return;
    std::uint32_t words[sizeof(Code) / 4] = {};
    int bit = 0;
    const auto compare = [&](const std::uint16_t* at, int stride, int dx, int dy) {
      const std::uint16_t *const neighbour = at + dy * stride + dx, *const opposite = at - dy * stride - dx;
      if (kPairs ? *neighbour > *opposite : *neighbour < *at) words[bit / 32] |= 1U << bit % 32;
      ++bit;
    };
    const std::uint16_t* const near = &tile[y + kMarginY][x + kMarginX];
    const std::uint16_t* const far = &smoothed[y + kFarY][x + kFarX];
    ForTwoScaleComparisons<kPairs>([&](int dx, int dy) { compare(near, kTileWidth, dx, dy); },
                                   [&](int dx, int dy) { compare(far, kFarWidth, dx, dy); });
    Code code = words[0];
    if constexpr (!kPairs) code |= Code{words[1]} << 32;
    census(x_begin + x, y_begin + y) = code;
  }
}

// A thread computes four neighbouring pixels of a row.
constexpr int kGradientsAtOnce = 4;
__device__ __forceinline__ void MakeGradients(DeviceImageView<const std::uint8_t> image,
                                              DeviceImageView<std::uint32_t> gradients) {
  const int x_begin = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kGradientsAtOnce;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x_begin >= image.width || y >= image.height) return;
  const std::uint8_t *const above = image.Row(max(y - 1, 0)), *const here = image.Row(y),
                            *const below = image.Row(min(y + 1, image.height - 1));
  int columns[kGradientsAtOnce + 4];  // sums of the columns x_begin - 2 ..
#pragma unroll
  for (int i = 0; i < kGradientsAtOnce + 4; ++i) {
    const int x = min(max(x_begin + i - 2, 0), image.width - 1);
    columns[i] = above[x] + 2 * here[x] + below[x];
  }
  int values[kGradientsAtOnce + 2];  // gradients of the pixels x_begin - 1 .., plus 127
#pragma unroll
  for (int i = 0; i < kGradientsAtOnce + 2; ++i) {
    values[i] = min(max(columns[i + 2] - columns[i], -127), 127) + 127;
  }
  // Beyond the border stands the nearest pixel's.
  if (x_begin == 0) values[0] = values[1];
#pragma unroll
  for (int i = 0; i < kGradientsAtOnce; ++i) {
    if (x_begin + i >= image.width) return;
    const int value = values[i + 1], before = value + values[i],
              after = value + (x_begin + i + 1 < image.width ? values[i + 2] : value);  // doubled
    const int lowest = min(value, min(before, after) / 2), highest = max(value, (max(before, after) + 1) / 2);
    gradients(x_begin + i, y) = static_cast<std::uint32_t>(lowest | value << 8 | (255 - highest) << 16) |
                                static_cast<std::uint32_t>(255 - value) << 24;
  }
}
// Needs nothing of the kernel before, census, which has begun when all earlier work was done: both run at the same
// time, and it waits only at its end.
__global__ void GradientsAlongRowKernel(DeviceImageView<const std::uint8_t> left,
                                        DeviceImageView<const std::uint8_t> right,
                                        DeviceImageView<std::uint32_t> gradients_left,
                                        DeviceImageView<std::uint32_t> gradients_right) {
  LetNextKernelBegin();
  MakeGradients({blockIdx.z == 0 ? left.data : right.data, left.width, left.height, left.stride_bytes},
                {blockIdx.z == 0 ? gradients_left.data : gradients_right.data, left.width, left.height,
                 gradients_left.stride_bytes});
  EndAfterKernelBefore();
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
    case CensusWindow::kTwoScale:
    case CensusWindow::kCenterSymmetricTwoScale:
      return;  // kernels of their own
  }
}

// Calls launch(whether of pairs, left codes, right codes).
template <typename Launch>
void WithTwoScales(CensusWindow window, const CensusImages& c, const Launch& launch) {
  if (window == CensusWindow::kTwoScale) return launch(std::false_type{}, c.left64, c.right64);
  launch(std::true_type{}, c.left32, c.right32);
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
  if (HasTwoScales(window)) {
    WithTwoScales(window, census, [&](auto pairs, auto left_codes, auto right_codes) {
      using Tile = TwoScaleTile<decltype(pairs)::value>;
      PackedTwoScaleCensusKernel<decltype(pairs)::value>
          <<<TilesOf(left.width, left.height, Tile::kWidth, Tile::kHeight), dim3(kWarpSize, Tile::kWarps), 0,
             stream>>>(left, right, left_codes, right_codes);
    });
    CheckLaunch("PackedTwoScaleCensusKernel");
    return;
  }
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
  if (HasTwoScales(window)) {
    WithTwoScales(window, census, [&](auto pairs, auto left_codes, auto right_codes) {
      TwoScaleCensusKernel<decltype(pairs)::value>
          <<<grid, dim3(kTile, kTile / 4), 0, stream>>>(left, right, left_codes, right_codes);
    });
    CheckLaunch("TwoScaleCensusKernel");
    return;
  }
  WithShape(window, census, [&](auto shape, auto left_codes, auto right_codes) {
    CensusTransformKernel<decltype(shape)>
        <<<grid, dim3(kTile, kTile / 4), 0, stream>>>(left, right, left_codes, right_codes);
  });
  CheckLaunch("CensusTransformKernel");
}

void GradientsAlongRow(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                       const GradientImages& gradients, cudaStream_t stream) {
  const dim3 grid = TilesOf(left.width, left.height, 32 * kGradientsAtOnce, 8);
  LaunchDependent("GradientsAlongRowKernel", GradientsAlongRowKernel, grid, kBlock, 0, stream, left, right,
                  gradients.left, gradients.right);
}

void WidenCensus(DeviceImageView<const std::uint32_t> from, DeviceImageView<std::uint64_t> to,
                 cudaStream_t stream) {
  WidenCensusKernel<<<GridFor(from.width, from.height), kBlock, 0, stream>>>(from, to);
  CheckLaunch("WidenCensusKernel");
}

}  // namespace parallax::cuda
