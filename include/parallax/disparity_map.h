// A disparity map with the reason for every missing value and a confidence.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// Why a pixel lost its matched value (named bits, several may be set), and whether it was filled afterwards.
enum ValidityBits : std::uint8_t {
  kValid = 0,
  kNotUnique = 1 << 0,    // another disparity costs nearly as little (selection)
  kOccluded = 1 << 1,     // hidden in the right image (consistency)
  kMismatched = 1 << 2,   // visible there, but matched incorrectly (consistency)
  kOutOfRange = 1 << 3,   // the winner lies outside the right image (consistency)
  kSpeckle = 1 << 4,      // part of a small island (filter)
  kFilled = 1 << 5,       // filled: has a value again, interpolated from its surroundings (filter)
  kOutOfLimits = 1 << 6,  // outside the limits of depth, confidence, texture or brightness (live)
};
// A pixel with any of these bits and without kFilled has no value (NaN).
inline constexpr std::uint8_t kRejected =
    kNotUnique | kOccluded | kMismatched | kOutOfRange | kSpeckle | kOutOfLimits;

// disparity: px, x_left - x_right, NaN = no value.   validity: ValidityBits.
// confidence: 0 (ambiguous) .. 255 (unrivalled), of the winner before any filter.
struct DisparityMap {
  HostImage<float> disparity;
  HostImage<std::uint8_t> validity;
  HostImage<std::uint8_t> confidence;
};

// Disparities in OpenCV's CV_16S format: whole numbers of 1/16 px, rounded to the nearest, ties to even. A
// pixel without a value becomes (min_disparity - 1) * 16. Both images W x H.
void ToFixedPoint(HostImageView<const float> disparity, int min_disparity, HostImageView<std::int16_t> to);

inline DisparityMap Clone(const DisparityMap& map) {
  return {map.disparity.Clone(), map.validity.Clone(), map.confidence.Clone()};
}

}  // namespace parallax
