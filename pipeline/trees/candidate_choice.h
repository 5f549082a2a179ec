// Learned trees choose the value of each pixel whose winner stays rejected. There are four candidates: that
// of the plane from refinement.planes, the filled one, and the lowest and the highest of the surrounding
// planes (docs/matching.md, "refinement"). The same trees rate every candidate; the one with the least error
// score is taken. Everything that a back end computes is here, one operation at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/trees/pixel_trees.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Features of a candidate for the trees, each clamped to 0 .. 255. v: the candidate's disparity. Rings are
// those of CandidateRingOf; their pixels have the values of the filled map.
enum class CandidateFeature : std::uint8_t {
  // Features of the pixel, the same for all candidates.
  kStatus,  // see PixelFeature; after the verdicts
  kGray,    // of the left image
  kRow,     // 255 y / height
  kSlopeX,  // 80 times the slopes of its own tile's plane, plus 128
  kSlopeY,
  kKept28,  // number of kept pixels on the ring
  kGap,     // px to the nearest kept pixel on the left; 255 if there is none (kNearestKept_px)
  // Features of the candidate.
  kDisparity,    // v
  kRightColumn,  // x - v + 64
  // Four times v minus another value, plus 128: the chosen plane's, the filled one, the own tile's plane's
  // (the chosen one's if it has none), that of the nearest kept pixel on the left and on the right (255 if
  // there is none).
  kAbovePlane,
  kAboveFilled,
  kAboveOwnPlane,
  kAboveLeft,
  kAboveRight,
  // See PixelFeature. These belong to the planes that give rejected pixels their values.
  kOwnPlane,
  kNearestPlane,
  kNumPlanes,
  // Counts the pixels of the ring with a similar value: 2 for each kept one, 1 for each other. On rings above
  // 2 their gray level must be similar, too.
  kAgree2,
  kAgree4,
  kAgree16,
  kAgree28,
  // Mean of the ring's kept values, doubled, minus 2 v, plus 128, at least 1; 0 if none is kept.
  kMean4,
  kMean16,
  kMean28,
  kHigher28,  // number of the ring's kept pixels with a much higher value
  kCount
};
inline constexpr int kNumCandidateFeatures = static_cast<int>(CandidateFeature::kCount);

inline constexpr int kNumCandidateTrees = 128;
struct CandidateTrees {
  int bias;
  PixelTree trees[kNumCandidateTrees];  // with the bias they add up to 16 bits
};

// Whether trees choose among candidates.
constexpr bool HasChoice(const Parameters& parameters) {
  return HasTrees(parameters) && parameters.refinement.planes;
}
// set must not be kNone.
const CandidateTrees& CandidateTreesOf(TreeSet set);

inline constexpr int kNearestKept_px = 64;  // search distance for kept pixels

// The input of the choice, in the memory of the back end; strides in elements.
struct CandidateView {
  int width, height;
  const float* filled;  // after filling, before planes
  std::ptrdiff_t filled_stride;
  const std::uint8_t* validity;
  std::ptrdiff_t validity_stride;
  const std::uint8_t* guide;
  std::ptrdiff_t guide_stride;
  const DisparityPlane* planes;  // of the tiles with rejected pixels in or next to them
  std::ptrdiff_t planes_stride;
  int tile_px, tiles_x, tiles_y;
  float lowest, highest;  // disparities

  PARALLAX_HOST_DEVICE bool Contains(int x, int y) const {
    return x >= 0 && x < width && y >= 0 && y < height;
  }
  PARALLAX_HOST_DEVICE float FilledAt(int x, int y) const { return filled[y * filled_stride + x]; }
  PARALLAX_HOST_DEVICE std::uint8_t ValidityAt(int x, int y) const {
    return validity[y * validity_stride + x];
  }
  PARALLAX_HOST_DEVICE bool IsKept(int x, int y) const { return (ValidityAt(x, y) & kRejected) == 0; }
  PARALLAX_HOST_DEVICE int GuideAt(int x, int y) const { return guide[y * guide_stride + x]; }
  PARALLAX_HOST_DEVICE const DisparityPlane& PlaneOf(int column, int row) const {
    return planes[row * planes_stride + column];
  }
  // The nearest kept pixel along the row in steps of `step`: its distance, px, or 0 if there is none.
  PARALLAX_HOST_DEVICE int DistanceToKept(int x, int y, int step) const {
    for (int i = 1; i <= kNearestKept_px; ++i) {
      const int u = x + i * step;
      if (u < 0 || u >= width) return 0;
      if (IsKept(u, y)) return i;
    }
    return 0;
  }
};

// --- candidates -------------------------------------------------------------------
inline constexpr int kNumCandidates = 4;  // plane, filled, lowest plane, highest plane
inline constexpr int kTilesAround = 9;
struct Candidates {
  float values[kNumCandidates];
  float of_tiles[kTilesAround];  // of the planes of the surrounding tiles, in reading order; kNoValue: none
};
inline constexpr float kLeastSpread_px = 1.0F;  // minimum difference between candidates for a choice

// Finds the values that a pixel may take. from_planes: its value after refinement.planes. False if there is
// nothing to choose: the pixel is kept or has no value, or its candidates are close together.
PARALLAX_HOST_DEVICE inline bool FindCandidates(const CandidateView& view, int x, int y, float from_planes,
                                                Candidates& candidates) {
  if (view.IsKept(x, y) || from_planes != from_planes) return false;
  const float filled = view.FilledAt(x, y);
  float lowest = view.highest, highest = view.lowest;
  bool has_any = false;
  for (int i = 0; i < kTilesAround; ++i) {
    candidates.of_tiles[i] = kNoValue;
    const int column = x / view.tile_px + i % 3 - 1, row = y / view.tile_px + i / 3 - 1;
    if (column < 0 || column >= view.tiles_x || row < 0 || row >= view.tiles_y) continue;
    const DisparityPlane& plane = view.PlaneOf(column, row);
    if (plane.value == kNoValue) continue;
    const float from_center_x = static_cast<float>(x - (column * view.tile_px + view.tile_px / 2));
    const float from_center_y = static_cast<float>(y - (row * view.tile_px + view.tile_px / 2));
    const float at_row = plane.value + plane.slope_x * from_center_x;
    candidates.of_tiles[i] = at_row + plane.slope_y * from_center_y;
    const float above = candidates.of_tiles[i] > view.lowest ? candidates.of_tiles[i] : view.lowest;
    const float value = above < view.highest ? above : view.highest;
    lowest = value < lowest ? value : lowest;
    highest = value > highest ? value : highest;
    has_any = true;
  }
  candidates.values[0] = from_planes;
  candidates.values[1] = filled == filled ? filled : from_planes;
  candidates.values[2] = has_any ? lowest : from_planes;
  candidates.values[3] = has_any ? highest : from_planes;
  float least = from_planes, most = from_planes;
  for (int i = 1; i < kNumCandidates; ++i) {
    least = candidates.values[i] < least ? candidates.values[i] : least;
    most = candidates.values[i] > most ? candidates.values[i] : most;
  }
  return most - least > kLeastSpread_px;
}

// --- features ---------------------------------------------------------------------
inline constexpr int kNumCandidateRings = 4;
struct CandidateRing {
  int radius;        // px
  float difference;  // largest small difference
};
PARALLAX_HOST_DEVICE constexpr CandidateRing CandidateRingOf(int i) {
  return i == 0   ? CandidateRing{2, 1.0F}
         : i == 1 ? CandidateRing{4, 1.0F}
         : i == 2 ? CandidateRing{16, 2.0F}
                  : CandidateRing{28, 3.0F};
}
inline constexpr int kAlikeGray = 16;  // difference from which gray levels are dissimilar

// Written without branches, here and below, because they would be unpredictable.
PARALLAX_HOST_DEVICE inline std::uint8_t ToByte(float value) {
  const float above = value > 0.0F ? value : 0.0F;
  return static_cast<std::uint8_t>(static_cast<int>(above < 255.0F ? above : 255.0F));
}
PARALLAX_HOST_DEVICE inline std::uint8_t QuartersAbove(float value, float other) {
  return ToByte(128.0F + 4.0F * (value - other));
}

// Counts over a ring's pixels.
struct RingCounts {
  int agreement[kNumCandidates], num_higher[kNumCandidates], num_kept;
  float sum;  // of the kept values
};
// A pixel of ring number `ring` around (x, y).
PARALLAX_HOST_DEVICE inline void AddRingPixel(const CandidateView& view, int x, int y, int ring,
                                              RingOffset of_radius_2, bool is_far_inside, int gray,
                                              const float (&values)[kNumCandidates], RingCounts& counts) {
  const RingOffset at = ScaledTo(CandidateRingOf(ring).radius, of_radius_2);
  const float little = CandidateRingOf(ring).difference;
  if (!is_far_inside && !view.Contains(x + at.x, y + at.y)) return;
  const float value = view.FilledAt(x + at.x, y + at.y);
  const int difference = view.GuideAt(x + at.x, y + at.y) - gray;
  const int is_kept = view.IsKept(x + at.x, y + at.y) ? 1 : 0;
  const int is_alike = (difference < kAlikeGray ? 1 : 0) & (difference > -kAlikeGray ? 1 : 0);
  const int weight = (1 + is_kept) & -(ring == 0 ? 1 : is_alike);
  counts.num_kept += is_kept;
  counts.sum += is_kept != 0 ? value : 0.0F;
  for (int i = 0; i < kNumCandidates; ++i) {
    const float above = value - values[i];  // a missing value is neither near nor higher
    const int agrees = (above <= little ? 1 : 0) & (above >= -little ? 1 : 0);
    counts.agreement[i] += weight & -agrees;
    counts.num_higher[i] += is_kept & (above > little ? 1 : 0);
  }
}
template <int... kPixels>  // so that the offsets are constants
PARALLAX_HOST_DEVICE inline RingCounts CountRing(const CandidateView& view, int x, int y, int ring,
                                                 const float (&values)[kNumCandidates],
                                                 std::integer_sequence<int, kPixels...>) {
  const int reach = CandidateRingOf(ring).radius;
  const bool is_far_inside = x >= reach && x < view.width - reach && y >= reach && y < view.height - reach;
  const int gray = view.GuideAt(x, y);
  RingCounts counts{};
  (AddRingPixel(view, x, y, ring, RingOffsetOf(kPixels), is_far_inside, gray, values, counts), ...);
  return counts;
}

// Calls put(feature, i, byte) for each candidate number i and each feature that does not come from a ring.
// View: a CandidateView, or a back end's own class with a faster DistanceToKept.
template <typename View, typename Put>
PARALLAX_HOST_DEVICE inline void MakePointFeatures(const View& view, int x, int y,
                                                   const Candidates& candidates, const Put& put) {
  using F = CandidateFeature;
  const auto put_all = [&](F feature, std::uint8_t byte) {
    for (int i = 0; i < kNumCandidates; ++i) put(feature, i, byte);
  };
  const DisparityPlane& own = view.PlaneOf(x / view.tile_px, y / view.tile_px);
  put_all(F::kStatus, StatusOf(view.ValidityAt(x, y)));
  put_all(F::kGray, static_cast<std::uint8_t>(view.GuideAt(x, y)));
  put_all(F::kRow, ClampToByte(255 * y / view.height));
  put_all(F::kSlopeX, ToByte(128.0F + 80.0F * own.slope_x));
  put_all(F::kSlopeY, ToByte(128.0F + 80.0F * own.slope_y));
  const int left = view.DistanceToKept(x, y, -1), right = view.DistanceToKept(x, y, 1);
  put_all(F::kGap, ClampToByte(left == 0 ? 255 : left));
  const float value_left = left == 0 ? 0.0F : view.FilledAt(x - left, y);
  const float value_right = right == 0 ? 0.0F : view.FilledAt(x + right, y);
  const float of_own = candidates.of_tiles[4] == kNoValue
                           ? candidates.values[0]
                           : ClampTo(candidates.of_tiles[4], view.lowest, view.highest);
  for (int i = 0; i < kNumCandidates; ++i) {
    const float v = candidates.values[i];
    put(F::kDisparity, i, ToByte(v));
    put(F::kRightColumn, i, ToByte(static_cast<float>(x) - v + 64.0F));
    put(F::kAbovePlane, i, QuartersAbove(v, candidates.values[0]));
    put(F::kAboveFilled, i, QuartersAbove(v, candidates.values[1]));
    put(F::kAboveOwnPlane, i, QuartersAbove(v, of_own));
    put(F::kAboveLeft, i, left == 0 ? 255 : QuartersAbove(v, value_left));
    put(F::kAboveRight, i, right == 0 ? 255 : QuartersAbove(v, value_right));
    // 255 without a plane, since kNoValue is far away.
    float own_distance = 255.0F, nearest = 255.0F;
    int num_near = 0;
    for (int k = 0; k < kTilesAround; ++k) {
      const float difference = v - candidates.of_tiles[k];
      const float distance = 8.0F * (difference > 0.0F ? difference : -difference);
      if (k == kTilesAround / 2) own_distance = distance;
      nearest = distance < nearest ? distance : nearest;
      num_near += distance < static_cast<float>(kNearPlane) ? 1 : 0;
    }
    put(F::kOwnPlane, i, ToByte(own_distance));
    put(F::kNearestPlane, i, ToByte(nearest));
    put(F::kNumPlanes, i, static_cast<std::uint8_t>(num_near));
  }
}
// The same for the features of a ring.
template <typename Put>
PARALLAX_HOST_DEVICE inline void MakeRingFeatures(const CandidateView& view, int x, int y, int ring,
                                                  const float (&values)[kNumCandidates], const Put& put) {
  using F = CandidateFeature;
  const auto feature = [&](F first, int i) { return static_cast<F>(static_cast<int>(first) + i); };
  const RingCounts counts =
      CountRing(view, x, y, ring, values, std::make_integer_sequence<int, kRingPixels>{});
  const float mean = counts.num_kept > 0 ? counts.sum / static_cast<float>(counts.num_kept) : 0.0F;
  for (int i = 0; i < kNumCandidates; ++i) {
    put(feature(F::kAgree2, ring), i, static_cast<std::uint8_t>(counts.agreement[i]));
    if (ring > 0) {
      const float above = 128.0F + 2.0F * (mean - values[i]);
      put(feature(F::kMean4, ring - 1), i,
          counts.num_kept == 0 ? std::uint8_t{0} : ToByte(above < 1.0F ? 1.0F : above));
    }
    if (ring == kNumCandidateRings - 1) {
      put(F::kHigher28, i, static_cast<std::uint8_t>(counts.num_higher[i]));
      put(F::kKept28, i, static_cast<std::uint8_t>(counts.num_kept));
    }
  }
}
// Makes the features of points and of all rings.
template <typename View, typename Put>
PARALLAX_HOST_DEVICE inline void MakeCandidateFeatures(const View& view, int x, int y,
                                                       const Candidates& candidates, const Put& put) {
  MakePointFeatures(view, x, y, candidates, put);
  for (int ring = 0; ring < kNumCandidateRings; ++ring)
    MakeRingFeatures(view, x, y, ring, candidates.values, put);
}

// --- choice -----------------------------------------------------------------------

// How much lower, in leaves' units, another candidate's sum must be than that of the plane's value.
inline constexpr int kChoiceMargin = 32;

// The number of the candidate to take. sums: of the bias and a leaf of each tree; higher means more likely
// wrong.
PARALLAX_HOST_DEVICE constexpr int BestCandidate(const int (&sums)[kNumCandidates]) {
  int best = 0, lowest = sums[0] - kChoiceMargin;
  for (int i = 1; i < kNumCandidates; ++i) {
    if (sums[i] < lowest) best = i, lowest = sums[i];
  }
  return best;
}

}  // namespace parallax
