// Row kernels that remove islands: runs of pixels as bits.
#pragma once

#include <cstdint>

namespace parallax::cpu {

// Bits of a row of pixels, 64 to a word, for W rounded up to words: starts: pixel x - 1 differs by more than
// range, or only one of the two has a value; valid: has a value; joined: differs by at most range from the
// pixel above (zeros where above is null). row and above may be read a vector past the width.
void CompareNeighbors(const float* row, const float* above, int width, float range, std::uint64_t* starts,
                      std::uint64_t* valid, std::uint64_t* joined);

// The runs of a row: the bits that CompareNeighbors writes.
struct RunBits {
  const std::uint64_t *starts, *valid;
};
// Two runs, one directly below the other in at least one column: the index of each in its row, from 0.
struct RunPair {
  std::int32_t here, above;
};
// All such pairs of two rows, some more than once, from the bits of both and the bits that join pixels to
// those above. pairs: room for W. Returns their number.
int FindTouchingRuns(const RunBits& here, const RunBits& above, const std::uint64_t* joined, int width,
                     RunPair* pairs);

// Copies a row of disparities without the values of pixels whose bits are set, and marks those as speckles.
// Rows may be read and written a vector past the width; `to` may be `from`.
void CopyWithout(const std::uint64_t* struck, const float* from, int width, float* to,
                 std::uint8_t* validity);

}  // namespace parallax::cpu
