// Row kernels of the filters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax::cpu {

// Carries the nearest values from a row to the next one, along steps from left above, above and right above
// (or below). Each is the value of the pixel that the step comes from or, if that has none, the nearest value
// carried to it. May read the rows from a pixel before to a vector past the width, and write nearest_beyond
// up to a vector past it. nearest_beyond may be nearest itself.
void CarryNearest(const float* row, const float* const nearest[3], int width, float* const nearest_beyond[3]);

// Finds the same values for the row after first_row by searching num_rows rows, stride apart, nearest first.
// NaN if there is no value. May read the rows from num_rows pixels before to num_rows pixels and a vector
// past the width.
void FindNearest(const float* first_row, std::ptrdiff_t stride, int num_rows, int width,
                 float* const nearest_beyond[3]);

// Gives the pixels of a row without a value those of another row.
void FillFrom(const float* other, int width, float* row);

// Finds the nearest values before and after each hole along a row; those of other pixels, and of a vector
// past the row, are undefined. words: room for one bit for each pixel.
void NearestAlongRow(const float* row, int width, std::uint64_t* words, float* from_left, float* from_right);

// Fills the pixels of a row without a value from the nearest values in eight directions (docs/matching.md,
// "filter"); returns whether any is left without.
bool FillRow(const float* const nearest[8], int width, float* disparity, std::uint8_t* validity);

// Takes the median of a side x side window (3 or 5). rows[i]: the surrounding rows, with a margin of side / 2
// pixels. NaN counts as the centre's value.
void MedianRow(const float* const* rows, int side, int width, float* filtered);

}  // namespace parallax::cpu
