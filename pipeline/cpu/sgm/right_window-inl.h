// The right image's side of the selection. Included once per instruction set.
#if defined(PARALLAX_CPU_RIGHT_WINDOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#undef PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#else
#define PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#endif

#include <cstdint>

#include "pipeline/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

// The right pixels that the current left pixel meets: vector s holds the lowest costs, and their d, for its
// stripe s. At the next left pixel, stripe s + 1 meets what stripe s has met, and the first stripe meets what
// the last one has met, one lane up; the lane that falls off has met everything it can. Vectors are renamed,
// or rotated in a ring if their number is not a constant.
template <int kStripes, bool kKeys>
class RightWindow {
 public:
  HWY_INLINE RightWindow(int stripes, const std::uint16_t* HWY_RESTRICT state) : stripes_(stripes) {
    const Tag16 d;
    const int lanes = static_cast<int>(simd::Lanes(d));
    for (int s = 0; s < Stripes(); ++s) {
      lowest_[s] = simd::Load(d, state + s * lanes);
      if constexpr (!kKeys) winner_[s] = simd::Load(d, state + (Stripes() + s) * lanes);
    }
  }
  HWY_INLINE void Save(std::uint16_t* HWY_RESTRICT state) const {
    const Tag16 d;
    const int lanes = static_cast<int>(simd::Lanes(d));
    for (int s = 0; s < Stripes(); ++s) {
      simd::Store(lowest_[At(s)], d, state + s * lanes);
      if constexpr (!kKeys) simd::Store(winner_[At(s)], d, state + (Stripes() + s) * lanes);
    }
  }
  // Moves to the next left pixel; returns the winner, or key, of the right pixel that is left behind.
  HWY_INLINE std::uint16_t Advance(V16 first_lane) {
    const Tag16 d;
    const int last = At(Stripes() - 1);
    const V16 lowest = RotateLanesUp(d, lowest_[last]);
    V16 winner = lowest;
    if constexpr (!kKeys) winner = RotateLanesUp(d, winner_[last]);
    if constexpr (kStripes > 0) {
      for (int s = kStripes - 1; s > 0; --s) {
        lowest_[s] = lowest_[s - 1];
        if constexpr (!kKeys) winner_[s] = winner_[s - 1];
      }
    } else {
      first_ = last;
    }
    lowest_[At(0)] = simd::Or(lowest, first_lane);
    if constexpr (!kKeys) winner_[At(0)] = simd::Or(winner, first_lane);
    return simd::GetLane(winner);
  }
  // The current left pixel's costs, or keys, of stripe s. Strictly lower: d grows with x, so the lowest d
  // stays.
  HWY_INLINE void Meet(int s, V16 cost, V16 disparity) {
    V16& lowest = lowest_[At(s)];
    const V16 lower = simd::Min(cost, lowest);
    if constexpr (!kKeys) {
      // This form is used because only AVX-512 and NEON have an unsigned comparison in one operation.
      V16& winner = winner_[At(s)];
      winner = simd::IfThenElse(simd::Eq(lower, lowest), winner, disparity);
    }
    lowest = lower;
  }

 private:
  static constexpr int kMax = kStripes > 0 ? kStripes : static_cast<int>(1024 / simd::MaxLanes(Tag16()));
  HWY_INLINE int Stripes() const { return kStripes > 0 ? kStripes : stripes_; }
  HWY_INLINE int At(int s) const {
    if constexpr (kStripes > 0) return s;
    return s + first_ < stripes_ ? s + first_ : s + first_ - stripes_;
  }
  int stripes_, first_ = 0;
  V16 lowest_[kMax], winner_[kKeys ? 1 : kMax];
};

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
