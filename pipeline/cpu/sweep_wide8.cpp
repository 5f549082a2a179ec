// Sweeps of PathCosts::kWide8, for every instruction set.
#include "pipeline/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sweep_wide8.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

template <int kStripes, int kPlanes>
SweepFunction Choose(int num_paths, bool last) {
  constexpr PathCosts kCosts = PathCosts::kWide8;
  if (num_paths == 8)
    return last ? Sweep<kCosts, kStripes, kPlanes, 8, true> : Sweep<kCosts, kStripes, kPlanes, 8, false>;
  return last ? Sweep<kCosts, kStripes, kPlanes, 4, true> : Sweep<kCosts, kStripes, kPlanes, 4, false>;
}

SweepFunction GetSweepOfTarget(int num_paths, bool last, int, int) { return Choose<0, 0>(num_paths, last); }

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction GetWide8Sweep(int num_paths, bool last, int stripes, int num_planes) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(num_paths, last, stripes, num_planes);
}

}  // namespace parallax::cpu
#endif
