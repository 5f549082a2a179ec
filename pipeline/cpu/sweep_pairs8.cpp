// Sweeps of PathCosts::kPairs8, for every instruction set.
#include "pipeline/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sweep_pairs8.cpp"
#include <hwy/foreach_target.h>

#include "pipeline/cpu/sweep-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

template <int kStripes, int kPlanes>
SweepFunction Choose(int num_paths, bool last) {
  constexpr PathCosts kCosts = PathCosts::kPairs8;
  if (num_paths == 8)
    return last ? Sweep<kCosts, kStripes, kPlanes, 8, true> : Sweep<kCosts, kStripes, kPlanes, 8, false>;
  return last ? Sweep<kCosts, kStripes, kPlanes, 4, true> : Sweep<kCosts, kStripes, kPlanes, 4, false>;
}

SweepFunction GetSweepOfTarget(int num_paths, bool last, int stripes, int num_planes) {
  constexpr int kDefault = 32 / kPlaneBits;  // planes of the default census window, which has 31 bits
  if (num_planes == kDefault) {
    // Unrolled for the usual numbers of disparities.
    if (HWY_MAX_BYTES == 64 && stripes == 1)
      return Choose < HWY_MAX_BYTES == 64 ? 1 : 0, kDefault > (num_paths, last);
    if (HWY_MAX_BYTES == 64 && stripes == 2)
      return Choose < HWY_MAX_BYTES == 64 ? 2 : 0, kDefault > (num_paths, last);
    if (HWY_MAX_BYTES == 64 && stripes == 3)
      return Choose < HWY_MAX_BYTES == 64 ? 3 : 0, kDefault > (num_paths, last);
    if (HWY_MAX_BYTES >= 32 && stripes == 4)
      return Choose < HWY_MAX_BYTES >= 32 ? 4 : 0, kDefault > (num_paths, last);
    if (stripes == 8) return Choose<8, kDefault>(num_paths, last);
  }
  return Choose<0, 0>(num_paths, last);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(GetSweepOfTarget);
SweepFunction GetPairs8Sweep(int num_paths, bool last, int stripes, int num_planes) {
  return HWY_DYNAMIC_DISPATCH(GetSweepOfTarget)(num_paths, last, stripes, num_planes);
}

}  // namespace parallax::cpu
#endif
