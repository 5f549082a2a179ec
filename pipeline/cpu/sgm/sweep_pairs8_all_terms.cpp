// Sweeps of PathCosts::kPairs8 with all terms, for every instruction set.
#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/sweep_pairs8_all_terms.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sgm/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

SweepFunction GetSweepOfTarget(int num_paths, bool last, int stripes, int num_code_planes) {
  return ChooseSweep<PathCosts::kPairs8, SweepTerms::kAll, 31>(num_paths, last, stripes, num_code_planes);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction GetPairs8SweepOfAllTerms(int num_paths, bool last, int stripes, int num_code_planes) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(num_paths, last, stripes, num_code_planes);
}

}  // namespace parallax::cpu
#endif
