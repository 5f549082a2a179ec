// census_transform of 8-bit images: each thread handles four neighbouring pixels of a row, as two words of
// two. A word holds 16 bits for each pixel, so one subtraction compares two pixels of each image place with
// two others.
#pragma once

#include <algorithm>

#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {

// A window, and the form of its code.
template <typename Code_, int kRadiusX_, int kRadiusY_, bool kSymmetric_>
struct CensusShape {
  using Code = Code_;
  static constexpr int kRadiusX = kRadiusX_, kRadiusY = kRadiusY_;
  static constexpr bool kSymmetric = kSymmetric_;
  static constexpr int kPixels = (2 * kRadiusX + 1) * (2 * kRadiusY + 1);
  static constexpr int kBits = kSymmetric ? kPixels / 2 : kPixels - 1;
};

// A block's tile.
struct PackedCensusTile {
  static constexpr int kWarps = 8;
  static constexpr int kWidth = 4 * kWarpSize, kHeight = 2 * kWarps;
};

// The row's pixels x - 4 .. x + 7 around a thread's x .. x + 3: word s holds x - 4 + s (low half) and its
// right neighbour.
struct PackedCensusRow {
  std::uint32_t words[11];
  __device__ __forceinline__ explicit PackedCensusRow(const std::uint16_t* first) {
    const uint2* const from = reinterpret_cast<const uint2*>(first);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const uint2 four = from[i];
      words[4 * i] = four.x;
      if (4 * i + 2 < 11) words[4 * i + 2] = four.y;
    }
#pragma unroll
    for (int s = 1; s < 10; s += 2) words[s] = __byte_perm(words[s - 1], words[s + 1], 0x5432);
  }
  // The word of pixels x + 2 pair + dx and the next.
  __device__ __forceinline__ std::uint32_t At(int pair, int dx) const { return words[4 + 2 * pair + dx]; }
};

// Bits in reading order: a neighbour darker than the centre, or the first of two opposite pixels brighter
// than the other.
template <typename Shape>
__global__ void __launch_bounds__(PackedCensusTile::kWarps* kWarpSize)
    PackedCensusKernel(DeviceImageView<const std::uint8_t> left, DeviceImageView<const std::uint8_t> right,
                       DeviceImageView<typename Shape::Code> census_left,
                       DeviceImageView<typename Shape::Code> census_right) {
  using Tile = PackedCensusTile;
  using Code = typename Shape::Code;
  LetNextKernelBegin();
  constexpr int kRadiusX = Shape::kRadiusX, kRadiusY = Shape::kRadiusY;
  static_assert(kRadiusX <= 4);
  constexpr int kTileWidth = Tile::kWidth + 8, kTileHeight = Tile::kHeight + 2 * kRadiusY;
  constexpr int kWords = (Shape::kBits + 7) / 8;
  __shared__ alignas(8) std::uint16_t tile[kTileHeight][kTileWidth];
  const DeviceImageView<const std::uint8_t> image{blockIdx.z == 0 ? left.data : right.data, left.width,
                                                  left.height, left.stride_bytes};
  const DeviceImageView<Code> census{blockIdx.z == 0 ? census_left.data : census_right.data, left.width,
                                     left.height, census_left.stride_bytes};
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * Tile::kWidth,
            y_begin = static_cast<int>(blockIdx.y) * Tile::kHeight;
  // All loads are issued before the first store.
  constexpr int kColumns = (kTileWidth + kWarpSize - 1) / kWarpSize,
                kRows = (kTileHeight + Tile::kWarps - 1) / Tile::kWarps;
  std::uint16_t values[kRows][kColumns];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int y = min(max(y_begin + warp + i * Tile::kWarps - kRadiusY, 0), image.height - 1);
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int x = min(max(x_begin + lane + j * kWarpSize - 4, 0), image.width - 1);
      values[i][j] = __ldg(image.Row(y) + x);
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int row = warp + i * Tile::kWarps, column = lane + j * kWarpSize;
      if (row < kTileHeight && column < kTileWidth) tile[row][column] = values[i][j];
    }
  }
  __syncthreads();

  const int x = x_begin + 4 * lane;
  if (x >= image.width) return;
#pragma unroll 1
  for (int row = warp; row < Tile::kHeight; row += Tile::kWarps) {
    const int y = y_begin + row;
    if (y >= image.height) return;
    const auto row_at = [&](int dy) { return PackedCensusRow(tile[row + kRadiusY + dy] + 4 * lane); };
    // Bit k of both pixels of a pair: number k % 8 of both higher bytes of halves of word k / 8.
    std::uint32_t bits[2][kWords] = {};
    int k = 0;
    const auto add_bits = [&](const PackedCensusRow& here, int dx, const PackedCensusRow& there,
                              int dx_there) {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        // A half is 256 or more if the value here is larger.
        const std::uint32_t larger = here.At(pair, dx) + 0x00FF00FFU - there.At(pair, dx_there);
        bits[pair][k / 8] |= larger << k % 8 & 0x01000100U << k % 8;
      }
      ++k;
    };
    const PackedCensusRow center = row_at(0);
#pragma unroll
    for (int dy = -kRadiusY; dy <= (Shape::kSymmetric ? 0 : kRadiusY); ++dy) {
      const PackedCensusRow here = dy == 0 ? center : row_at(dy);
      const PackedCensusRow opposite = !Shape::kSymmetric || dy == 0 ? center : row_at(-dy);
#pragma unroll
      for (int dx = -kRadiusX; dx <= kRadiusX; ++dx) {
        if (Shape::kSymmetric && dy == 0 && dx >= 0) continue;
        if (dy == 0 && dx == 0) continue;
        Shape::kSymmetric ? add_bits(here, dx, opposite, -dx) : add_bits(center, 0, here, dx);
      }
    }
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const auto higher_bytes = [&](int word) -> std::uint32_t {
        return word >= kWords
                   ? 0
                   : __byte_perm(bits[pair][word], word + 1 < kWords ? bits[pair][word + 1] : 0, 0x7351);
      };
      Code first = __byte_perm(higher_bytes(0), higher_bytes(2), 0x5410),
           second = __byte_perm(higher_bytes(0), higher_bytes(2), 0x7632);
      if constexpr (sizeof(Code) == 8) {
        first |= Code{__byte_perm(higher_bytes(4), higher_bytes(6), 0x5410)} << 32;
        second |= Code{__byte_perm(higher_bytes(4), higher_bytes(6), 0x7632)} << 32;
      }
      if (x + 2 * pair < image.width) census(x + 2 * pair, y) = first;
      if (x + 2 * pair + 1 < image.width) census(x + 2 * pair + 1, y) = second;
    }
  }
}

}  // namespace parallax::cuda
