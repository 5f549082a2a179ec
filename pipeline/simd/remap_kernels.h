// A row of a remapped image, vectors at a time; see pipeline/calibration/remap.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parallax/image.h"

namespace parallax::cpu {

// Whether offsets of such an image fit 32 bits, and rows run downwards.
bool CanRemapByVectors(std::ptrdiff_t stride_bytes, int height);

// Eight pixels next to each other whose sources lie within three rows of 16 px of the old image, as they do
// wherever it is neither turned nor shrunk by much: each is made of whole vectors, without gathering.
struct RemapBlock {
  static constexpr int kPixels = 8, kColumns = 16, kRows = 3;

  std::int32_t column = -1, row = 0;  // of the first source pixel; column -1: they do not lie so
  // Of the upper left of the four pixels that each is made of: its column, counted from `column` on; bit 7
  // where the old image does not show the pixel.
  std::array<std::uint8_t, kPixels> place{};
  std::array<std::uint8_t, kPixels> wx{};  // fraction in 1/128
  std::array<std::uint8_t, kPixels> wy{};  // likewise; bit 7: that pixel is in the second row
};

// Makes the pixels of blocks until one does not lie so; returns how many blocks were made. Images as large
// as a block at least.
int RemapBlocks(HostImageView<const std::uint8_t> from, const RemapBlock* blocks, int num_blocks,
                std::uint8_t* to);
int RemapBlocks(HostImageView<const Rgb8> from, const RemapBlock* blocks, int num_blocks, Rgb8* to);

// positions_x, positions_y: of the row's pixels, in 1/128 px; x = -1 where there is none. Returns how many
// pixels were made: the last few of a row, less than a vector, are left to the caller.
int RemapRow(HostImageView<const std::uint8_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint8_t* to);
int RemapRow(HostImageView<const std::uint16_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint16_t* to);
int RemapRow(HostImageView<const Rgb8> from, const std::int32_t* positions_x, const std::int32_t* positions_y,
             int width, Rgb8* to);

}  // namespace parallax::cpu
