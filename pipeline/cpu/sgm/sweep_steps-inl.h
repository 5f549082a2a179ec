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
  if constexpr (kStripes > 0 && kPlanes > 0 && HWY_MAX_BYTES < 64) {
    // What the left pixel's plane asks for is loaded once: there are too few registers to keep that of all planes.
    V8 count[kStripes];
    for (int k = 0; k < kStripes; ++k)
      count[k] = CountDifferingBits(d, simd::LoadU(d, right + start[-k]), left[0]);
    HWY_UNROLL(1)  // or GCC looks up all planes before it adds the first ones
    for (int p = 1; p < kPlanes; ++p) {
      right += phase_length;
      for (int k = 0; k < kStripes; ++k)
        count[k] = simd::Add(count[k], CountDifferingBits(d, simd::LoadU(d, right + start[-k]), left[p]));
    }
    for (int k = 0; k < kStripes; ++k) cost[k] = count[k];
    return;
  }
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

// The same for the lanes without a disparity.
template <int kStripes>
HWY_INLINE void ReplacePad(const SweepView& s, V8* HWY_RESTRICT cost) {
  const Tag8 d;
  if (s.pad == nullptr) return;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  for (int k = 0; k < stripes; ++k) {
    cost[k] = simd::Or(cost[k], simd::Load(d, s.pad + k * static_cast<int>(simd::Lanes(d))));
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

// The same for the pixels of a part from left to right, where P2 fits 8 bits. The guide's margins repeat its
// border.
struct PathP2Bytes {
  std::uint8_t horizontal, vertical, diagonal, antidiagonal;
};
template <int kStepX>
HWY_INLINE void AdaptP2OfPart(const SweepView& s, const SweepPart& part, PathP2Bytes* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const Tag8 d;
  const int lanes = static_cast<int>(simd::Lanes(d)), count = part.u_end - part.u_begin;
  const int x = kStepX > 0 ? part.u_begin : s.width - part.u_end,
            y = kStepX > 0 ? part.v : s.height - 1 - part.v;
  const std::uint8_t* HWY_RESTRICT row = s.guide + y * s.guide_stride + x;
  const std::uint8_t* HWY_RESTRICT above = row - kStepX * s.guide_stride;
  for (int i = 0; i < count; i += lanes) {
    const V8 here = simd::LoadU(d, row + i);
    const auto p2 = [&](const std::uint8_t* there, const std::uint8_t* table) HWY_ATTR {
      const V8 other = simd::LoadU(d, there + i);
      const V8 difference = simd::Min(simd::Sub(simd::Max(here, other), simd::Min(here, other)),
                                      simd::Set(d, static_cast<std::uint8_t>(s.num_p2 - 1)));
      V8 found = simd::Zero(d);
      for (int first = 0; first < s.num_p2; first += 16) {
        // Those of other sixteens get their highest bit.
        const V8 at =
            simd::SaturatedAdd(simd::Sub(difference, simd::Set(d, static_cast<std::uint8_t>(first))),
                               simd::Set(d, std::uint8_t{0x70}));
        found = simd::Or(found, simd::TableLookupBytesOr0(simd::LoadDup128(d, table + first), at));
      }
      return found;
    };
    simd::StoreInterleaved4(p2(row - kStepX, s.p2_bytes), p2(above, s.p2_bytes + 256),
                            p2(above - kStepX, s.p2_bytes), p2(above + kStepX, s.p2_bytes), d,
                            &to[i].horizontal);
  }
#else
  (void)s, (void)part, (void)to;
#endif
}

// Penalties of a sweep, in every lane. Of columns only: P1 of the step from d - 1 up to d and that from d + 1
// down to d.
template <class V>
struct Penalties {
  V p1, largest_p2;
  V column_p1_up, column_p1_down;
};

// One step of one path: from L and its minimum at the pixel before to t and L = C + t, given to add(k, t, L);
// returns min L by lane. The minimum is subtracted last, because it is the last operand to be ready.
// kPlainSums: every sum fits its lane: additions need not saturate,
// which takes twice as long on Zen 5. kSlanted: P1 up and P1 down are not the same.
template <class D, int kStripes, bool kPlainSums, bool kSlanted, class Add>
HWY_INLINE simd::Vec<D> Step(D d, int stripes_at_run_time, const simd::Vec<D>* HWY_RESTRICT before,
                             simd::Vec<D> lowest_before, const simd::Vec<D>* HWY_RESTRICT cost,
                             simd::Vec<D> p1_up, simd::Vec<D> p1_down, simd::Vec<D> p2, const Add& add) {
  using V = simd::Vec<D>;
  const int stripes = NumStripes<kStripes>(stripes_at_run_time);
  // Where there is no disparity: less any minimum, all bits are no less than P2, since costs + P2 fit, nor are all
  // bits less P1, since costs + P1 + P2 do.
  const V all_bits = simd::Set(d, static_cast<simd::TFromD<D>>(~simd::TFromD<D>{0}));
  const auto none = [&](V p1) HWY_ATTR { return kPlainSums ? simd::Sub(all_bits, p1) : all_bits; };
  const auto sum = [](V a, V b) HWY_ATTR {
    if constexpr (kPlainSums) return simd::Add(a, b);
    return simd::SaturatedAdd(a, b);
  };
  // With one vector or two, what takes the place of a neighbour beyond the range is the cost itself or its
  // other neighbour, which changes nothing where that costs no less.
  constexpr bool kEndMayStay = kStripes == 1 || (kStripes == 2 && !kSlanted);
  V below = LanesUp<kEndMayStay>(d, before[stripes - 1], none(p1_up));
  V lowest = p2;
  for (int k = 0; k < stripes; ++k) {
    const V above = k + 1 < stripes ? before[k + 1] : LanesDown<kEndMayStay>(d, before[0], none(p1_down));
    const V stepped =
        kSlanted ? simd::Min(sum(below, p1_up), sum(above, p1_down)) : sum(simd::Min(below, above), p1_up);
    V t = simd::Min(stepped, before[k]);
    t = simd::Min(simd::Sub(t, lowest_before), p2);
    below = before[k];
    const V path = sum(t, cost[k]);
    add(k, t, path);
    lowest = k == 0 ? path : simd::Min(lowest, path);
  }
  return lowest;
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
// Keeps the sums of a pixel of the first sweep and, where it KeepsCosts, its costs.
template <PathCosts kCosts, int kStripes, int kPaths, class V>
HWY_INLINE void StoreSums(const PathSums<kCosts, kStripes>& sums, int stripes, const V* HWY_RESTRICT cost,
                          std::uint8_t* HWY_RESTRICT to) {
  const Tag8 d;
  const auto store = [&](V8 v, int i)
                         HWY_ATTR { simd::Stream(v, d, to + i * static_cast<int>(simd::Lanes(d))); };
  if constexpr (KeepsCosts(kCosts, kPaths)) {
    for (int k = 0; k < stripes; ++k) {
      const V8 one = simd::BitCast(d, sums.sum[k]), two = simd::BitCast(d, sums.sum[stripes + k]);
      // Where it is lower than either, it lacks 256.
      const V8 low = simd::Add(one, two);
      const auto is_whole = simd::Eq(simd::Max(low, one), low);
      store(simd::Or(cost[k], simd::IfThenZeroElse(is_whole, simd::Set(d, std::uint8_t{128}))), k);
      store(low, stripes + k);
    }
  } else {
    for (int i = 0; i < (ArePairs(kCosts) ? 1 : 2) * stripes; ++i) store(simd::BitCast(d, sums.sum[i]), i);
  }
}
// The costs that it kept.
template <int kStripes>
HWY_INLINE void LoadCosts(const SweepView& s, const std::uint8_t* HWY_RESTRICT from, V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  for (int k = 0; k < stripes; ++k) {
    cost[k] = simd::And(simd::Load(d, from + k * static_cast<int>(simd::Lanes(d))),
                        simd::Set(d, std::uint8_t{127}));
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
      V16 two_odd = simd::ShiftRight<8>(two);
      odd = simd::Add(simd::ShiftRight<8>(one), two_odd);
      if constexpr (kPaths == 8) {
        // Twice C | 128 h is 2 C + 256 h; steps need 6 C more.
        const V16 three = own.sum[stripes + k], low = simd::Load(d, first16 + (stripes + k) * lanes);
        V16 more = two, more_odd = two_odd;
        if constexpr (kCosts == PathCosts::kStepPairs8) {
          const V16 c = simd::BitCast(d, cost[k]), c_odd = simd::ShiftRight<8>(c);
          const auto six = [](V16 v) HWY_ATTR {
            const V16 twice = simd::Add(v, v);
            return simd::Add(simd::Add(twice, twice), twice);
          };
          more = simd::Add(more, six(c));
          more_odd = simd::Add(more_odd, six(c_odd));
        }
        words = simd::Add(simd::Add(words, more), simd::Add(three, low));
        odd = simd::Add(simd::Add(odd, more_odd),
                        simd::Add(simd::ShiftRight<8>(three), simd::ShiftRight<8>(low)));
      }
      even = simd::Sub(words, simd::ShiftLeft<8>(odd));
    } else {
      even = simd::Add(own.sum[k], simd::Load(d, first16 + k * lanes));
      odd = simd::Add(own.sum[stripes + k], simd::Load(d, first16 + (stripes + k) * lanes));
    }
    if constexpr (kCosts == PathCosts::kWide16) {
      even = simd::Add(even, simd::ShiftLeft<kShift>(cost[k]));
      odd = simd::Add(odd, simd::ShiftLeft<kShift>(cost[stripes + k]));
    } else if constexpr (kCosts != PathCosts::kPairs8 && !KeepsCosts(kCosts, kPaths)) {
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
