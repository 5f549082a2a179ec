#include "pipeline/simd/reprojection_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/simd/reprojection_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, x) for vectors, and for single pixels at the end of a row: views have no room beyond it.
template <class Body>
HWY_INLINE void ForVectors(int width, const Body& body) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + lanes <= width; x += lanes) body(d, x);
  for (; x < width; ++x) body(hn::CappedTag<float, 1>(), x);
}

void DepthRowOfTarget(const float* HWY_RESTRICT disparity, int width, float fb, float doffs_px,
                      const ReprojectionParameters& limits, float* HWY_RESTRICT depth) {
  ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const auto shifted = hn::Add(hn::LoadU(d, disparity + x), hn::Set(d, doffs_px));
    const auto z = hn::Div(hn::Set(d, fb), shifted);
    // All false for NaN.
    const auto inside = hn::And(
        hn::Gt(shifted, hn::Zero(d)),
        hn::And(hn::Ge(z, hn::Set(d, limits.min_depth_m)), hn::Le(z, hn::Set(d, limits.max_depth_m))));
    const auto nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    hn::StoreU(hn::IfThenElse(inside, z, nan), d, depth + x);
  });
}

int CountDepthsOfTarget(const float* HWY_RESTRICT depth, int width) {
  int count = 0;
  ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const auto z = hn::LoadU(d, depth + x);
    count += static_cast<int>(hn::CountTrue(d, hn::Eq(z, z)));
  });
  return count;
}

void CloudRowOfTarget(const float* HWY_RESTRICT depth, int width, float fx_px, float cx_px, float row,
                      float* HWY_RESTRICT points_x, float* HWY_RESTRICT points_y) {
  ForVectors(width, [&](auto d, int x) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const auto z = hn::LoadU(d, depth + x), fx = hn::Set(d, fx_px);
    const auto column = hn::Sub(hn::ConvertTo(d, hn::Iota(di, x)), hn::Set(d, cx_px));
    hn::StoreU(hn::Div(hn::Mul(column, z), fx), d, points_x + x);
    hn::StoreU(hn::Div(hn::Mul(hn::Set(d, row), z), fx), d, points_y + x);
  });
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(DepthRowOfTarget);
HWY_EXPORT(CountDepthsOfTarget);
HWY_EXPORT(CloudRowOfTarget);

void DepthRow(const float* disparity, int width, float fb, float doffs_px,
              const ReprojectionParameters& limits, float* depth) {
  HWY_DYNAMIC_DISPATCH(DepthRowOfTarget)(disparity, width, fb, doffs_px, limits, depth);
}
int CountDepths(const float* depth, int width) {
  return HWY_DYNAMIC_DISPATCH(CountDepthsOfTarget)(depth, width);
}
void CloudRow(const float* depth, int width, float fx_px, float cx_px, float row, float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(CloudRowOfTarget)(depth, width, fx_px, cx_px, row, x, y);
}

}  // namespace parallax::cpu
#endif
