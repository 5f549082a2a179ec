// A function of sweep.h that gives the sweeps of some path costs, for every instruction set. The file that includes
// this one defines PARALLAX_GET_SWEEP, the function's name, and PARALLAX_CHOOSE_SWEEP, which chooses them (sweep-inl.h).
#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/get_sweep-inl.h"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sgm/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

SweepFunction GetSweepOfTarget(const SweepChoice& choice) { return PARALLAX_CHOOSE_SWEEP(choice); }

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction PARALLAX_GET_SWEEP(const SweepChoice& choice) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(choice);
}

}  // namespace parallax::cpu
#endif
