// The inner loop of a sweep. Included once per instruction set.
#if defined(PARALLAX_CPU_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_SWEEP_INL_H_
#undef PARALLAX_CPU_SWEEP_INL_H_
#else
#define PARALLAX_CPU_SWEEP_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstdlib>

#include "pipeline/cpu/lanes-inl.h"
#include "pipeline/cpu/sweep.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

using V8 = simd::Vec<Tag8>;
using V16 = simd::Vec<Tag16>;

// Loops over a pixel's vectors are unrolled where their number is known.
template <int kStripes>
HWY_INLINE int NumStripes(int at_run_time) {
  return kStripes > 0 ? kStripes : at_run_time;
}
// Most vectors of T that a pixel can take, at most 1024 disparities.
template <int kStripes8, typename T>
inline constexpr int kMaxStripes =
    static_cast<int>(sizeof(T) * (kStripes8 > 0 ? kStripes8 : 1024 / simd::MaxLanes(Tag8())));

// Hamming distances of left pixel x, whose planes are at left, to its partners in the right row.
template <int kStripes, int kPlanes>
HWY_INLINE void MatchingCost(const SweepView& s, const std::uint8_t* HWY_RESTRICT left,
                             const std::uint8_t* HWY_RESTRICT right, int x, V8* HWY_RESTRICT cost) {
  const Tag8 d;
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  const int planes = kPlanes > 0 ? kPlanes : s.num_planes;
  const std::int32_t* start = s.right_start + x + s.striping.Padded() - 1;
  for (int k = 0; k < stripes; ++k) {
    const std::uint8_t* from = right + start[-k];
    V8 count = CountPlaneBits(d, simd::Xor(simd::LoadU(d, from), simd::Set(d, left[0])));
    for (int p = 1; p < planes; ++p) {
      const V8 differing = simd::Xor(simd::LoadU(d, from + p * s.phase_length), simd::Set(d, left[p]));
      count = simd::Add(count, CountPlaneBits(d, differing));
    }
    cost[k] = count;
  }
  const int x_right = x - s.min_disparity;
  if (x_right - s.striping.num_disparities + 1 < 0 || x_right >= s.width) {
    const V8 outside_cost = simd::Set(d, s.outside_cost);
    for (int k = 0; k < stripes; ++k) {
      const auto outside = simd::MaskFromVec(simd::LoadU(d, s.outside + start[-k]));
      cost[k] = simd::IfThenElse(outside, outside_cost, cost[k]);
    }
  }
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
HWY_INLINE PathP2 AdaptP2(const SweepView& s, int u, int v, int x, int y) {
  const int step = s.mirrored ? -1 : 1;
  const std::uint8_t* row = s.guide + y * s.guide_stride;
  const std::uint8_t* above = v > 0 ? row - step * s.guide_stride : row;
  // Beyond the border any value does: the path costs there are 0.
  const int before = u > 0 ? x - step : x, after = u + 1 < s.width ? x + step : x;
  const int here = row[x];
  const auto p2 = [&](int there) { return s.p2[std::abs(here - there)]; };
  return {p2(row[before]), p2(above[x]), p2(above[before]), p2(above[after])};
}

// One step of one path: from N at the pixel before to t (given to add(k, t)) and L = C + t; returns min L by
// lane.
template <class D, int kStripes, class Add>
HWY_INLINE simd::Vec<D> Step(D d, int at_run_time, const simd::Vec<D>* HWY_RESTRICT before,
                             const simd::Vec<D>* HWY_RESTRICT cost, simd::Vec<D> p1, simd::Vec<D> p2,
                             simd::Vec<D>* HWY_RESTRICT path, const Add& add) {
  using V = simd::Vec<D>;
  const int stripes = NumStripes<kStripes>(at_run_time);
  // p2 bounds every t: as good as infinity where there is no disparity.
  V below = LanesUp(d, before[stripes - 1], p2);
  V lowest = p2;
  for (int k = 0; k < stripes; ++k) {
    const V above = k + 1 < stripes ? before[k + 1] : LanesDown(d, before[0], p2);
    const V stepped = simd::SaturatedAdd(simd::Min(below, above), p1);
    const V t = simd::Min(simd::Min(stepped, before[k]), p2);
    below = before[k];
    add(k, t);
    path[k] = simd::SaturatedAdd(t, cost[k]);
    lowest = k == 0 ? path[k] : simd::Min(lowest, path[k]);
  }
  return lowest;
}

// Sums of t over the paths of a sweep, as PathCosts keeps them: kPairs8: [2][stripes] of bytes (one per pair
// of paths); otherwise 16-bit values, the even lanes first.
template <PathCosts kCosts, int kStripes>
struct PathSums {
  V16 sum[kMaxStripes<kStripes, std::uint16_t>];

  HWY_INLINE PathSums() {}  // written out: a constructor that GCC makes is not for this instruction set

  template <int kPath>
  HWY_INLINE void Add(int stripes, int k, V8 t) {
    const Tag8 d8;
    const Tag16 d16;
    const V16 t16 = simd::BitCast(d16, t);
    if constexpr (kCosts == PathCosts::kPairs8) {
      V16& pair = sum[kPath / 2 * stripes + k];
      pair = kPath % 2 == 0 ? t16 : simd::BitCast(d16, simd::Add(simd::BitCast(d8, pair), t));
    } else {
      const V16 even = simd::And(t16, simd::Set(d16, std::uint16_t{255})), odd = simd::ShiftRight<8>(t16);
      sum[k] = kPath == 0 ? even : simd::Add(sum[k], even);
      sum[stripes + k] = kPath == 0 ? odd : simd::Add(sum[stripes + k], odd);
    }
  }
  template <int kPath>
  HWY_INLINE void Add(int, int k, V16 t) {
    sum[k] = kPath == 0 ? t : simd::Add(sum[k], t);
  }
};
// Keeps the sums of a pixel of the first sweep.
template <PathCosts kCosts, int kStripes, int kPaths>
HWY_INLINE void StoreSums(const PathSums<kCosts, kStripes>& sums, int stripes,
                          std::uint8_t* HWY_RESTRICT to) {
  const Tag16 d;
  const int count = kCosts == PathCosts::kPairs8 ? kPaths / 4 * stripes : 2 * stripes;
  for (int i = 0; i < count; ++i) {
    simd::Stream(sums.sum[i], d, reinterpret_cast<std::uint16_t*>(to) + i * static_cast<int>(simd::Lanes(d)));
  }
}

// Aggregated costs of a pixel: the sums of both sweeps and paths * C.
template <PathCosts kCosts, int kStripes, int kPaths, class V>
HWY_INLINE void AggregatedCosts(const SweepView& s, const PathSums<kCosts, kStripes>& own,
                                const V* HWY_RESTRICT cost, const std::uint8_t* HWY_RESTRICT first,
                                std::uint16_t* HWY_RESTRICT sums) {
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes = NumStripes<kStripes>(s.striping.stripes);
  constexpr int kShift = kPaths == 8 ? 3 : 2;
  const auto* first16 = reinterpret_cast<const std::uint16_t*>(first);
  const auto finish = [&](int i, V16 sum) HWY_ATTR {
    if (s.pad16 != nullptr) sum = simd::Or(sum, simd::Load(d, s.pad16 + i * lanes));
    simd::Store(sum, d, sums + i * lanes);
  };
  for (int k = 0; k < stripes; ++k) {
    V16 even, odd;
    if constexpr (kCosts == PathCosts::kWide16) {
      even = simd::ShiftLeft<kShift>(cost[k]);
      odd = simd::ShiftLeft<kShift>(cost[stripes + k]);
    } else {
      const V16 both = simd::BitCast(d, cost[k]);
      even = simd::ShiftRight<8 - kShift>(simd::ShiftLeft<8>(both));
      odd = simd::ShiftLeft<kShift>(simd::ShiftRight<8>(both));
    }
    if constexpr (kCosts == PathCosts::kPairs8) {
      // Sum of the words, less the odd bytes' sum times 256, is the sum of the even bytes.
      V16 words = simd::Add(own.sum[k], simd::Load(d, first16 + k * lanes));
      V16 high =
          simd::Add(simd::ShiftRight<8>(own.sum[k]), simd::ShiftRight<8>(simd::Load(d, first16 + k * lanes)));
      if constexpr (kPaths == 8) {
        const V16 other = simd::Load(d, first16 + (stripes + k) * lanes);
        words = simd::Add(words, simd::Add(own.sum[stripes + k], other));
        high =
            simd::Add(high, simd::Add(simd::ShiftRight<8>(own.sum[stripes + k]), simd::ShiftRight<8>(other)));
      }
      even = simd::Add(even, simd::Sub(words, simd::ShiftLeft<8>(high)));
      odd = simd::Add(odd, high);
    } else {
      even = simd::Add(even, simd::Add(own.sum[k], simd::Load(d, first16 + k * lanes)));
      odd = simd::Add(odd, simd::Add(own.sum[stripes + k], simd::Load(d, first16 + (stripes + k) * lanes)));
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

// Where a sweep stands in one row, and its horizontal path there. kStripes8: vectors of bytes of a pixel,
// kPlanes: of the census codes; 0 = known at run time only.
template <PathCosts kCosts, int kStripes8, int kPlanes, int kPaths, bool kLast>
class RowSweep {
  using D = std::conditional_t<kCosts == PathCosts::kWide16, Tag16, Tag8>;
  using T = simd::TFromD<D>;
  using V = simd::Vec<D>;
  static constexpr int kStripes = kStripes8 * static_cast<int>(sizeof(T));
  static constexpr int kMax = kMaxStripes<kStripes8, T>;
  static constexpr int kSweepPaths = kPaths / 2;

 public:
  HWY_INLINE RowSweep(const SweepView& s, int v, int u, std::uint16_t* HWY_RESTRICT sums)
      : stripes8_(NumStripes<kStripes8>(s.striping.stripes)), v_(v), u_(u), sums_(sums) {
    step_ = s.mirrored ? -1 : 1;
    y_ = s.mirrored ? s.height - 1 - v : v;
    x_ = s.mirrored ? s.width - 1 - u : u;
    left_ = s.left + y_ * s.left_stride;
    right_ = s.right + y_ * s.right_stride;
    if (s.volume != nullptr) {
      volume_ = s.volume + (y_ - s.volume_top) * s.volume_row_bytes + x_ * s.volume_pixel_bytes;
      volume_step_ = step_ * s.volume_pixel_bytes;
    }
    const auto slot = [&](std::uint8_t* slots, int i) {
      return reinterpret_cast<T*>(slots + i * s.slot_bytes);
    };
    vertical_ = slot(s.vertical, u);
    diagonal_ = slot(s.diagonal, u - v + s.height - 1);
    antidiagonal_ = slot(s.antidiagonal, u + v);
    horizontal_ = slot(s.horizontal, v);
    const D d;
    for (int k = 0; k < Stripes(); ++k)
      across_[k] = u == 0 ? simd::Zero(d) : simd::Load(d, horizontal_ + k * Lanes());
  }

  // The next pixel.
  HWY_INLINE void Pixel(const SweepView& s, V p1, V largest_p2) {
    const D d;
    const int stripes = Stripes();
    V cost[kMax];
    if constexpr (kCosts == PathCosts::kWide16) {
      V8 cost8[kMaxStripes<kStripes8, std::uint8_t>];
      MatchingCost<kStripes8, kPlanes>(s, left_ + x_ * s.num_planes, right_, x_, cost8);
      WidenCosts<kStripes8>(s, cost8, cost);
    } else {
      MatchingCost<kStripes8, kPlanes>(s, left_ + x_ * s.num_planes, right_, x_, cost);
    }
    V p2[4] = {largest_p2, largest_p2, largest_p2, largest_p2};
    if (s.p2 != nullptr) {
      const PathP2 adapted = AdaptP2(s, u_, v_, x_, y_);
      p2[0] = simd::Set(d, static_cast<T>(adapted.horizontal));
      p2[1] = simd::Set(d, static_cast<T>(adapted.vertical));
      p2[2] = simd::Set(d, static_cast<T>(adapted.diagonal));
      p2[3] = simd::Set(d, static_cast<T>(adapted.antidiagonal));
    }

    PathSums<kCosts, kStripes8> own;
    V path[kSweepPaths][kMax], mins[kSweepPaths], lowest[kSweepPaths];
    mins[0] = Follow<0>(across_, cost, p1, p2[0], path[0], own);
    mins[1] = FollowSlot<1>(vertical_, cost, p1, p2[1], path[1], own);
    if constexpr (kPaths == 8) {
      mins[2] = FollowSlot<2>(diagonal_, cost, p1, p2[2], path[2], own);
      mins[3] = FollowSlot<3>(antidiagonal_, cost, p1, p2[3], path[3], own);
    }
    MinOfLanesEach<kSweepPaths>(d, mins, lowest);
    for (int k = 0; k < stripes; ++k) across_[k] = simd::Sub(path[0][k], lowest[0]);
    StoreSlot(path[1], lowest[1], vertical_);
    if constexpr (kPaths == 8) {
      StoreSlot(path[2], lowest[2], diagonal_);
      StoreSlot(path[3], lowest[3], antidiagonal_);
    }

    if constexpr (kLast) {
      // What this thread reads next but one or two parts of rows; too far apart for the machine to foresee.
      if (v_ + 2 < s.height) {
        const std::uint8_t* below = volume_ + 2 * s.volume_row_bytes;
        for (int i = 0; i < s.volume_pixel_bytes; i += 64) hwy::Prefetch(below + i);
      }
      AggregatedCosts<kCosts, kStripes8, kPaths>(s, own, cost, volume_, sums_);
      sums_ += s.striping.Padded();
    } else if (s.volume != nullptr) {
      StoreSums<kCosts, kStripes8, kPaths>(own, stripes8_, volume_);
    }
    ++u_, x_ += step_;
    volume_ += volume_step_;
    vertical_ += stripes * Lanes();
    diagonal_ += stripes * Lanes();
    antidiagonal_ += stripes * Lanes();
  }

  // Keeps the horizontal path for the next part of the row.
  HWY_INLINE void Leave() const {
    for (int k = 0; k < Stripes(); ++k) simd::Store(across_[k], D(), horizontal_ + k * Lanes());
  }

 private:
  HWY_INLINE int Stripes() const {
    return kStripes8 > 0 ? kStripes : stripes8_ * static_cast<int>(sizeof(T));
  }
  static HWY_INLINE int Lanes() { return static_cast<int>(simd::Lanes(D())); }

  template <int kPath>
  HWY_INLINE V Follow(const V* HWY_RESTRICT before, const V* HWY_RESTRICT cost, V p1, V p2,
                      V* HWY_RESTRICT path, PathSums<kCosts, kStripes8>& own) const {
    return Step<D, kStripes>(D(), Stripes(), before, cost, p1, p2, path,
                             [&](int k, V t) HWY_ATTR { own.template Add<kPath>(Stripes(), k, t); });
  }
  template <int kPath>
  HWY_INLINE V FollowSlot(const T* HWY_RESTRICT slot, const V* HWY_RESTRICT cost, V p1, V p2,
                          V* HWY_RESTRICT path, PathSums<kCosts, kStripes8>& own) const {
    V before[kMax];
    for (int k = 0; k < Stripes(); ++k) before[k] = simd::Load(D(), slot + k * Lanes());
    return Follow<kPath>(before, cost, p1, p2, path, own);
  }
  HWY_INLINE void StoreSlot(const V* HWY_RESTRICT path, V lowest, T* HWY_RESTRICT slot) const {
    for (int k = 0; k < Stripes(); ++k) simd::Store(simd::Sub(path[k], lowest), D(), slot + k * Lanes());
  }

  int stripes8_, v_, u_, x_, y_, step_;
  std::ptrdiff_t volume_step_ = 0;
  const std::uint8_t *left_, *right_;
  std::uint8_t* volume_ = nullptr;
  T *vertical_, *diagonal_, *antidiagonal_, *horizontal_;
  std::uint16_t* sums_;
  V across_[kMax];
};

// SweepFunction.
template <PathCosts kCosts, int kStripes8, int kPlanes, int kPaths, bool kLast>
void Sweep(const SweepView& view, const SweepPart& first, const SweepPart& second) {
  const SweepView s = view;  // a copy that no store of bytes can change
  using Row = RowSweep<kCosts, kStripes8, kPlanes, kPaths, kLast>;
  using D = std::conditional_t<kCosts == PathCosts::kWide16, Tag16, Tag8>;
  using T = simd::TFromD<D>;
  const auto p1 = simd::Set(D(), static_cast<T>(s.p1)), p2 = simd::Set(D(), static_cast<T>(s.largest_p2));
  if constexpr (kStripes8 > 0) {
    // Two rows in turns, the second two pixels behind: the horizontal paths, each a chain of dependent
    // operations, then overlap. Its antidiagonal path comes from where the first row was a turn ago.
    constexpr int kBehind = 2;
    const int both_begin = std::max(first.u_begin, second.u_begin + kBehind);
    const int both_end = std::min(first.u_end, second.u_end + kBehind);
    if (both_begin < both_end) {
      Row a(s, first.v, first.u_begin, first.sums), b(s, second.v, second.u_begin, second.sums);
      for (int u = first.u_begin; u < both_begin; ++u) a.Pixel(s, p1, p2);
      for (int u = both_begin; u < both_end; ++u) {
        a.Pixel(s, p1, p2);
        b.Pixel(s, p1, p2);
      }
      for (int u = both_end - kBehind; u < second.u_end; ++u) b.Pixel(s, p1, p2);
      a.Leave();
      b.Leave();
      return;
    }
  }
  for (const SweepPart* part : {&first, &second}) {
    if (part->u_begin >= part->u_end) continue;
    Row row(s, part->v, part->u_begin, part->sums);
    for (int u = part->u_begin; u < part->u_end; ++u) row.Pixel(s, p1, p2);
    row.Leave();
  }
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
