// Keys of the three-dimensional Hilbert curve.
#pragma once

#include <cstdint>

namespace parallax {

inline constexpr int kHilbertBits = 10;   // a dimension
inline constexpr int kHilbertBlock = 16;  // counts below are multiples of it

// Writes to keys[i] the place of the cell (x[i], y[i], z[i]), each below 2^kHilbertBits, on the curve
// (Skilling 2004, "Programming the Hilbert curve"). All arrays aligned to 64 bytes; count a multiple of
// kHilbertBlock.
void HilbertKeys(const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* z, int count,
                 std::uint32_t* keys);

}  // namespace parallax
