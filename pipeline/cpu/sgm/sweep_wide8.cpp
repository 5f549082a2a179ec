// Sweeps of PathCosts::kWide8, for every instruction set.
#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/sweep_wide8.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sgm/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

SweepFunction GetSweepOfTarget(SweepTerms terms, int num_paths, bool last) {
  return terms == SweepTerms::kAll
             ? ChoosePaths<PathCosts::kWide8, SweepTerms::kAll, 0, 0>(num_paths, last)
             : ChoosePaths<PathCosts::kWide8, SweepTerms::kBasic, 0, 0>(num_paths, last);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction GetWide8Sweep(SweepTerms terms, int num_paths, bool last) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(terms, num_paths, last);
}

}  // namespace parallax::cpu
#endif
