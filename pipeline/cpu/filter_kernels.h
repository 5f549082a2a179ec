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

// Of those of a row.
struct RunBits {
  const std::uint64_t *starts, *valid;
};
// Numbers, in their rows, of two runs of which a pixel lies above one of the other.
struct RunPair {
  std::int32_t here, above;
};
// All such pairs of two rows, some more than once, from the bits of both and where pixels are joined to those
// above. pairs: room for W. Returns how many there are.
int FindTouchingRuns(const RunBits& here, const RunBits& above, const std::uint64_t* joined, int width,
                     RunPair* pairs);

// From a row, and its nearest values along the steps to it from left above, above and right above (or below),
// to those of the row beyond: the pixel that a step leads from, if it has a value, else what is nearest
// there. Rows may be read a pixel before and a vector past the width, nearest_beyond written a vector past
// it; that may be nearest itself.
void CarryNearest(const float* row, const float* const nearest[3], int width, float* const nearest_beyond[3]);

// Gives the pixels of a row that have no value those of another.
void FillFrom(const float* other, int width, float* row);

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
