// Places on the three-dimensional Hilbert curve, one cell at a time, on the host and on the device.
//
// This is the definition: hilbert.h computes the same keys for many cells at a time with vectors. The table
// in cuda/cloud/neighbours/cuda_hilbert.h is another curve through the same cells, with two levels in each
// look-up.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// The place of a cell, each coordinate below 2^kBits, on the curve (Skilling 2004, "Programming the Hilbert
// curve").
template <int kBits>
PARALLAX_HOST_DEVICE constexpr std::uint64_t HilbertIndex(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  static_assert(3 * kBits <= 64);
  std::uint32_t cell[3] = {x, y, z};
  for (std::uint32_t bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& axis : cell) {
      const bool has = (axis & bit) != 0;
      const std::uint32_t exchange = has ? 0 : (cell[0] ^ axis) & below;
      cell[0] ^= has ? below : exchange;
      axis ^= exchange;
    }
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t gray = 0;
  for (std::uint32_t bit = 1u << (kBits - 1); bit > 1; bit >>= 1) {
    if ((cell[2] & bit) != 0) gray ^= bit - 1;
  }
  std::uint64_t index = 0;
  for (int bit = kBits - 1; bit >= 0; --bit) {
    for (const std::uint32_t axis : cell) index = index << 1 | (((axis ^ gray) >> bit) & 1u);
  }
  return index;
}

}  // namespace parallax
