// Row kernels of the filters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax::cpu {

// Carries the nearest values from a row to the next one, along steps from left above, above and right above
// (or below): each is the value of the pixel that the step comes from, or else the nearest value there. Rows
// may be read a pixel before and a vector past the width, nearest_beyond written a vector past it; it may be
// nearest itself.
void CarryNearest(const float* row, const float* const nearest[3], int width, float* const nearest_beyond[3]);

// Does the same for the row after the first of num_rows rows, stride apart, nearest first, by searching them.
// NaN if there is no value. Rows may be read as many pixels before and past the width as there are rows, and
// a vector.
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
