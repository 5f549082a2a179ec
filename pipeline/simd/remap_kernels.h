// A row of a remapped image, vectors at a time; see pipeline/calibration/remap.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/image.h"

namespace parallax::cpu {

// Whether offsets of such an image fit 32 bits, and rows run downwards.
bool CanRemapByVectors(std::ptrdiff_t stride_bytes, int height);

// positions_x, positions_y: of the row's pixels, in 1/128 px; x = -1 where there is none. Returns how many
// pixels were made: the last few of a row, less than a vector, are left to the caller.
int RemapRow(HostImageView<const std::uint8_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint8_t* to);
int RemapRow(HostImageView<const std::uint16_t> from, const std::int32_t* positions_x,
             const std::int32_t* positions_y, int width, std::uint16_t* to);
int RemapRow(HostImageView<const Rgb8> from, const std::int32_t* positions_x, const std::int32_t* positions_y,
             int width, Rgb8* to);

}  // namespace parallax::cpu
