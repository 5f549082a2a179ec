// The inner loop of a sweep. Included once per instruction set.
#if defined(PARALLAX_CPU_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_SWEEP_INL_H_
#undef PARALLAX_CPU_SWEEP_INL_H_
#else
#define PARALLAX_CPU_SWEEP_INL_H_
#endif

#include <hwy/cache_control.h>

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

// SweepFunction. kStripes8: vectors of bytes of a pixel, kPlanes: of the census codes; 0 = known at run time
// only.
template <PathCosts kCosts, int kStripes8, int kPlanes, int kPaths, bool kLast>
void Sweep(const SweepView& s, int v, int u_begin, int u_end, std::uint16_t* HWY_RESTRICT sums) {
  using D = std::conditional_t<kCosts == PathCosts::kWide16, Tag16, Tag8>;
  using T = simd::TFromD<D>;
  using V = simd::Vec<D>;
  constexpr int kStripes = kStripes8 * static_cast<int>(sizeof(T));
  constexpr int kMax = kMaxStripes<kStripes8, T>;
  const D d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes8 = NumStripes<kStripes8>(s.striping.stripes);
  const int stripes = stripes8 * static_cast<int>(sizeof(T));

  const int step = s.mirrored ? -1 : 1;
  const int y = s.mirrored ? s.height - 1 - v : v;
  int x = s.mirrored ? s.width - 1 - u_begin : u_begin;
  const std::uint8_t* left = s.left + y * s.left_stride;
  const std::uint8_t* right = s.right + y * s.right_stride;
  std::uint8_t* volume = s.volume == nullptr
                             ? nullptr
                             : s.volume + (y - s.volume_top) * s.volume_row_bytes + x * s.volume_pixel_bytes;
  const auto slot = [&](std::uint8_t* slots, int i) {
    return reinterpret_cast<T*>(slots + i * s.slot_bytes);
  };
  T* vertical = slot(s.vertical, u_begin);
  T* diagonal = slot(s.diagonal, u_begin - v + s.height - 1);
  T* antidiagonal = slot(s.antidiagonal, u_begin + v);
  T* horizontal = slot(s.horizontal, v);
  const std::ptrdiff_t slot_size = s.slot_bytes / static_cast<int>(sizeof(T));

  const V p1 = simd::Set(d, static_cast<T>(s.p1));
  V p2[4];
  for (V& p : p2) p = simd::Set(d, static_cast<T>(s.largest_p2));
  V across[kMax];
  for (int k = 0; k < stripes; ++k) {
    across[k] = u_begin == 0 ? simd::Zero(d) : simd::Load(d, horizontal + k * lanes);
  }

  for (int u = u_begin; u < u_end; ++u, x += step) {
    V cost[kMax];
    if constexpr (kCosts == PathCosts::kWide16) {
      V8 cost8[kMaxStripes<kStripes8, std::uint8_t>];
      MatchingCost<kStripes8, kPlanes>(s, left + x * s.num_planes, right, x, cost8);
      WidenCosts<kStripes8>(s, cost8, cost);
    } else {
      MatchingCost<kStripes8, kPlanes>(s, left + x * s.num_planes, right, x, cost);
    }
    if (s.p2 != nullptr) {
      const PathP2 adapted = AdaptP2(s, u, v, x, y);
      p2[0] = simd::Set(d, static_cast<T>(adapted.horizontal));
      p2[1] = simd::Set(d, static_cast<T>(adapted.vertical));
      p2[2] = simd::Set(d, static_cast<T>(adapted.diagonal));
      p2[3] = simd::Set(d, static_cast<T>(adapted.antidiagonal));
    }

    PathSums<kCosts, kStripes8> own;
    V path[kPaths / 2][kMax], before[kMax], mins[kPaths / 2], lowest[kPaths / 2];
    mins[0] = Step<D, kStripes>(d, stripes, across, cost, p1, p2[0], path[0],
                                [&](int k, V t) HWY_ATTR { own.template Add<0>(stripes, k, t); });
    for (int k = 0; k < stripes; ++k) before[k] = simd::Load(d, vertical + k * lanes);
    mins[1] = Step<D, kStripes>(d, stripes, before, cost, p1, p2[1], path[1],
                                [&](int k, V t) HWY_ATTR { own.template Add<1>(stripes, k, t); });
    if constexpr (kPaths == 8) {
      for (int k = 0; k < stripes; ++k) before[k] = simd::Load(d, diagonal + k * lanes);
      mins[2] = Step<D, kStripes>(d, stripes, before, cost, p1, p2[2], path[2],
                                  [&](int k, V t) HWY_ATTR { own.template Add<2>(stripes, k, t); });
      for (int k = 0; k < stripes; ++k) before[k] = simd::Load(d, antidiagonal + k * lanes);
      mins[3] = Step<D, kStripes>(d, stripes, before, cost, p1, p2[3], path[3],
                                  [&](int k, V t) HWY_ATTR { own.template Add<3>(stripes, k, t); });
    }
    MinOfLanesEach<kPaths / 2>(d, mins, lowest);
    for (int k = 0; k < stripes; ++k) {
      across[k] = simd::Sub(path[0][k], lowest[0]);
      simd::Store(simd::Sub(path[1][k], lowest[1]), d, vertical + k * lanes);
      if constexpr (kPaths == 8) {
        simd::Store(simd::Sub(path[2][k], lowest[2]), d, diagonal + k * lanes);
        simd::Store(simd::Sub(path[3][k], lowest[3]), d, antidiagonal + k * lanes);
      }
    }
    vertical += slot_size;
    diagonal += slot_size;
    antidiagonal += slot_size;
    if constexpr (kLast) {
      // What this thread reads next but one part of a row; too far apart for the machine to foresee.
      if (v + 1 < s.height) {
        const std::uint8_t* below = volume + s.volume_row_bytes;
        for (int i = 0; i < s.volume_pixel_bytes; i += 64) hwy::Prefetch(below + i);
      }
      AggregatedCosts<kCosts, kStripes8, kPaths>(s, own, cost, volume, sums);
      sums += s.striping.Padded();
    } else if (volume != nullptr) {
      StoreSums<kCosts, kStripes8, kPaths>(own, stripes8, volume);
    }
    if (volume != nullptr) volume += step * s.volume_pixel_bytes;
  }
  for (int k = 0; k < stripes; ++k) simd::Store(across[k], d, horizontal + k * lanes);
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
