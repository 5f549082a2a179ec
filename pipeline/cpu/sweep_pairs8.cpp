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

// Planes are unrolled for the default census window, whose 31 bits fill kDefaultPlanes.
template <int kStripes>
SweepFunction ChoosePlanes(int num_paths, bool last, int num_planes) {
  constexpr int kDefaultPlanes = 32 / kPlaneBits;
  return num_planes == kDefaultPlanes ? Choose<kStripes, kDefaultPlanes>(num_paths, last)
                                      : Choose<kStripes, 0>(num_paths, last);
}

// Vectors are unrolled for the usual numbers of disparities: 64, 128, 192, 256.
SweepFunction GetSweepOfTarget(int num_paths, bool last, int stripes, int num_planes) {
  switch (stripes) {
#if HWY_MAX_BYTES == 64
    case 1:
      return ChoosePlanes<1>(num_paths, last, num_planes);
    case 2:
      return ChoosePlanes<2>(num_paths, last, num_planes);
    case 3:
      return ChoosePlanes<3>(num_paths, last, num_planes);
#endif
#if HWY_MAX_BYTES >= 32
    case 4:
      return ChoosePlanes<4>(num_paths, last, num_planes);
#endif
#if HWY_MAX_BYTES < 64
    case 8:
      return ChoosePlanes<8>(num_paths, last, num_planes);
#endif
    default:
      return Choose<0, 0>(num_paths, last);
  }
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
