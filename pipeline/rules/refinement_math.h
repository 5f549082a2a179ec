// Constants and formulas of the refinement that every back end shares, each a sequence of single, correctly
// rounded operations. docs/matching.md, "refinement", explains them.
#pragma once

#include <cstdint>

#include "parallax/image.h"

namespace parallax {

// Represents a missing value: so far from every disparity that its weight is 0, so sums need neither masks
// nor NaNs.
inline constexpr float kNoValue = -1e9F;

// --- smoothing ----------------------------------------------------------------

// Pixels on either side in a pass along a row or a column, and their weights, exp(-offset^2 / 72) to 1/1024.
inline constexpr int kSmoothingTaps = 4;
inline constexpr int kSmoothingRadius_px = 7;
inline constexpr int kSmoothingOffsets_px[kSmoothingTaps] = {1, 3, 5, 7};
inline constexpr float kSmoothingWeights[kSmoothingTaps] = {1010.0F / 1024.0F, 904.0F / 1024.0F,
                                                            724.0F / 1024.0F, 518.0F / 1024.0F};

// Range of the pass number `pass`: halved from pass to pass.
inline float SmoothingRange(float range_px, int pass) {
  for (int i = 0; i < pass; ++i) range_px *= 0.5F;
  return range_px;
}

// The value `k` pixels outside the border of a line, from the border's value and the one k pixels inside:
// mirrored in the point at the border, so a slope continues. Far from every disparity if either is missing.
PARALLAX_HOST_DEVICE inline float MirroredInPoint(float border, float inside) {
  return (border + border) - inside;
}

// Sums of one pixel's weights and of its weighted differences.
struct SmoothingSums {
  float weights, differences;
};
// Adds a pair of neighbours at equal distances. reach: 4 range^2.
PARALLAX_HOST_DEVICE inline SmoothingSums AddNeighbors(SmoothingSums sums, float center, float before,
                                                       float after, float weight, float reach) {
  const float difference_before = before - center, difference_after = after - center;
  const float left_before = reach - difference_before * difference_before;
  const float left_after = reach - difference_after * difference_after;
  const float near_before = left_before > 0.0F ? left_before : 0.0F;
  const float near_after = left_after > 0.0F ? left_after : 0.0F;
  const float weight_before = near_before * near_before, weight_after = near_after * near_after;
  return {sums.weights + weight * (weight_before + weight_after),
          sums.differences + weight * (weight_before * difference_before + weight_after * difference_after)};
}

// --- planes -------------------------------------------------------------------
// A tile's plane is fitted to samples in columns and rows around its centre.
inline constexpr int kPlaneSamples = 15;  // in each direction
inline constexpr int kPlaneSampleRadius = kPlaneSamples / 2;
// Sums are taken over the rows of each column, then over the columns. For this a column of zeros makes them
// 16, which become 8 by adding column i + 8 to column i, then 4, 2 and 1.
inline constexpr int kPlaneColumns = 16;
// Rounds of weighted least squares; the tolerance of each as a multiple of the parameter.
inline constexpr int kPlaneRounds = 4;
inline constexpr float kPlaneRoundTolerances[kPlaneRounds] = {6.0F, 3.0F, 1.5F, 1.0F};
inline constexpr float kPlaneRidge =
    4.0F;  // added to the spread of the samples, steps^2: with few of them there is no slope
inline constexpr float kPlaneLargestSlope = 1.5F;  // px of disparity for each pixel
inline constexpr float kPlaneLeastWeight = 0.5F;   // of all samples; a tile with less has no plane
inline constexpr float kKeptWeight = 1.0F, kRejectedWeight = 0.5F;  // of a sample, depending on its pixel's
                                                                    // state
// A rejected pixel chooses among the planes of the tiles around it by five pixels, the corners of a square
// around it and itself, in reading order.
inline constexpr int kSupportPixels = 5;
inline constexpr int kSupportStep_px = 3;
// The offset of support pixel number i, in steps.
PARALLAX_HOST_DEVICE constexpr int SupportColumn(int i) { return i == 2 ? 0 : i % 3 == 0 ? -1 : 1; }
PARALLAX_HOST_DEVICE constexpr int SupportRow(int i) { return i < 2 ? -1 : i == 2 ? 0 : 1; }
static_assert(SupportColumn(0) == -1 && SupportColumn(1) == 1 && SupportColumn(3) == -1 &&
              SupportColumn(4) == 1);
inline constexpr int kSupportGray = 32;  // difference of gray above which a sample has no weight

// 4 (tolerance * factor)^2: a larger squared residual has no weight.
PARALLAX_HOST_DEVICE inline float PlaneReach(float tolerance_px, float factor) {
  const float tolerance = tolerance_px * factor;
  return 4.0F * (tolerance * tolerance);
}

// disparity = value + slope_x * (x - x of the centre) + slope_y * (y - y of the centre).
struct DisparityPlane {
  float value = kNoValue, slope_x = 0.0F, slope_y = 0.0F;  // value kNoValue: none
};

// Weighted sums over samples at column u and row v (steps from the centre) of value d.
struct PlaneColumnSums {
  float w, wv, wvv, wd, wvd;
};
PARALLAX_HOST_DEVICE inline PlaneColumnSums AddPlaneSample(PlaneColumnSums sums, float weight, float d,
                                                           float v, float plane, float inverse_reach) {
  const float residual = d - plane;
  const float left = 1.0F - residual * residual * inverse_reach;
  const float nearness = left > 0.0F ? left : 0.0F;
  const float w = weight * (nearness * nearness);
  const float wv = w * v, wd = w * d;
  return {sums.w + w, sums.wv + wv, sums.wvv + wv * v, sums.wd + wd, sums.wvd + wd * v};
}
inline constexpr int kPlaneMoments = 9;
struct PlaneMoments {
  float w, wu, wv, wuu, wuv, wvv, wd, wud, wvd;
};
PARALLAX_HOST_DEVICE inline PlaneMoments MomentsOfColumn(const PlaneColumnSums& s, float u) {
  const float wu = s.w * u;
  return {s.w, wu, s.wv, wu * u, s.wv * u, s.wvv, s.wd, s.wd * u, s.wvd};
}
PARALLAX_HOST_DEVICE inline float ClampTo(float value, float low, float high) {
  return value < low ? low : value > high ? high : value;
}
// The plane of least squares, in steps; m.w is above 0. largest_slope: px in a step.
PARALLAX_HOST_DEVICE inline DisparityPlane SolvePlane(const PlaneMoments& m, float largest_slope) {
  const float mean_u = m.wu / m.w, mean_v = m.wv / m.w;
  const float uu = (m.wuu - mean_u * m.wu) + kPlaneRidge, vv = (m.wvv - mean_v * m.wv) + kPlaneRidge;
  const float uv = m.wuv - mean_u * m.wv;
  const float ud = m.wud - mean_u * m.wd, vd = m.wvd - mean_v * m.wd;
  const float determinant = uu * vv - uv * uv;
  const float slope_x = ClampTo((ud * vv - vd * uv) / determinant, -largest_slope, largest_slope);
  const float slope_y = ClampTo((vd * uu - ud * uv) / determinant, -largest_slope, largest_slope);
  return {((m.wd - slope_x * m.wu) - slope_y * m.wv) / m.w, slope_x, slope_y};
}

// Weight of a sample for a pixel's choice.
PARALLAX_HOST_DEVICE inline int SupportWeight(bool is_kept, int gray, int gray_of_pixel) {
  const int difference = gray > gray_of_pixel ? gray - gray_of_pixel : gray_of_pixel - gray;
  const int alike = difference < kSupportGray ? kSupportGray - difference : 0;
  return is_kept ? 2 * alike : alike;
}

}  // namespace parallax
