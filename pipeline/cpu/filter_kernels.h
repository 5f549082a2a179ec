// Row kernels of the filters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax::cpu {

// Bits of a row of pixels, 64 to a word, for W rounded up to words: starts: pixel x - 1 differs by more than
// range or just one of the two has a value; valid: has a value; joined: differs by at most range from the
// pixel above (zeros where above is null). row and above may be read a vector past the width.
void CompareNeighbors(const float* row, const float* above, int width, float range, std::uint64_t* starts,
                      std::uint64_t* valid, std::uint64_t* joined);

// nearest[x] of row y from row y - 1 (dy = +-1): values of the pixel at before[x] where there is one, else
// what that pixel's own nearest is. before and nearest_before are shifted by the caller along the direction.
void CarryNearest(const float* before, const float* nearest_before, int width, float* nearest);

// The nearest values before and after each hole of a row, along it; the other pixels' are not written. words:
// room for a bit a pixel.
void NearestAlongRow(const float* row, int width, std::uint64_t* words, float* from_left, float* from_right);

// Fills the pixels of a row that have no value from the nearest values in eight directions (docs/matching.md,
// "filter"); returns whether any stays without.
bool FillRow(const float* const nearest[8], int width, float* disparity, std::uint8_t* validity);

// Median of a side x side window (3 or 5); rows[i] are the rows around, with a margin of side / 2 pixels. NaN
// counts as the centre.
void MedianRow(const float* const* rows, int side, int width, float* filtered);

}  // namespace parallax::cpu
