// The inner loop of a sweep. Included once per instruction set.
#if defined(PARALLAX_CPU_SWEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_SWEEP_INL_H_
#undef PARALLAX_CPU_SWEEP_INL_H_
#else
#define PARALLAX_CPU_SWEEP_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "pipeline/cpu/sgm/sweep_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

template <class Kind>
void SweepTurn(const SweepView& view, const SweepPart* HWY_RESTRICT parts) {
  const SweepView s = view;  // a copy that no store of bytes can change
  using D = std::conditional_t<Kind::kCosts == PathCosts::kWide16, Tag16, Tag8>;
  using T = simd::TFromD<D>;
  // Made where they are used: what lives across calls is kept in memory.
  const auto penalty = [](std::uint16_t value) HWY_ATTR { return simd::Set(D(), static_cast<T>(value)); };
  const auto alone = [&](const SweepPart& part, int begin, int end) HWY_ATTR {
    if (begin >= end) return;
    RowsInTurn<Kind, 1, 0> row(s, &part, begin);
    const auto p1 = penalty(s.p1), p2 = penalty(s.largest_p2);
    for (int u = begin; u < end; ++u) row.Step(s, p1, p2);
    row.Leave();
  };
  if constexpr (Kind::kStripes8 > 0) {
    // Two rows in turns: the horizontal paths, each a chain of dependent operations, then overlap. The second
    // one's antidiagonal path comes from where the first row was a turn ago, and its vertical path need not
    // wait for what that row has only just done.
    constexpr int kBehind = 2;
    const int begin = std::max(parts[0].u_begin, parts[1].u_begin + kBehind);
    const int end = std::min(parts[0].u_end, parts[1].u_end + kBehind);
    if (begin < end) {
      alone(parts[0], parts[0].u_begin, begin);
      alone(parts[1], parts[1].u_begin, begin - kBehind);
      RowsInTurn<Kind, 2, kBehind> rows(s, parts, begin);
      const auto p1 = penalty(s.p1), p2 = penalty(s.largest_p2);
      for (int u = begin; u < end; ++u) rows.Step(s, p1, p2);
      rows.Leave();
      alone(parts[0], end, parts[0].u_end);
      alone(parts[1], end - kBehind, parts[1].u_end);
      return;
    }
  }
  for (int i = 0; i < 2; ++i) alone(parts[i], parts[i].u_begin, parts[i].u_end);
}

// SweepFunction.
template <PathCosts kCosts, int kStripes8, int kPlanes, int kPaths, bool kLast>
void Sweep(const SweepView& s, const SweepPart* parts) {
  for (int i = 0; i < 2; ++i) PrefetchCodes<kLast ? 1 : -1>(s, parts[i]);
  if constexpr (kStripes8 > 0 && kPlanes > 0) {
    if (s.pad == nullptr && s.p2 == nullptr && s.volume != nullptr) {
      const int u_begin = std::min(parts[0].u_begin, parts[1].u_begin);
      const int u_end = std::max(parts[0].u_end, parts[1].u_end);
      const bool inside =
          kLast ? PartnersInside(s, u_begin, u_end) : PartnersInside(s, s.width - u_end, s.width - u_begin);
      if (inside)
        return SweepTurn<SweepKind<kCosts, kStripes8, kPlanes, kPaths, kLast, Pixels::kInside>>(s, parts);
      return SweepTurn<SweepKind<kCosts, kStripes8, kPlanes, kPaths, kLast, Pixels::kPlain>>(s, parts);
    }
  }
  SweepTurn<SweepKind<kCosts, kStripes8, kPlanes, kPaths, kLast, Pixels::kAny>>(s, parts);
}

template <PathCosts kCosts, int kStripes8, int kPlanes>
SweepFunction ChoosePaths(int num_paths, bool last) {
  if (num_paths == 8)
    return last ? Sweep<kCosts, kStripes8, kPlanes, 8, true> : Sweep<kCosts, kStripes8, kPlanes, 8, false>;
  return last ? Sweep<kCosts, kStripes8, kPlanes, 4, true> : Sweep<kCosts, kStripes8, kPlanes, 4, false>;
}

// Loops over vectors are unrolled for the usual numbers of disparities (64, 128, 192, 256), and those over
// the census planes for codes of kUsualBits.
template <PathCosts kCosts, int kUsualBits>
SweepFunction ChooseSweep(int num_paths, bool last, int stripes, int num_planes) {
  constexpr int kUsualPlanes = (kUsualBits + kPlaneBits - 1) / kPlaneBits;
  const bool is_usual = num_planes == kUsualPlanes;
  const auto choose = [&](auto count) {
    constexpr int kStripes8 = decltype(count)::value;
    return is_usual ? ChoosePaths<kCosts, kStripes8, kUsualPlanes>(num_paths, last)
                    : ChoosePaths<kCosts, kStripes8, 0>(num_paths, last);
  };
  switch (stripes) {
#if HWY_MAX_BYTES == 64
    case 1:
      return choose(std::integral_constant<int, 1>());
    case 2:
      return choose(std::integral_constant<int, 2>());
    case 3:
      return choose(std::integral_constant<int, 3>());
#endif
#if HWY_MAX_BYTES >= 32
    case 4:
      return choose(std::integral_constant<int, 4>());
#endif
#if HWY_MAX_BYTES < 64
    case 8:
      return choose(std::integral_constant<int, 8>());
#endif
    default:
      return ChoosePaths<kCosts, 0, 0>(num_paths, last);
  }
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
