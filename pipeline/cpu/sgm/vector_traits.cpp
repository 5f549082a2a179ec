#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/vector_traits.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sgm/sweep.h"
#include "pipeline/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

VectorTraits TraitsOfTarget() {
  return {static_cast<int>(simd::Lanes(Tag8())), kPlaneBits, kCostsAreExpensive};
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(TraitsOfTarget);
VectorTraits GetVectorTraits() { return HWY_DYNAMIC_DISPATCH(TraitsOfTarget)(); }

}  // namespace parallax::cpu
#endif
