// Learned trees judge each pixel's winner before holes are filled: a kept one may be rejected, a rejected one
// restored (docs/matching.md, "refinement"). Features and thresholds are bytes and a verdict is the sign of a
// sum of bytes, so every back end gets the same verdict. The trees are boosted and oblivious: all nodes of
// one level compare the same feature with the same threshold (Friedman 2001; Kohavi & Li 1995).
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Features of a pixel for the trees, each clamped to 0 .. 255. h: the selected disparity as a whole
// number (RoundedIndex plus the smallest disparity searched); without one, the smallest disparity. Windows of
// radius r reach r px to each side and end at the image's border.
enum class PixelFeature : std::uint8_t {
  kStatus,       // 0 kept, 1 occluded, 2 mismatched, 3 out of range, 4 rejected otherwise
  kDisparity,    // h
  kRow,          // 255 y / height
  kGray,         // of the left image
  kRightColumn,  // x - h + 64
  // 255 times the share of kept pixels within radius 4, 8, 16, 32.
  kKept4,
  kKept8,
  kKept16,
  kKept32,
  // Mean of the kept h within radius 8, 20, doubled, minus 2 h, plus 128, at least 1; 0 if none is kept.
  kMean8,
  kMean20,
  // Counts the pixels with a similar h among the twelve of a ring: 2 for each kept one, 1 for each other
  // (RingOf).
  kAgree2,
  kAgree4,
  kAgree11,
  kAgree16,
  // h minus the lowest within radius 5, 12.
  kLowest5,
  kLowest12,
  // h minus the lowest kept one within radius 5, 12, and the highest kept one minus h, plus 100, at most 254;
  // 255 if none is kept.
  kKeptLowest5,
  kKeptHighest5,
  kKeptLowest12,
  kKeptHighest12,
  // Four times the mean absolute difference of the gray levels on either side, along the row within radius 3
  // and 8, along the column within 8.
  kColumnEdges3,
  kColumnEdges8,
  kRowEdges8,
  // Eight times the distance of the selected disparity from the plane of its tile, and from the nearest of
  // those of the 3 x 3 surrounding tiles, 255 without a plane; the number of these less than 2 px away. The
  // planes are those of refinement.planes, fitted only to the kept pixels.
  kOwnPlane,
  kNearestPlane,
  kNumPlanes,
  kCount
};
inline constexpr int kNumPixelFeatures = static_cast<int>(PixelFeature::kCount);

inline constexpr int kTreeDepth = 6;
inline constexpr int kTreeLeaves = 1 << kTreeDepth;
struct PixelTree {
  // One for each level. The first level gives the highest bit of the leaf's number: 1 if the feature is above
  // the threshold.
  std::uint8_t features[kTreeDepth];
  std::uint8_t thresholds[kTreeDepth];
  std::int8_t leaves[kTreeLeaves];
};
// The value of the leaf that the features lead to. features: one byte for each PixelFeature.
constexpr int LeafOf(const PixelTree& tree, const std::uint8_t* features) {
  int leaf = 0;
  for (int level = 0; level < kTreeDepth; ++level)
    leaf = 2 * leaf + (features[tree.features[level]] > tree.thresholds[level] ? 1 : 0);
  return tree.leaves[leaf];
}
inline constexpr int kNumTrees = 256;
struct PixelTrees {
  int bias;
  PixelTree trees[kNumTrees];  // with the bias they add up to 16 bits
};

// Whether trees judge the pixels; never for AD-Census.
constexpr bool HasTrees(const Parameters& parameters) {
  return parameters.method == Method::kSgm && parameters.refinement.trees != TreeSet::kNone;
}
// set must not be kNone.
const PixelTrees& TreesOf(TreeSet set);

// --- features, as every back end computes them ------------------------------------
inline constexpr int kNumKeptRadii = 4, kNumMeanRadii = 2, kNumWindowRadii = 2, kNumRings = 4;
PARALLAX_HOST_DEVICE constexpr int KeptRadius(int i) { return 4 << i; }
PARALLAX_HOST_DEVICE constexpr int MeanRadius(int i) { return i == 0 ? 8 : 20; }
PARALLAX_HOST_DEVICE constexpr int WindowRadius(int i) { return i == 0 ? 5 : 12; }
inline constexpr int kSmallEdgeRadius = 3, kEdgeRadius = 8;
inline constexpr int kLargestFeatureRadius = 32;
struct AgreementRing {
  int radius;      // px
  int difference;  // largest number that counts
};
PARALLAX_HOST_DEVICE constexpr AgreementRing RingOf(int i) {
  return i == 0   ? AgreementRing{2, 1}
         : i == 1 ? AgreementRing{4, 1}
         : i == 2 ? AgreementRing{11, 2}
                  : AgreementRing{16, 3};
}
inline constexpr int kRingPixels = 12;
struct RingOffset {
  int x, y;
};
// Pixel number i on a ring of radius 2: (2, 0), (2, 1), (1, 2), and these rotated by quarter turns.
PARALLAX_HOST_DEVICE constexpr RingOffset RingOffsetOf(int i) {
  const int x = i % 3 == 2 ? 1 : 2, y = i % 3;
  return i < 3   ? RingOffset{x, y}
         : i < 6 ? RingOffset{-y, x}
         : i < 9 ? RingOffset{-x, -y}
                 : RingOffset{y, -x};
}
// The offset for a larger radius: scaled and rounded towards 0.
PARALLAX_HOST_DEVICE constexpr RingOffset ScaledTo(int radius, RingOffset offset) {
  return {offset.x * radius / 2, offset.y * radius / 2};
}

PARALLAX_HOST_DEVICE constexpr std::uint8_t ClampToByte(int value) {
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}
PARALLAX_HOST_DEVICE constexpr std::uint8_t StatusOf(std::uint8_t validity) {
  return static_cast<std::uint8_t>((validity & kRejected) == 0     ? 0
                                   : (validity & kOccluded) != 0   ? 1
                                   : (validity & kMismatched) != 0 ? 2
                                   : (validity & kOutOfRange) != 0 ? 3
                                                                   : 4);
}
// The index of a disparity, 0 .. D - 1. floor_of_half_more: the selected disparity plus 0.5, rounded down.
PARALLAX_HOST_DEVICE constexpr int RoundedIndex(float floor_of_half_more, int min_disparity) {
  return static_cast<int>(floor_of_half_more) - min_disparity;
}
PARALLAX_HOST_DEVICE constexpr std::uint8_t MeanFeature(int sum, int count, int index) {
  if (count == 0) return 0;
  const int difference = 2 * sum / count - 2 * index + 128;
  return ClampToByte(difference < 1 ? 1 : difference);
}
// distance: from the pixel's index to the window's lowest or highest kept one, above 0 inside their range.
PARALLAX_HOST_DEVICE constexpr std::uint8_t KeptExtremeFeature(bool is_any_kept, int distance) {
  if (!is_any_kept) return 255;
  return ClampToByte(distance + 100 > 254 ? 254 : distance + 100);
}
// 8 |value - plane|; at_row: the plane's value in the pixel's column and its center's row.
PARALLAX_HOST_DEVICE inline float PlaneEighths(float at_row, float slope_y, float from_center_y,
                                               float value) {
  const float difference = value - (at_row + slope_y * from_center_y);
  return 8.0F * (difference < 0.0F ? -difference : difference);
}
// The same rounded down, at most 255.
PARALLAX_HOST_DEVICE inline int PlaneDistance(const DisparityPlane& plane, float from_center_x,
                                              float from_center_y, float value) {
  const float eighths =
      PlaneEighths(plane.value + plane.slope_x * from_center_x, plane.slope_y, from_center_y, value);
  return eighths < 255.0F ? static_cast<int>(eighths) : 255;
}
inline constexpr int kNearPlane = 16;  // eighths of a px

// Whether the trees change the pixel: reject a kept one or restore a rejected one. sum: of the bias and a
// leaf of each tree, above 0 if the winner is more likely wrong; has_selected: the pixel has a selected
// disparity.
PARALLAX_HOST_DEVICE constexpr bool Changes(std::uint8_t validity, int sum, bool has_selected) {
  if ((validity & kRejected) == 0) return sum > 0;
  return sum <= 0 && has_selected && (validity & kOutOfRange) == 0;
}

}  // namespace parallax
