// A row of a remapped image, a vector at a time; see pipeline/calibration/remap.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parallax/image.h"

namespace parallax::cpu {

// Whether offsets in such an image fit in 32 bits, and its rows run downwards.
bool CanRemapByVectors(std::ptrdiff_t stride_bytes, int height);

// Eight adjacent pixels whose sources are within three rows of 16 px of the old image, as they are wherever
// it is neither rotated nor shrunk much. Each is computed from whole vectors, without gathering.
struct RemapBlock {
  static constexpr int kPixels = 8, kColumns = 16, kRows = 3;

  std::int32_t column = -1, row = 0;  // of the first source pixel; column -1: the sources are not within such
                                      // rows
  // The column of the upper left of each pixel's four sources, counted from `column`; bit 7 if the old image
  // does not show the pixel.
  std::array<std::uint8_t, kPixels> place{};
  std::array<std::uint8_t, kPixels> wx{};  // fraction in 1/128
  std::array<std::uint8_t, kPixels> wy{};  // likewise; bit 7: that pixel is in the second row
};

// Computes the pixels of blocks up to the first one with column -1; returns the number of computed blocks.
// Images are at least as large as a block.
int RemapBlocks(HostImageView<const std::uint8_t> from, const RemapBlock* blocks, int num_blocks,
                std::uint8_t* to);
int RemapBlocks(HostImageView<const Rgb8> from, const RemapBlock* blocks, int num_blocks, Rgb8* to);

// positions_x, positions_y: of the row's pixels, in 1/128 px; x = -1 if there is none. Returns the number of
// computed pixels: the last few of a row, less than a vector, are left to the caller.
int RemapRow(HostImageView<const std::uint8_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint8_t* to);
int RemapRow(HostImageView<const std::uint16_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint16_t* to);
int RemapRow(HostImageView<const Rgb8> from, const std::int32_t* positions_x, const std::int32_t* positions_y,
             int width, Rgb8* to);

}  // namespace parallax::cpu
