// The weight of the matching costs of a tile of the left image. It is lower where the image is nearly uniform
// (even), because noise looks like texture there. docs/matching.md, "matching_cost".
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

inline constexpr int kWeightTile_px = 8;      // side of a tile, whose pixels have one weight
inline constexpr int kWeightTilesAround = 2;  // tiles on either side over which evenness is measured
inline constexpr std::uint32_t kWholeWeight = 256;

struct WeightRule {
  std::uint32_t even_weight = kWholeWeight;  // where the image is even, of 256
  std::uint32_t even_below = 0;              // hundredths of a gray level; whole weight from twice as much on

  PARALLAX_HOST_DEVICE constexpr bool weighs() const { return even_weight < kWholeWeight; }
};

PARALLAX_HOST_DEVICE constexpr int NumWeightTiles(int size_px) {
  return (size_px + kWeightTile_px - 1) / kWeightTile_px;
}
// The side of the square over which a tile's evenness is measured, px, cut at the image's borders.
PARALLAX_HOST_DEVICE constexpr int PixelsAroundTile(int tile, int size_px) {
  const int first = (tile - kWeightTilesAround) * kWeightTile_px;
  const int end = (tile + kWeightTilesAround + 1) * kWeightTile_px;
  return (end < size_px ? end : size_px) - (first > 0 ? first : 0);
}

// The weight of a tile's costs, of 256. differences: the sum over num_pixels pixels, each at most 4080.
PARALLAX_HOST_DEVICE constexpr std::uint32_t CostWeight(const WeightRule& rule, std::uint32_t differences,
                                                        std::uint32_t num_pixels) {
  const std::uint32_t mean = 25 * differences / (4 * num_pixels);  // hundredths of a gray level
  if (mean <= rule.even_below) return rule.even_weight;
  if (mean >= 2 * rule.even_below) return kWholeWeight;
  return rule.even_weight + (kWholeWeight - rule.even_weight) * (mean - rule.even_below) / rule.even_below;
}

}  // namespace parallax
