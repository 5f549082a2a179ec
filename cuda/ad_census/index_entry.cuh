// Entries of the map that refinement fills in place: the index of a disparity, and above it the round of
// voting that set it, 0 for the others. A voting pixel ignores entries of the same round.
#pragma once

#include <cstdint>

namespace parallax::cuda::ad_census {

inline constexpr std::int16_t kNoIndex = -1;
inline constexpr int kIndexBits = 10, kMaxRounds = 16;
static_assert((kMaxRounds + 1) << kIndexBits <= INT16_MAX + 1);

__device__ __forceinline__ int IndexIn(int entry) { return entry & ((1 << kIndexBits) - 1); }
// Whether there is an index, and one from before a round.
__device__ __forceinline__ bool IsFrom(int entry, int before_round) {
  return static_cast<unsigned>(entry) < static_cast<unsigned>(before_round) << kIndexBits;
}

}  // namespace parallax::cuda::ad_census
