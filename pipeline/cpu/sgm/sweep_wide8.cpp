// Sweeps of PathCosts::kWide8, for every instruction set.
#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/sweep_wide8.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sgm/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

SweepFunction GetSweepOfTarget(int num_paths, bool last) {
  return ChoosePaths<PathCosts::kWide8, 0, 0>(num_paths, last);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction GetWide8Sweep(int num_paths, bool last) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(num_paths, last);
}

}  // namespace parallax::cpu
#endif
