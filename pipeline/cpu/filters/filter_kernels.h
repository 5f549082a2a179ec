// Row kernels of the filters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax::cpu {

// From a row, and its nearest values along the steps to it from left above, above and right above (or below),
// to those of the row beyond: the pixel that a step leads from, if it has a value, else what is nearest
// there. Rows may be read a pixel before and a vector past the width, nearest_beyond written a vector past
// it; that may be nearest itself.
void CarryNearest(const float* row, const float* const nearest[3], int width, float* const nearest_beyond[3]);

// The same for the row beyond the first of several, stride apart, the nearest first, by looking for it; NaN
// where there is none. Rows may be read as many pixels before and past the width as there are rows, and a
// vector.
void FindNearest(const float* first_row, std::ptrdiff_t stride, int num_rows, int width,
                 float* const nearest_beyond[3]);

// Gives the pixels of a row that have no value those of another.
void FillFrom(const float* other, int width, float* row);

// The nearest values before and after each hole of a row, along it; other pixels', and those of a vector past
// the row, may be anything. words: room for a bit a pixel.
void NearestAlongRow(const float* row, int width, std::uint64_t* words, float* from_left, float* from_right);

// Fills the pixels of a row that have no value from the nearest values in eight directions (docs/matching.md,
// "filter"); returns whether any stays without.
bool FillRow(const float* const nearest[8], int width, float* disparity, std::uint8_t* validity);

// Median of a side x side window (3 or 5); rows[i] are the rows around, with a margin of side / 2 pixels. NaN
// counts as the centre.
void MedianRow(const float* const* rows, int side, int width, float* filtered);

}  // namespace parallax::cpu
