#include "pipeline/cpu/filters/smoothing_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/smoothing_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;

void ReplaceNansOfTarget(const float* HWY_RESTRICT row, int width, float* HWY_RESTRICT to) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V none = hn::Set(d, kNoValue);
  for (int x = 0; x < width; x += lanes) {
    const V value = hn::LoadU(d, row + x);
    hn::StoreU(hn::IfThenElse(hn::Eq(value, value), value, none), d, to + x);
  }
}

void SmoothRowOfTarget(const float* HWY_RESTRICT center_row, const NeighborRows& rows, int width,
                       float reach_px2, float none, float* HWY_RESTRICT smoothed) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V reach = hn::Set(d, reach_px2), zero = hn::Zero(d);
  const V weight_of_center = hn::Set(d, reach_px2 * reach_px2);
  for (int x = 0; x < width; x += lanes) {
    const V center = hn::LoadU(d, center_row + x);
    V weights = weight_of_center, differences = zero;
    // The operations of AddNeighbors().
    HWY_UNROLL(4)
    for (int tap = 0; tap < kSmoothingTaps; ++tap) {
      const V before = hn::Sub(hn::LoadU(d, rows.before[tap] + x), center);
      const V after = hn::Sub(hn::LoadU(d, rows.after[tap] + x), center);
      const V near_before = hn::Max(hn::Sub(reach, hn::Mul(before, before)), zero);
      const V near_after = hn::Max(hn::Sub(reach, hn::Mul(after, after)), zero);
      const V weight_before = hn::Mul(near_before, near_before);
      const V weight_after = hn::Mul(near_after, near_after);
      const V weight = hn::Set(d, kSmoothingWeights[tap]);
      weights = hn::Add(weights, hn::Mul(weight, hn::Add(weight_before, weight_after)));
      differences =
          hn::Add(differences,
                  hn::Mul(weight, hn::Add(hn::Mul(weight_before, before), hn::Mul(weight_after, after))));
    }
    const V value = hn::Add(center, hn::Div(differences, weights));
    hn::StoreU(hn::IfThenElse(hn::Eq(center, hn::Set(d, kNoValue)), hn::Set(d, none), value), d,
               smoothed + x);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(ReplaceNansOfTarget);
HWY_EXPORT(SmoothRowOfTarget);

void ReplaceNans(const float* row, int width, float* to) {
  HWY_DYNAMIC_DISPATCH(ReplaceNansOfTarget)(row, width, to);
}
void SmoothRow(const float* center, const NeighborRows& neighbors, int width, float reach, float none,
               float* smoothed) {
  HWY_DYNAMIC_DISPATCH(SmoothRowOfTarget)(center, neighbors, width, reach, none, smoothed);
}

}  // namespace parallax::cpu
#endif
