// The numbers of the auction that cpu and device share: units, boxes, and the sequence of epsilons.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax::emd {

inline constexpr int kBoxSize = 32;                                  // points of a box
inline constexpr int kUnitBits = 24;                                 // the diagonal is at most 2^24 units
inline constexpr std::int32_t kFar = 1 << 29;                        // above every price and value: "none"
inline constexpr std::int32_t kLargestRaise = 1 << (kUnitBits + 1);  // of a price by one bid, minus epsilon

inline constexpr int kEpsilonDivisor = 4;  // from phase to phase
// A phase before the last ends when this share of the persons is unassigned.
inline constexpr double kCoarseEnd = 0.01;

// Epsilons of a run, in units. The first comes from an upper bound of the mean cost. The final one ends the
// run within the gap, given the best lower bound of the mean cost so far (a complete assignment costs at most
// epsilon more for each person than the bound of the same prices).
PARALLAX_HOST_DEVICE constexpr std::int32_t FirstEpsilon(double upper_mean) {
  const double epsilon = upper_mean / 16;
  return static_cast<std::int32_t>(epsilon > 1 ? epsilon : 1);
}
PARALLAX_HOST_DEVICE constexpr std::int32_t FinalEpsilon(double lower_mean, double gap) {
  const double epsilon = 0.98 * gap * lower_mean - 1;
  constexpr double kMost = 1 << kUnitBits;
  return static_cast<std::int32_t>(epsilon < 1 ? 1 : epsilon > kMost ? kMost : epsilon);
}

}  // namespace parallax::emd
