// census_transform of 8-bit images with a window of two scales. A word holds a pixel and the one 32 columns
// further, so one subtraction compares two pixels with two others anywhere.
#pragma once

#include <type_traits>

#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {

// Calls near(dx, dy) for each comparison of the image, then far(dx, dy) for each of the smoothed one. kPairs:
// comparisons of opposite pixels, with (dx, dy) the first in reading order; otherwise of neighbours with the
// centre.
template <bool kPairs, typename Near, typename Far>
__device__ __forceinline__ void ForTwoScaleComparisons(const Near& near, const Far& far) {
  if constexpr (kPairs) {
    const auto is_near = [](int dx, int dy) { return dx >= -1 && dx <= 1 && dy >= -1; };
#pragma unroll
    for (int dy = -1; dy <= 0; ++dy) {
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) {
        if (dy < 0 || dx < 0) near(dx, dy);
      }
    }
#pragma unroll
    for (int dy = -3; dy <= 0; ++dy) {
#pragma unroll
      for (int dx = -4; dx <= 4; ++dx) {
        if ((dy < 0 || dx < 0) && !is_near(dx, dy)) far(dx, dy);
      }
    }
  } else {
#pragma unroll
    for (int dy = -3; dy <= 3; ++dy) {
#pragma unroll
      for (int dx = -4; dx <= 4; ++dx) {
        if ((dx + dy) % 2 == 0 && (dx != 0 || dy != 0)) near(dx, dy);
      }
    }
#pragma unroll
    for (int dy = -4; dy <= 4; dy += 2) {
#pragma unroll
      for (int dx = -6; dx <= 6; dx += 2) {
        if (dx != 0 || dy != 0) far(dx, dy);
      }
    }
  }
}

template <bool kPairs>
using TwoScaleCode = std::conditional_t<kPairs, std::uint32_t, std::uint64_t>;

// The reach of comparisons in the smoothed image.
template <bool kPairs>
struct TwoScaleReach {
  static constexpr int kX = kPairs ? 4 : 6, kY = kPairs ? 3 : 4;
};

// A block's tile, and the words around it that it reads: of the image (near) and of its binomial sums (far).
template <bool kPairs>
struct TwoScaleTile {
  static constexpr int kWarps = 8;
  static constexpr int kWidth = 2 * kWarpSize, kHeight = 32;
  static constexpr int kFarX = TwoScaleReach<kPairs>::kX, kFarY = TwoScaleReach<kPairs>::kY;
  static constexpr int kNearX = kFarX + 1, kNearY = kFarY + 1;
  static constexpr int kFarWidth = kWarpSize + 2 * kFarX, kFarHeight = kHeight + 2 * kFarY;
  static constexpr int kNearWidth = kWarpSize + 2 * kNearX, kNearHeight = kHeight + 2 * kNearY;
  std::uint32_t near[kNearHeight][kNearWidth];
  std::uint32_t far[kFarHeight][kFarWidth];

  // The binomial sum around a word of the image; its halves are below 16 * 256.
  __device__ __forceinline__ std::uint32_t SumAround(int row, int column) const {
    const auto of_row = [&](int dy) {
      const std::uint32_t* const at = &near[row + dy][column];
      return at[-1] + 2U * at[0] + at[1];
    };
    return of_row(-1) + 2U * of_row(0) + of_row(1);
  }
};

// Bits in the order of docs/matching.md.
template <bool kPairs>
__global__ void __launch_bounds__(TwoScaleTile<kPairs>::kWarps* kWarpSize)
    PackedTwoScaleCensusKernel(DeviceImageView<const std::uint8_t> left,
                               DeviceImageView<const std::uint8_t> right,
                               DeviceImageView<TwoScaleCode<kPairs>> census_left,
                               DeviceImageView<TwoScaleCode<kPairs>> census_right) {
  using Tile = TwoScaleTile<kPairs>;
  using Code = TwoScaleCode<kPairs>;
  __shared__ Tile tile;
  LetNextKernelBegin();
  const DeviceImageView<const std::uint8_t> image{blockIdx.z == 0 ? left.data : right.data, left.width,
                                                  left.height, left.stride_bytes};
  const DeviceImageView<Code> census{blockIdx.z == 0 ? census_left.data : census_right.data, left.width,
                                     left.height, census_left.stride_bytes};
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * Tile::kWidth,
            y_begin = static_cast<int>(blockIdx.y) * Tile::kHeight;
  const auto inside_x = [&](int x) { return min(max(x, 0), image.width - 1); };
  const auto inside_y = [&](int y) { return min(max(y, 0), image.height - 1); };
  // All loads are issued before the first store.
  constexpr int kRows = (Tile::kNearHeight + Tile::kWarps - 1) / Tile::kWarps;
  std::uint8_t values[kRows][2][2];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const std::uint8_t* const row = image.Row(inside_y(y_begin + warp + i * Tile::kWarps - Tile::kNearY));
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int x = x_begin + lane + k * kWarpSize - Tile::kNearX;
      values[i][k][0] = __ldg(row + inside_x(x));
      values[i][k][1] = __ldg(row + inside_x(x + kWarpSize));
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int row = warp + i * Tile::kWarps, column = lane + k * kWarpSize;
      if (row < Tile::kNearHeight && column < Tile::kNearWidth) {
        tile.near[row][column] = values[i][k][0] | static_cast<std::uint32_t>(values[i][k][1]) << 16;
      }
    }
  }
  __syncthreads();

  // Beyond the border: the sum of the nearest pixel inside.
  const bool is_inside = x_begin >= Tile::kFarX && x_begin + Tile::kWidth + Tile::kFarX <= image.width;
#pragma unroll
  for (int row = warp; row < Tile::kFarHeight; row += Tile::kWarps) {
    const int near_row = inside_y(y_begin + row - Tile::kFarY) - y_begin + Tile::kNearY;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int column = lane + k * kWarpSize, x = x_begin + column - Tile::kFarX;
      if (column >= Tile::kFarWidth) continue;
      if (is_inside) {
        tile.far[row][column] = tile.SumAround(near_row, column + 1);
      } else {  // each half has its own nearest pixel; one without pixels takes any
        const auto near_column = [&](int begin, int at) {
          return max(inside_x(at) - begin + Tile::kNearX, 1);
        };
        tile.far[row][column] =
            __byte_perm(tile.SumAround(near_row, near_column(x_begin, x)),
                        tile.SumAround(near_row, near_column(x_begin + kWarpSize, x + kWarpSize)), 0x7610);
      }
    }
  }
  __syncthreads();

  const int x = x_begin + lane;
  if (x >= image.width) return;
#pragma unroll 1
  for (int row = warp; row < Tile::kHeight; row += Tile::kWarps) {
    const int y = y_begin + row;
    if (y >= image.height) return;
    constexpr int kWords = sizeof(Code) / 2;
    std::uint32_t bits[kWords] = {};  // sixteen in each half, the last one highest
    int bit = 0;
    // first: of both pixels and 0x7FFF; the highest bits of the halves stay set where it is brighter.
    const auto add_bit = [&](std::uint32_t first, std::uint32_t second) {
      bits[bit / 16] = bits[bit / 16] >> 1 | ((first - second) & 0x80008000U);
      ++bit;
    };
    // Adds one bit of a pixel's census. at: the pixel's word, in rows of `stride` words.
    const auto compare = [&](const std::uint32_t* at, int stride, std::uint32_t center, int dx, int dy) {
      const std::uint32_t neighbour = at[dy * stride + dx];
      if constexpr (kPairs) {
        add_bit(neighbour + 0x7FFF7FFFU, at[-dy * stride - dx]);
      } else {
        add_bit(center, neighbour);
      }
    };
    const std::uint32_t* const near = &tile.near[row + Tile::kNearY][lane + Tile::kNearX];
    const std::uint32_t* const far = &tile.far[row + Tile::kFarY][lane + Tile::kFarX];
    const std::uint32_t center = *near + 0x7FFF7FFFU, center_far = *far + 0x7FFF7FFFU;
    ForTwoScaleComparisons<kPairs>(
        [&](int dx, int dy) { compare(near, Tile::kNearWidth, center, dx, dy); },
        [&](int dx, int dy) { compare(far, Tile::kFarWidth, center_far, dx, dy); });
    if constexpr (kPairs) bits[1] >>= 1;  // 15 in each half
    const auto code = [&](unsigned halves) {
      Code value = __byte_perm(bits[0], bits[1], halves);
      if constexpr (!kPairs) value |= Code{__byte_perm(bits[2], bits[3], halves)} << 32;
      return value;
    };
    census(x, y) = code(0x5410);
    if (x + kWarpSize < image.width) census(x + kWarpSize, y) = code(0x7632);
  }
}

}  // namespace parallax::cuda
