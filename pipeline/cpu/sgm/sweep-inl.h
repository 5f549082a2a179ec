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
  // Penalties are computed where they are used, because values that live across calls are kept in memory.
  const auto make_penalties = [&s]() HWY_ATTR {
    const auto penalty = [](std::uint16_t value) HWY_ATTR { return simd::Set(D(), static_cast<T>(value)); };
    Penalties<simd::Vec<D>> p{penalty(s.p1), penalty(s.largest_p2), penalty(s.p1), penalty(s.p1)};
    // Ground is nearer further down.
    if constexpr (Kind::kAllTerms) (Kind::kLast ? p.column_p1_up : p.column_p1_down) = penalty(s.p1_ground);
    return p;
  };
  PathP2Bytes p2[Kind::kAllTerms && Kind::kPlain ? 2 : 1][kMostTileColumns];
  if constexpr (Kind::kAllTerms && Kind::kPlain) {
    for (int i = 0; i < 2; ++i) AdaptP2OfPart<Kind::kStepX>(s, parts[i], p2[i]);
  }
  // The costs are no member of the rows: a call that takes their address would then force the rows into
  // memory, too.
  constexpr int kRoom = kMakesCostsAhead<Kind> ? 2 * kPixelsAhead * Kind::kStripes8 : 1;
  alignas(64) std::uint8_t costs[kRoom * simd::MaxLanes(Tag8())];
  const auto alone = [&](int i, int begin, int end) HWY_ATTR {
    if (begin >= end) return;
    RowsInTurn<Kind, 1, 0> row(s, parts + i, p2[Kind::kAllTerms && Kind::kPlain ? i : 0], begin, view, end,
                               costs);
    const auto penalties = make_penalties();
    for (int u = begin; u < end; ++u) row.Step(s, penalties);
    row.Leave();
  };
  if constexpr (Kind::kStripes8 > 0) {
    // Two rows in turns: their horizontal paths, each a chain of dependent operations, then overlap. The
    // second row's antidiagonal path comes from the first row's place one turn ago, and its vertical path
    // need not wait for the first row's latest step.
    constexpr int kBehind = 2;
    const int begin = std::max(parts[0].u_begin, parts[1].u_begin + kBehind);
    const int end = std::min(parts[0].u_end, parts[1].u_end + kBehind);
    if (begin < end) {
      alone(0, parts[0].u_begin, begin);
      alone(1, parts[1].u_begin, begin - kBehind);
      RowsInTurn<Kind, 2, kBehind> rows(s, parts, p2[0], begin, view, end, costs);
      const auto penalties = make_penalties();
      for (int u = begin; u < end; ++u) rows.Step(s, penalties);
      rows.Leave();
      alone(0, end, parts[0].u_end);
      alone(1, end - kBehind, parts[1].u_end);
      return;
    }
  }
  for (int i = 0; i < 2; ++i) alone(i, parts[i].u_begin, parts[i].u_end);
}

// The SweepFunction for these constants.
template <PathCosts kCosts, SweepTerms kTerms, int kStripes8, int kPlanes, int kPaths, bool kLast>
void Sweep(const SweepView& s, const SweepPart* parts) {
  constexpr bool kMakesCosts = !kLast || !kKeepsCosts<kCosts, kPaths>;
  if constexpr (kMakesCosts) {
    for (int i = 0; i < 2; ++i) PrefetchPlanes<kLast ? 1 : -1>(s, parts[i]);
  }
  if constexpr (kStripes8 > 0 && (kPlanes > 0 || !kMakesCosts)) {
    const bool plain_p2 = kTerms == SweepTerms::kAll || s.p2 == nullptr;
    if (s.pad == nullptr && plain_p2 && s.volume != nullptr) {
      using Plain = SweepKind<kCosts, kTerms, kStripes8, kPlanes, kPaths, kLast, Pixels::kPlain>;
      // MakeCostsOfRow asks by itself whether the partners are inside.
      if constexpr (!kMakesCostsAhead<Plain>) {
        const int u_begin = std::min(parts[0].u_begin, parts[1].u_begin);
        const int u_end = std::max(parts[0].u_end, parts[1].u_end);
        const bool inside = !kMakesCosts ? true
                            : kLast      ? PartnersInside(s, u_begin, u_end)
                                         : PartnersInside(s, s.width - u_end, s.width - u_begin);
        if (inside)
          return SweepTurn<SweepKind<kCosts, kTerms, kStripes8, kPlanes, kPaths, kLast, Pixels::kInside>>(
              s, parts);
      }
      return SweepTurn<Plain>(s, parts);
    }
  }
  SweepTurn<SweepKind<kCosts, kTerms, kStripes8, kPlanes, kPaths, kLast, Pixels::kAny>>(s, parts);
}

template <PathCosts kCosts, SweepTerms kTerms, int kStripes8, int kPlanes>
SweepFunction ChoosePaths(int num_paths, bool last) {
  if (num_paths == 8) {
    constexpr int kLastPlanes = kKeepsCosts<kCosts, 8> ? 0 : kPlanes;
    return last ? Sweep<kCosts, kTerms, kStripes8, kLastPlanes, 8, true>
                : Sweep<kCosts, kTerms, kStripes8, kPlanes, 8, false>;
  }
  constexpr int kLastPlanes = kKeepsCosts<kCosts, 4> ? 0 : kPlanes;
  return last ? Sweep<kCosts, kTerms, kStripes8, kLastPlanes, 4, true>
              : Sweep<kCosts, kTerms, kStripes8, kPlanes, 4, false>;
}

// Loops over vectors are unrolled for the usual numbers of disparities (64, 128, with long vectors 192, 256), and those over
// the census planes for codes of kUsualBits. With all terms only both together are, and pairs of L only with
// 8 paths, because so much code takes long to compile.
template <PathCosts kCosts, SweepTerms kTerms, int kUsualBits>
SweepFunction ChooseSweep(const SweepChoice& asked) {
  const int num_paths = asked.num_paths, num_code_planes = asked.num_code_planes;
  const bool last = asked.last;
  int stripes = asked.stripes;
  constexpr int kUsualPlanes = (kUsualBits + kPlaneBits - 1) / kPlaneBits;
  constexpr bool kOnly8Paths = kTerms == SweepTerms::kAll && kCosts == PathCosts::kPairs8;
  const bool is_usual = num_code_planes == kUsualPlanes;
  [[maybe_unused]] const auto choose = [&](auto count) {
    constexpr int kStripes8 = decltype(count)::value;
    if constexpr (kTerms == SweepTerms::kBasic) {
      if (!is_usual) return ChoosePaths<kCosts, kTerms, kStripes8, 0>(num_paths, last);
    }
    if constexpr (kOnly8Paths) {
      return last ? Sweep<kCosts, kTerms, kStripes8, 0, 8, true>
                  : Sweep<kCosts, kTerms, kStripes8, kUsualPlanes, 8, false>;
    } else {
      return ChoosePaths<kCosts, kTerms, kStripes8, kUsualPlanes>(num_paths, last);
    }
  };
  if (kTerms == SweepTerms::kAll && (!is_usual || (kOnly8Paths && num_paths != 8))) stripes = 0;
  switch (stripes) {
#if HWY_MAX_BYTES == 64
    case 1:
      return choose(std::integral_constant<int, 1>());
    case 2:
      return choose(std::integral_constant<int, 2>());
    case 3:
      return choose(std::integral_constant<int, 3>());
#elif HWY_MAX_BYTES == 32
    case 2:
      return choose(std::integral_constant<int, 2>());
#endif
#if HWY_MAX_BYTES >= 16
    case 4:
      return choose(std::integral_constant<int, 4>());
#endif
#if HWY_MAX_BYTES == 16 || HWY_MAX_BYTES == 32  // scalar code, which no machine runs, is left out
    case 8:
      return choose(std::integral_constant<int, 8>());
#endif
    default:
      return ChoosePaths<kCosts, kTerms, 0, 0>(num_paths, last);
  }
}

// Nothing is unrolled.
template <PathCosts kCosts>
SweepFunction ChooseWideSweep(const SweepChoice& asked) {
#ifndef PARALLAX_FIRST_BUILD  // which has no sweeps of kBasic
  if (asked.terms == SweepTerms::kBasic) {
    return ChoosePaths<kCosts, SweepTerms::kBasic, 0, 0>(asked.num_paths, asked.last);
  }
#endif
  return ChoosePaths<kCosts, SweepTerms::kAll, 0, 0>(asked.num_paths, asked.last);
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
