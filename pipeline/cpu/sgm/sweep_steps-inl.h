// What a sweep does at one pixel: matching costs, steps of the paths, their sums. Included once per
// instruction set.
#if defined(PARALLAX_CPU_SWEEP_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_SWEEP_STEPS_INL_H_
#undef PARALLAX_CPU_SWEEP_STEPS_INL_H_
#else
#define PARALLAX_CPU_SWEEP_STEPS_INL_H_
#endif

#include <cstdlib>

#include "pipeline/cpu/sgm/sweep.h"
#include "pipeline/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

// Loops over a pixel's vectors are unrolled where their number is known.
template <int kStripes>
HWY_INLINE int NumStripes(int at_run_time) {
  return kStripes > 0 ? kStripes : at_run_time;
}
// Most vectors of T that a pixel can take, at most 1024 disparities.
template <int kStripes8, typename T>
inline constexpr int kMaxStripes =
    static_cast<int>(sizeof(T) * (kStripes8 > 0 ? kStripes8 : 1024 / simd::MaxLanes(Tag8())));

// Planes of the census codes that one vector of a pixel's disparities is compared with.
template <int kPlanes>
struct PartnerCodes {
  V8 plane[kPlanes];
  HWY_INLINE PartnerCodes() {}  // written out: a constructor that GCC makes is not for this instruction set
  HWY_INLINE void Load(const std::uint8_t* HWY_RESTRICT from, std::ptrdiff_t phase_length) {
    for (int p = 0; p < kPlanes; ++p) plane[p] = simd::LoadU(Tag8(), from + p * phase_length);
  }
};
// Hamming distances to them of a left pixel, whose planes are at left.
template <int kPlanes>
HWY_INLINE V8 HammingDistance(const PartnerCodes<kPlanes>& partners, const std::uint8_t* HWY_RESTRICT left) {
  const Tag8 d;
  V8 count = CountDifferingBits(d, partners.plane[0], left[0]);
  for (int p = 1; p < kPlanes; ++p) {
    count = simd::Add(count, CountDifferingBits(d, partners.plane[p], left[p]));
  }
  return count;
}

// Hamming distances of a left pixel, whose planes are at left, to its partners in the right row; vector k of
// them begins at start[-k].
template <int kStripes, int kPlanes>
HWY_INLINE void HammingDistances(const SweepView& s, const std::uint8_t* HWY_RESTRICT left,
                                 const std::uint8_t* HWY_RESTRICT right,
                                 const std::int32_t* HWY_RESTRICT start, V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  const int planes = kPlanes > 0 ? kPlanes : s.num_code_planes;
  const std::ptrdiff_t phase_length = s.phase_length;
  for (int k = 0; k < stripes; ++k) {
    const std::uint8_t* from = right + start[-k];
    V8 count = CountDifferingBits(d, simd::LoadU(d, from), left[0]);
    for (int p = 1; p < planes; ++p) {
      count = simd::Add(count, CountDifferingBits(d, simd::LoadU(d, from + p * phase_length), left[p]));
    }
    cost[k] = count;
  }
}

// Adds the gradient term: how far each pixel's gradient lies outside the other one's interval, the lower of
// both, by way of a table. left and right: the planes behind those of the codes (see PlaneKind).
template <int kStripes>
HWY_INLINE void AddGradientTerm(const SweepView& s, const std::uint8_t* HWY_RESTRICT left,
                                const std::uint8_t* HWY_RESTRICT right,
                                const std::int32_t* HWY_RESTRICT start, V8 cost_of_difference,
                                V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  const V8 value = simd::Set(d, left[0]), lowest = simd::Set(d, left[1]), highest = simd::Set(d, left[2]);
  const V8 last = simd::Set(d, std::uint8_t{15});
  // 0 inside the interval.
  const auto distance = [](V8 from, V8 low, V8 high)
                            HWY_ATTR { return simd::Sub(simd::Max(from, low), simd::Min(from, high)); };
  for (int k = 0; k < stripes; ++k) {
    const std::uint8_t* from = right + start[-k];
    const V8 of_left = distance(value, simd::LoadU(d, from + s.phase_length),
                                simd::LoadU(d, from + 2 * static_cast<std::ptrdiff_t>(s.phase_length)));
    const V8 of_right = distance(simd::LoadU(d, from), lowest, highest);
    const V8 difference = simd::Min(simd::Min(of_left, of_right), last);
    cost[k] = simd::Add(cost[k], simd::TableLookupBytes(cost_of_difference, difference));
  }
}

// True if every partner of the left pixels x_begin .. x_end lies in the right image.
HWY_INLINE bool PartnersInside(const SweepView& s, int x_begin, int x_end) {
  return x_begin - s.min_disparity - s.striping.num_disparities + 1 >= 0 &&
         x_end - 1 - s.min_disparity < s.width;
}

// Replaces the costs of a left pixel against partners outside the right image.
template <int kStripes>
HWY_INLINE void ReplaceOutside(const SweepView& s, const std::int32_t* HWY_RESTRICT start,
                               V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  const V8 outside_cost = simd::Set(d, s.outside_cost);
  for (int k = 0; k < stripes; ++k) {
    const auto outside = simd::MaskFromVec(simd::LoadU(d, s.outside + start[-k]));
    cost[k] = simd::IfThenElse(outside, outside_cost, cost[k]);
  }
}

// The same if left pixel x has such partners, and those of the lanes without a
// disparity.
template <int kStripes>
HWY_INLINE void ReplaceOutsideAndPad(const SweepView& s, const std::int32_t* HWY_RESTRICT start, int x,
                                     V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  if (!PartnersInside(s, x, x + 1)) ReplaceOutside<kStripes>(s, start, cost);
  if (s.pad != nullptr) {
    for (int k = 0; k < stripes; ++k) {
      cost[k] = simd::Or(cost[k], simd::Load(d, s.pad + k * static_cast<int>(simd::Lanes(d))));
    }
  }
}

// Penalties P2 of the four paths that end at a pixel.
struct PathP2 {
  std::uint16_t horizontal, vertical, diagonal, antidiagonal;
};
template <SweepTerms kTerms>
HWY_INLINE PathP2 AdaptP2(const SweepView& s, int step, int u, int v, int x, int y) {
  const std::uint8_t* row = s.guide + y * s.guide_stride;
  const std::uint8_t* above = v > 0 ? row - step * s.guide_stride : row;
  // Beyond the border any value does: the path costs there are 0.
  const int before = u > 0 ? x - step : x, after = u + 1 < s.width ? x + step : x;
  const int here = row[x];
  const auto p2 = [&](int there) { return s.p2[std::abs(here - there)]; };
  const std::uint16_t* vertical = kTerms == SweepTerms::kAll ? s.p2_vertical : s.p2;
  return {p2(row[before]), vertical[std::abs(here - above[x])], p2(above[before]), p2(above[after])};
}

// The same for the pixels of a part, where P2 fits 8 bits.
struct PathP2Bytes {
  std::uint8_t horizontal, vertical, diagonal, antidiagonal;
};
template <int kStepX>
HWY_INLINE void AdaptP2OfPart(const SweepView& s, const SweepPart& part, PathP2Bytes* HWY_RESTRICT to) {
  for (int u = part.u_begin; u < part.u_end; ++u) {
    const int x = kStepX > 0 ? u : s.width - 1 - u, y = kStepX > 0 ? part.v : s.height - 1 - part.v;
    const PathP2 p2 = AdaptP2<SweepTerms::kAll>(s, kStepX, u, part.v, x, y);
    const auto byte = [](std::uint16_t value) { return static_cast<std::uint8_t>(value); };
    *to++ = {byte(p2.horizontal), byte(p2.vertical), byte(p2.diagonal), byte(p2.antidiagonal)};
  }
}

// Penalties of a sweep, in every lane. Of columns only: P1 of the step from d - 1 up to d and that from d + 1
// down to d.
template <class V>
struct Penalties {
  V p1, largest_p2;
  V column_p1_up, column_p1_down;
};

// One step of one path: from N at the pixel before to t and L = C + t, given to add(k, t, L); returns min L
// by lane. kHasLowest: from L and its minimum there, which is then needed later by as long as the rest takes.
// kPlainSums: every sum fits its lane: additions need not saturate,
// which takes twice as long on Zen 5. kSlanted: P1 up and P1 down are not the same.
template <class D, int kStripes, bool kHasLowest, bool kPlainSums, bool kSlanted, class Add>
HWY_INLINE simd::Vec<D> Step(D d, int stripes_at_run_time, const simd::Vec<D>* HWY_RESTRICT before,
                             simd::Vec<D> lowest_before, const simd::Vec<D>* HWY_RESTRICT cost,
                             simd::Vec<D> p1_up, simd::Vec<D> p1_down, simd::Vec<D> p2,
                             simd::Vec<D>* HWY_RESTRICT path, const Add& add) {
  using V = simd::Vec<D>;
  const int stripes = NumStripes<kStripes>(stripes_at_run_time);
  // Where there is no disparity: p2 bounds every t and is as good as infinity, less any minimum all bits are,
  // since costs + P2 fit, or all bits less P1, since costs + P1 + P2 do.
  const V all_bits = simd::Set(d, static_cast<simd::TFromD<D>>(~simd::TFromD<D>{0}));
  const V none = !kHasLowest ? p2 : kPlainSums ? simd::Sub(all_bits, p1_up) : all_bits;
  const auto sum = [](V a, V b) HWY_ATTR {
    if constexpr (kPlainSums) return simd::Add(a, b);
    return simd::SaturatedAdd(a, b);
  };
  // With one vector or two, what takes the place of a neighbour beyond the range is the cost itself or its
  // other neighbour, which changes nothing where that costs no less.
  constexpr bool kEndMayStay = kStripes == 1 || (kStripes == 2 && !kSlanted);
  V below = LanesUp<kEndMayStay>(d, before[stripes - 1], none);
  V lowest = p2;
  for (int k = 0; k < stripes; ++k) {
    const V above = k + 1 < stripes ? before[k + 1] : LanesDown<kEndMayStay>(d, before[0], none);
    const V stepped =
        kSlanted ? simd::Min(sum(below, p1_up), sum(above, p1_down)) : sum(simd::Min(below, above), p1_up);
    V t = simd::Min(stepped, before[k]);
    if constexpr (kHasLowest) t = simd::Sub(t, lowest_before);
    t = simd::Min(t, p2);
    below = before[k];
    path[k] = sum(t, cost[k]);
    add(k, t, path[k]);
    lowest = k == 0 ? path[k] : simd::Min(lowest, path[k]);
  }
  return lowest;
}

constexpr bool ArePairs(PathCosts costs) {
  return costs == PathCosts::kPairs8 || costs == PathCosts::kStepPairs8;
}

// Sums over the paths of a sweep, as PathCosts keeps them. Pairs: [2][stripes] of bytes, one per pair of
// paths; otherwise 16-bit values, the even lanes first.
template <PathCosts kCosts, int kStripes>
struct PathSums {
  V16 sum[kMaxStripes<kStripes, std::uint16_t>];

  HWY_INLINE PathSums() {}  // written out: a constructor that GCC makes is not for this instruction set

  template <int kPath>
  HWY_INLINE void Add(int stripes, int k, V8 t, V8 path) {
    const Tag8 d8;
    const Tag16 d16;
    if constexpr (ArePairs(kCosts)) {
      V16& pair = sum[kPath / 2 * stripes + k];
      const V8 value = kCosts == PathCosts::kPairs8 ? path : t;
      pair = simd::BitCast(d16, kPath % 2 == 0 ? value : simd::Add(simd::BitCast(d8, pair), value));
    } else {
      (void)path;
      const V16 t16 = simd::BitCast(d16, t);
      const V16 even = simd::And(t16, simd::Set(d16, std::uint16_t{255})), odd = simd::ShiftRight<8>(t16);
      sum[k] = kPath == 0 ? even : simd::Add(sum[k], even);
      sum[stripes + k] = kPath == 0 ? odd : simd::Add(sum[stripes + k], odd);
    }
  }
  template <int kPath>
  HWY_INLINE void Add(int, int k, V16 t, V16) {
    sum[k] = kPath == 0 ? t : simd::Add(sum[k], t);
  }
};
// Keeps the sums of a pixel of the first sweep.
template <PathCosts kCosts, int kStripes, int kPaths>
HWY_INLINE void StoreSums(const PathSums<kCosts, kStripes>& sums, int stripes,
                          std::uint8_t* HWY_RESTRICT to) {
  const Tag16 d;
  const int count = ArePairs(kCosts) ? kPaths / 4 * stripes : 2 * stripes;
  for (int i = 0; i < count; ++i) {
    simd::Stream(sums.sum[i], d, reinterpret_cast<std::uint16_t*>(to) + i * static_cast<int>(simd::Lanes(d)));
  }
}

// Aggregated costs of a pixel: the sums of both sweeps and, where they lack it, paths * C; or their keys.
template <PathCosts kCosts, int kStripes, int kPaths, bool kPadded, class V>
HWY_INLINE void AggregatedCosts(const SweepView& s, const PathSums<kCosts, kStripes>& own,
                                const V* HWY_RESTRICT cost, const std::uint8_t* HWY_RESTRICT first,
                                std::uint16_t* HWY_RESTRICT sums) {
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  constexpr int kShift = kPaths == 8 ? 3 : 2;
  const auto* first16 = reinterpret_cast<const std::uint16_t*>(first);
  const auto finish = [&](int i, V16 sum) HWY_ATTR {
    if (kPadded && s.pad16 != nullptr) sum = simd::Or(sum, simd::Load(d, s.pad16 + i * lanes));
    simd::Store(sum, d, sums + i * lanes);
  };
  // Of the numbers of disparities that take so many vectors, all or none are few enough for keys.
  constexpr bool kMayBeKeys = GivesKeys(kCosts, kPaths, kStripes * static_cast<int>(simd::MaxLanes(Tag8())));
  if constexpr (kMayBeKeys) {
    if (kStripes > 0 || s.doubled_disparity != nullptr) {
      for (int k = 0; k < stripes; ++k) {
        // The mean of sum << 8 | 2 d and sum << 8, rounded up, is (sum + sum) << 7 | d.
        const V16 one = own.sum[k], two = simd::Load(d, first16 + k * lanes);
        const V16 sum_bits = simd::Set(d, std::uint16_t{0xFF00});
        const V16 even = simd::Load(d, s.doubled_disparity + k * lanes);
        const V16 odd = simd::Load(d, s.doubled_disparity + (stripes + k) * lanes);
        finish(k, simd::AverageRound(simd::Or(simd::ShiftLeft<8>(one), even), simd::ShiftLeft<8>(two)));
        finish(stripes + k, simd::AverageRound(simd::OrAnd(odd, one, sum_bits), simd::And(two, sum_bits)));
      }
      return;
    }
  }
  for (int k = 0; k < stripes; ++k) {
    V16 even, odd;
    if constexpr (ArePairs(kCosts)) {
      // Sum of the words, less the odd bytes' sum times 256, is the sum of the even bytes.
      const V16 one = own.sum[k], two = simd::Load(d, first16 + k * lanes);
      V16 words = simd::Add(one, two);
      odd = simd::Add(simd::ShiftRight<8>(one), simd::ShiftRight<8>(two));
      if constexpr (kPaths == 8) {
        const V16 three = own.sum[stripes + k], four = simd::Load(d, first16 + (stripes + k) * lanes);
        words = simd::Add(words, simd::Add(three, four));
        odd = simd::Add(odd, simd::Add(simd::ShiftRight<8>(three), simd::ShiftRight<8>(four)));
      }
      even = simd::Sub(words, simd::ShiftLeft<8>(odd));
    } else {
      even = simd::Add(own.sum[k], simd::Load(d, first16 + k * lanes));
      odd = simd::Add(own.sum[stripes + k], simd::Load(d, first16 + (stripes + k) * lanes));
    }
    if constexpr (kCosts == PathCosts::kWide16) {
      even = simd::Add(even, simd::ShiftLeft<kShift>(cost[k]));
      odd = simd::Add(odd, simd::ShiftLeft<kShift>(cost[stripes + k]));
    } else if constexpr (kCosts != PathCosts::kPairs8) {
      const V16 both = simd::BitCast(d, cost[k]);
      even = simd::Add(even, simd::ShiftRight<8 - kShift>(simd::ShiftLeft<8>(both)));
      odd = simd::Add(odd, simd::ShiftLeft<kShift>(simd::ShiftRight<8>(both)));
    }
    finish(k, even);
    finish(stripes + k, odd);
  }
}

// Widens 8-bit matching costs; lanes without a disparity stay the largest value.
template <int kStripes8>
HWY_INLINE void WidenCosts(const SweepView& s, const V8* HWY_RESTRICT cost8, V16* HWY_RESTRICT cost) {
  const Tag16 d;
  const int stripes = NumStripes<kStripes8>(s.striping.stripes);
  for (int k = 0; k < stripes; ++k) {
    const V16 both = simd::BitCast(d, cost8[k]);
    cost[k] = simd::And(both, simd::Set(d, std::uint16_t{255}));
    cost[stripes + k] = simd::ShiftRight<8>(both);
  }
  if (s.pad16 == nullptr) return;
  for (int i = 0; i < 2 * stripes; ++i) {
    cost[i] = simd::Or(cost[i], simd::Load(d, s.pad16 + i * static_cast<int>(simd::Lanes(d))));
  }
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
