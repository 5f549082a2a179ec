#include "pipeline/cpu/filters/plane_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/plane_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "parallax/disparity_map.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;
using ColumnTag = hn::CappedTag<float, kPlaneColumns>;
using VC = hn::Vec<ColumnTag>;

struct LocalSamples {
  alignas(64) float values[kPlaneSamples][kPlaneColumns];
  alignas(64) float weights[kPlaneSamples][kPlaneColumns];
};

// Weight of the samples below a value.
float WeightBelow(const LocalSamples& samples, float value) {
  const ColumnTag d;
  const VC limit = hn::Set(d, value);
  VC sum = hn::Zero(d);
  for (int column = 0; column < kPlaneColumns; column += static_cast<int>(hn::Lanes(d))) {
    for (int row = 0; row < kPlaneSamples; ++row) {
      const VC at = hn::Load(d, samples.values[row] + column);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Lt(at, limit), hn::Load(d, samples.weights[row] + column)));
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));  // halves add up without rounding
}

// Sums each row of kPlaneColumns moments in the order that refinement_math.h states.
void SumOverColumns(const float (*HWY_RESTRICT moments)[kPlaneColumns], float* HWY_RESTRICT sums) {
  const hn::CappedTag<float, 4> d;
  alignas(16) float quarters[4];
  for (int i = 0; i < kPlaneMoments; ++i) {
    const float* HWY_RESTRICT m = moments[i];
    for (int j = 0; j < 4; j += static_cast<int>(hn::Lanes(d))) {
      const auto low = hn::Add(hn::Load(d, m + j), hn::Load(d, m + 8 + j));
      const auto high = hn::Add(hn::Load(d, m + 4 + j), hn::Load(d, m + 12 + j));
      hn::Store(hn::Add(low, high), d, quarters + j);
    }
    sums[i] = (quarters[0] + quarters[2]) + (quarters[1] + quarters[3]);
  }
}

// The operations of AddPlaneSample() and MomentsOfColumn(), for all columns. Values are above the start.
void FindMoments(const LocalSamples& samples, const DisparityPlane& plane, float inverse,
                 float (*HWY_RESTRICT moments)[kPlaneColumns]) {
  const ColumnTag d;
  const VC zero = hn::Zero(d), one = hn::Set(d, 1.0F), inverse_reach = hn::Set(d, inverse);
  for (int column = 0; column < kPlaneColumns; column += static_cast<int>(hn::Lanes(d))) {
    const VC u = hn::Iota(d, static_cast<float>(column - kPlaneSampleRadius));
    const VC of_column = hn::Add(hn::Set(d, plane.value), hn::Mul(hn::Set(d, plane.slope_x), u));
    VC sum_w = zero, sum_wv = zero, sum_wvv = zero, sum_wd = zero, sum_wvd = zero;
    for (int row = 0; row < kPlaneSamples; ++row) {
      const float v_of_row = static_cast<float>(row - kPlaneSampleRadius);
      const VC v = hn::Set(d, v_of_row);
      const VC value = hn::Load(d, samples.values[row] + column);
      const VC residual = hn::Sub(value, hn::Add(of_column, hn::Set(d, plane.slope_y * v_of_row)));
      const VC left = hn::Sub(one, hn::Mul(hn::Mul(residual, residual), inverse_reach));
      const VC nearness = hn::Max(left, zero);
      const VC w = hn::Mul(hn::Load(d, samples.weights[row] + column), hn::Mul(nearness, nearness));
      const VC wv = hn::Mul(w, v), wd = hn::Mul(w, value);
      sum_w = hn::Add(sum_w, w);
      sum_wv = hn::Add(sum_wv, wv);
      sum_wvv = hn::Add(sum_wvv, hn::Mul(wv, v));
      sum_wd = hn::Add(sum_wd, wd);
      sum_wvd = hn::Add(sum_wvd, hn::Mul(wd, v));
    }
    const VC wu = hn::Mul(sum_w, u);
    const VC all[kPlaneMoments] = {
        sum_w, wu, sum_wv, hn::Mul(wu, u), hn::Mul(sum_wv, u), sum_wvv, sum_wd, hn::Mul(sum_wd, u), sum_wvd};
    for (int i = 0; i < kPlaneMoments; ++i) hn::Store(all[i], d, moments[i] + column);
  }
}

// The last column has no samples.
void LoadSamples(const PlaneSampleGrid& grid, LocalSamples& samples) {
  const ColumnTag d;
  for (int row = 0; row < kPlaneSamples; ++row) {
    for (int column = 0; column < kPlaneColumns; column += static_cast<int>(hn::Lanes(d))) {
      hn::Store(hn::LoadU(d, grid.values + row * grid.stride + column), d, samples.values[row] + column);
      hn::Store(hn::LoadU(d, grid.weights + row * grid.stride + column), d, samples.weights[row] + column);
    }
    samples.values[row][kPlaneSamples] = kNoValue;
    samples.weights[row][kPlaneSamples] = 0.0F;
  }
}

void FitPlaneOfTarget(const PlaneFit& fit, const PlaneSampleGrid& grid, DisparityPlane& result) {
  LocalSamples samples;
  LoadSamples(grid, samples);
  const float total = WeightBelow(samples, -kNoValue);
  if (total == 0.0F) return;
  // The lower weighted median: at least half of the weight lies below the next whole number.
  float low = fit.lowest, high = fit.highest;
  while (low < high) {
    const float middle = std::floor((low + high) * 0.5F);
    if (2.0F * WeightBelow(samples, middle + 1.0F) >= total) {
      high = middle;
    } else {
      low = middle + 1.0F;
    }
  }
  const float start = low;
  const ColumnTag d;
  const VC start_of_all = hn::Set(d, start);
  for (int row = 0; row < kPlaneSamples; ++row) {
    for (int column = 0; column < kPlaneColumns; column += static_cast<int>(hn::Lanes(d))) {
      float* HWY_RESTRICT values = samples.values[row] + column;
      hn::Store(hn::Sub(hn::Load(d, values), start_of_all), d, values);
    }
  }
  DisparityPlane plane{0.0F, 0.0F, 0.0F};
  for (const float inverse_reach : fit.inverse_reach) {
    alignas(64) float moments[kPlaneMoments][kPlaneColumns];
    FindMoments(samples, plane, inverse_reach, moments);
    float s[kPlaneMoments];
    SumOverColumns(moments, s);
    if (s[0] < kPlaneLeastWeight) return;
    plane =
        SolvePlane({s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]}, kPlaneLargestSlope * fit.step_px);
  }
  result = {plane.value + start, plane.slope_x / fit.step_px, plane.slope_y / fit.step_px};
}

void ChoosePlanesOfTarget(const PlaneChoice& choice, int width, float* HWY_RESTRICT filled,
                          std::uint8_t* HWY_RESTRICT validity) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto bytes = [&](const std::uint8_t* from)
                         HWY_ATTR { return hn::PromoteTo(di, hn::LoadU(d8, from)); };
  const auto rejected_bits = hn::Set(di, static_cast<int>(kRejected));
  const auto full = hn::Set(di, kSupportGray), none_left = hn::Zero(di);
  const V zero = hn::Zero(d), reach = hn::Set(d, choice.reach), none = hn::Set(d, kNoValue);
  const V step = hn::Set(d, static_cast<float>(kSupportStep_px));
  const V lowest = hn::Set(d, choice.lowest), highest = hn::Set(d, choice.highest);
  for (int x = 0; x < width; x += lanes) {
    const V here = hn::LoadU(d, choice.rows[1].disparity + x);
    const auto flags = bytes(choice.rows[1].validity + x);
    const auto rejected = hn::Ne(hn::And(flags, rejected_bits), none_left);
    if (hn::AllFalse(di, rejected)) {
      hn::StoreU(here, d, filled + x);
      continue;
    }
    V values[kSupportPixels], weights[kSupportPixels];
    const auto gray = bytes(choice.rows[1].guide + x);
    for (int i = 0; i < kSupportPixels; ++i) {
      const PixelRow& row = choice.rows[SupportRow(i) + 1];
      const int u = x + SupportColumn(i) * kSupportStep_px;
      const V value = hn::LoadU(d, row.disparity + u);
      values[i] = hn::IfThenElse(hn::Eq(value, value), value, none);
      const auto difference = hn::Abs(hn::Sub(bytes(row.guide + u), gray));
      const auto alike = hn::Max(hn::Sub(full, difference), none_left);
      const auto kept = hn::Eq(hn::And(bytes(row.validity + u), rejected_bits), none_left);
      weights[i] = hn::ConvertTo(d, hn::Add(alike, hn::IfThenElseZero(kept, alike)));
    }
    V best = zero, chosen = here;
    const V pixel_x = hn::Iota(d, static_cast<float>(x));
    for (int i = 0; i < 9; ++i) {
      const PlaneColumns& tiles = choice.tiles[i / 3];
      const int from = x + (i % 3 - 1) * choice.tile_px;
      const V slope_x = hn::LoadU(d, tiles.slope_x + from), slope_y = hn::LoadU(d, tiles.slope_y + from);
      const V from_center = hn::Sub(pixel_x, hn::LoadU(d, tiles.center_x + from));
      const V along = hn::Add(hn::LoadU(d, tiles.value + from), hn::Mul(slope_x, from_center));
      const V at_pixel = hn::Add(along, hn::Mul(slope_y, hn::Set(d, choice.from_center[i / 3])));
      const V step_x = hn::Mul(slope_x, step), step_y = hn::Mul(slope_y, step);
      const V above = hn::Sub(at_pixel, step_y), below = hn::Add(at_pixel, step_y);
      const V planes[kSupportPixels] = {hn::Sub(above, step_x), hn::Add(above, step_x), at_pixel,
                                        hn::Sub(below, step_x), hn::Add(below, step_x)};
      V support = zero;
      HWY_UNROLL(5)
      for (int j = 0; j < kSupportPixels; ++j) {
        const V residual = hn::Sub(values[j], planes[j]);
        const V left = hn::Max(hn::Sub(reach, hn::Mul(residual, residual)), zero);
        support = hn::Add(support, hn::Mul(weights[j], left));
      }
      const auto better = hn::Gt(support, best);
      best = hn::IfThenElse(better, support, best);
      chosen = hn::IfThenElse(better, hn::Min(hn::Max(at_pixel, lowest), highest), chosen);
    }
    const V result = hn::IfThenElse(hn::RebindMask(d, rejected), chosen, here);
    hn::StoreU(result, d, filled + x);
    const auto has_value = hn::RebindMask(di, hn::Eq(result, result));
    const auto bit = hn::IfThenElseZero(hn::And(rejected, has_value), hn::Set(di, static_cast<int>(kFilled)));
    hn::StoreU(hn::DemoteTo(d8, hn::Or(flags, bit)), d8, validity + x);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(FitPlaneOfTarget);
HWY_EXPORT(ChoosePlanesOfTarget);

DisparityPlane FitPlane(const PlaneFit& fit, const PlaneSampleGrid& samples) {
  DisparityPlane plane;
  HWY_DYNAMIC_DISPATCH(FitPlaneOfTarget)(fit, samples, plane);
  return plane;
}
void ChoosePlanes(const PlaneChoice& choice, int width, float* filled, std::uint8_t* validity) {
  HWY_DYNAMIC_DISPATCH(ChoosePlanesOfTarget)(choice, width, filled, validity);
}

}  // namespace parallax::cpu
#endif
