// The right image's side of the selection. Included once per instruction set.
#if defined(PARALLAX_CPU_RIGHT_WINDOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#undef PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#else
#define PARALLAX_CPU_RIGHT_WINDOW_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstdint>

#include "pipeline/cpu/sgm/selection.h"
#include "pipeline/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

// Both windows hold the right pixels that the current left pixel meets. Vector s holds the lowest costs, and
// their d, for its stripe s. At the next left pixel, stripe s + 1 meets what stripe s has met, and the first
// stripe meets what the last one has met, one lane up; the lane that falls off has met everything it can.

// The window of costs, or of keys with disparities. Vectors are renamed, or rotated in a ring if their number is not a constant.
template <int kStripes, bool kKeys>
class RightWindow {
 public:
  HWY_INLINE RightWindow(const SelectionTables& t, std::uint16_t* HWY_RESTRICT state)
      : state_(state), stripes_(t.striping.Stripes16()) {
    const Tag16 d;
    const int lanes = static_cast<int>(simd::Lanes(d));
    for (int s = 0; s < Stripes(); ++s) {
      lowest_[s] = simd::Load(d, state + s * lanes);
      if constexpr (!kKeys) winner_[s] = simd::Load(d, state + (Stripes() + s) * lanes);
    }
  }
  HWY_INLINE void Save() const {
    const Tag16 d;
    const int lanes = static_cast<int>(simd::Lanes(d));
    for (int s = 0; s < Stripes(); ++s) {
      simd::Store(lowest_[At(s)], d, state_ + s * lanes);
      if constexpr (!kKeys) simd::Store(winner_[At(s)], d, state_ + (Stripes() + s) * lanes);
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
  std::uint16_t* state_;
  int stripes_, first_ = 0;
  V16 lowest_[kMax], winner_[kKeys ? 1 : kMax];
};

// The same for keys, cost << kBits | stripe. A vector's lowest key needs one minimum a stripe; it is compared
// with what its pixels met before, which is kept in memory, only when the vector leaves the last stripe.
template <int kStripes>
class StripeKeyWindow {
 public:
  static constexpr int kBits = std::bit_width(static_cast<unsigned>(kStripes - 1));

  HWY_INLINE StripeKeyWindow(const SelectionTables& t, std::uint16_t* state)
      : lowest_(state),
        winner_(state + kStripes * Lanes()),
        disparity_(simd::Load(Tag16(), t.disparity_of.data())) {
    for (V16& key : keys_) key = None();
  }
  HWY_INLINE void Save() {
    for (int s = 0; s < kStripes; ++s) {
      const int i = (last_ + 1 + s) % kStripes;
      V16 lowest, winner;
      Compare(keys_[s], i, lowest, winner);
      simd::Store(lowest, Tag16(), lowest_ + i * Lanes());
      simd::Store(winner, Tag16(), winner_ + i * Lanes());
    }
    if (last_ == kStripes - 1) return;
    // Vector s of the state is that of stripe s again.
    for (std::uint16_t* of : {lowest_, winner_}) {
      std::rotate(of, of + (last_ + 1) * Lanes(), of + kStripes * Lanes());
    }
  }
  HWY_INLINE std::uint16_t Advance(V16 first_lane) {
    const Tag16 d;
    V16 lowest, winner;
    Compare(keys_[kStripes - 1], last_, lowest, winner);
    winner = RotateLanesUp(d, winner);
    lowest = simd::Or(RotateLanesUp(d, lowest), simd::ShiftRight<kBits>(first_lane));
    simd::Store(lowest, d, lowest_ + last_ * Lanes());
    simd::Store(simd::Or(winner, first_lane), d, winner_ + last_ * Lanes());
    for (int s = kStripes - 1; s > 0; --s) keys_[s] = keys_[s - 1];
    keys_[0] = None();
    last_ = last_ == 0 ? kStripes - 1 : last_ - 1;
    return simd::GetLane(winner);
  }
  HWY_INLINE void Meet(int s, V16 key) { keys_[s] = simd::Min(keys_[s], key); }

 private:
  static HWY_INLINE int Lanes() { return static_cast<int>(simd::Lanes(Tag16())); }
  static HWY_INLINE V16 None() { return simd::Set(Tag16(), std::uint16_t{0xFFFF}); }
  // What pixels met until now: key, and vector i of the state.
  HWY_INLINE void Compare(V16 key, int i, V16& lowest, V16& winner) const {
    const Tag16 d;
    const V16 before = simd::Load(d, lowest_ + i * Lanes());
    const V16 stripe = simd::And(key, simd::Set(d, std::uint16_t{kStripes - 1}));
    lowest = simd::Min(simd::ShiftRight<kBits>(key), before);
    winner = simd::IfThenElse(simd::Eq(lowest, before), simd::Load(d, winner_ + i * Lanes()),
                              simd::Add(disparity_, stripe));
  }

  std::uint16_t *lowest_, *winner_;
  int last_ = kStripes - 1;  // the vector of the state whose pixels the last stripe meets
  V16 disparity_, keys_[kStripes];
};

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
