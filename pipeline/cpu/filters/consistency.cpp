#include "pipeline/cpu/filters/consistency.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/consistency.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "parallax/disparity_map.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::int32_t>;
using Tag16 = hn::ScalableTag<std::uint16_t>;

// Sets a byte of marks[x + w] for each x of [begin, end) and the index w of its winner: byte 0 where that is
// inside the range of disparities, 1 at its lower end, 2 at its upper, 3 at both. Single bytes are stored at
// places that are found a vector at a time: neither branches nor scattering instructions.
void MarkWinners(const RightWinners& right, int begin, int end, int num_disparities,
                 std::int32_t* HWY_RESTRICT marks) {
  const Tag16 d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const auto index = hn::Set(d, right.index_bits);
  const auto first = hn::Zero(d), last = hn::Set(d, static_cast<std::uint16_t>(num_disparities - 1));
  const auto lanes = hn::Iota(d, 0), one = hn::Set(d, std::uint16_t{1}), two = hn::Set(d, std::uint16_t{2});
  alignas(64) std::uint16_t places[kLanes];
  auto* bytes = reinterpret_cast<std::uint8_t*>(marks);
  for (int x = begin; x < end; x += kLanes) {
    const auto w = hn::And(hn::LoadU(d, right.winner + x), index);
    const auto kind =
        hn::Or(hn::IfThenElseZero(hn::Eq(w, first), one), hn::IfThenElseZero(hn::Eq(w, last), two));
    hn::Store(hn::Add(hn::ShiftLeft<2>(hn::Add(w, lanes)), kind), d, places);
    const std::ptrdiff_t from = std::ptrdiff_t{4} * x;
    if (end - x >= kLanes) {
      HWY_UNROLL(32)
      for (int i = 0; i < kLanes; ++i) bytes[from + places[i]] = 1;
    } else {
      for (int i = 0; i < end - x; ++i) bytes[from + places[i]] = 1;
    }
  }
}

// answers[x]: the winner kept for the right pixel that left pixel x matches.
void FindAnswers(const std::uint16_t* HWY_RESTRICT winner_left, const RightWinners& right, int width,
                 int num_disparities, std::uint16_t* HWY_RESTRICT answers) {
  const Tag16 d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  const auto lanes = hn::Iota(d, static_cast<std::uint16_t>(num_disparities - 1));
  alignas(64) std::uint16_t places[kLanes];
  const std::uint16_t* HWY_RESTRICT winner = right.winner - (num_disparities - 1);
  for (int x = 0; x < width; x += kLanes, winner += kLanes) {
    hn::Store(hn::Sub(lanes, hn::LoadU(d, winner_left + x)), d, places);
    if (width - x >= kLanes) {
      HWY_UNROLL(32)
      for (int i = 0; i < kLanes; ++i) answers[x + i] = winner[places[i]];
    } else {
      for (int i = 0; i < width - x; ++i) answers[x + i] = winner[places[i]];
    }
  }
}

// claims(x): which pixels of a vector some right pixel's winner leads to, or near to.
template <class Claims>
HWY_INLINE void JudgeRow(const std::uint16_t* HWY_RESTRICT winner_left,
                         const std::uint16_t* HWY_RESTRICT answers, std::uint16_t index_bits, int width,
                         int min_disparity, int max_difference, const Claims& claims,
                         float* HWY_RESTRICT disparity, std::uint8_t* HWY_RESTRICT validity) {
  const Tag d;
  const hn::RebindToFloat<Tag> df;
  const hn::RebindToUnsigned<Tag> du;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto bits = [&](int value) HWY_ATTR { return hn::Set(d, value); };
  const auto nan = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
  const auto last = hn::Set(du, static_cast<std::uint32_t>(width - 1));
  const auto index = hn::Set(d16, index_bits);
  auto place = hn::Iota(d, -min_disparity);
  for (int x = 0; x < width; x += lanes, place = hn::Add(place, bits(lanes))) {
    const auto winner = hn::PromoteTo(d, hn::LoadU(d16, winner_left + x));
    const auto x_right = hn::BitCast(du, hn::Sub(place, winner));
    const auto outside = hn::RebindMask(d, hn::Gt(x_right, last));  // those below 0 are large
    const auto answer = hn::PromoteTo(d, hn::And(hn::LoadU(d16, answers + x), index));
    const auto differs = hn::Gt(hn::Abs(hn::Sub(answer, winner)), bits(max_difference));
    const auto doubt = hn::IfThenElse(claims(x), bits(kMismatched), bits(kOccluded));
    const auto fault = hn::IfThenElse(outside, bits(kOutOfRange), hn::IfThenElseZero(differs, doubt));
    const auto flags = hn::Or(hn::PromoteTo(d, hn::LoadU(d8, validity + x)), fault);
    hn::StoreU(hn::DemoteTo(d8, flags), d8, validity + x);
    const auto good = hn::RebindMask(df, hn::Eq(fault, hn::Zero(d)));
    hn::StoreU(hn::IfThenElse(good, hn::LoadU(df, disparity + x), nan), df, disparity + x);
  }
}

void JudgeRowByClaims(const std::uint16_t* winner_left, const std::uint16_t* answers,
                      std::uint16_t index_bits, int width, int min_disparity, int max_difference,
                      const std::uint8_t* HWY_RESTRICT claimed, float* disparity, std::uint8_t* validity) {
  const Tag d;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const auto claims = [&](int x) HWY_ATTR {
    return hn::Ne(hn::PromoteTo(d, hn::LoadU(d8, claimed + x)), hn::Zero(d));
  };
  JudgeRow(winner_left, answers, index_bits, width, min_disparity, max_difference, claims, disparity,
           validity);
}

// The same for max_difference 1, the usual value, from the marks of MarkWinners(): looks at the pixel and at
// its neighbours within the range of disparities.
void JudgeRowByMarks(const std::uint16_t* winner_left, const std::uint16_t* answers, std::uint16_t index_bits,
                     int width, int min_disparity, const std::int32_t* HWY_RESTRICT marks, float* disparity,
                     std::uint8_t* validity) {
  const Tag d;
  const auto kinds = [&](int first, int second)
                         HWY_ATTR { return hn::Set(d, 1 << (8 * first) | 1 << (8 * second)); };
  const auto before = kinds(0, 1), after = kinds(0, 2);
  const auto claims = [&](int x) HWY_ATTR {
    const auto at = [&](int shift) HWY_ATTR { return hn::LoadU(d, marks + x + shift); };
    const auto marked = hn::Or(at(0), hn::Or(hn::And(at(-1), before), hn::And(at(1), after)));
    return hn::Ne(marked, hn::Zero(d));
  };
  JudgeRow(winner_left, answers, index_bits, width, min_disparity, 1, claims, disparity, validity);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {
namespace {

HWY_EXPORT(MarkWinners);
HWY_EXPORT(FindAnswers);
HWY_EXPORT(JudgeRowByClaims);
HWY_EXPORT(JudgeRowByMarks);

// claimed[x] != 0 if the winner of some right pixel leads to left pixel x, or to one at most max_difference
// away within the range of disparities. Each winner claims one interval; testing every disparity of every
// pixel would take W * D steps. Intervals are counted by their ends.
void ClaimAroundWinners(const RightWinners& right, int right_begin, int right_end, int width,
                        int num_disparities, int max_difference, std::int16_t* counts,
                        std::uint8_t* claimed) {
  std::fill_n(counts, width + 1, std::int16_t{0});
  for (int x = right_begin; x < right_end; ++x) {
    const int winner = right.winner[x] & right.index_bits;
    const int begin = std::max(0, x + std::max(0, winner - max_difference));
    const int end = std::min(width, x + std::min(num_disparities, winner + max_difference + 1));
    if (begin >= end) continue;
    ++counts[begin];
    --counts[end];
  }
  int open = 0;
  for (int x = 0; x < width; ++x) {
    open += counts[x];
    claimed[x] = open > 0 ? 1 : 0;
  }
}

}  // namespace

CheckRowScratch::CheckRowScratch(int width)
    : answers_(static_cast<std::size_t>(width) + 64),
      marks_(static_cast<std::size_t>(width) + 2 * kMarkMargin),
      claimed_(static_cast<std::size_t>(width) + 128),
      counts_(static_cast<std::size_t>(width) + 1) {
  std::fill_n(answers_.data(), answers_.size(), std::uint16_t{0});
  std::fill_n(claimed_.data(), claimed_.size(), std::uint8_t{0});
}

std::size_t CheckRowScratch::bytes() const {
  return answers_.size() * sizeof(std::uint16_t) + marks_.size() * sizeof(std::int32_t) + claimed_.size() +
         counts_.size() * sizeof(std::int16_t);
}

void CheckRow(const std::uint16_t* winner_left, const RightWinners& right, int width, int min_disparity,
              int num_disparities, const ConsistencyParameters& parameters, float* disparity,
              std::uint8_t* validity, CheckRowScratch& scratch) {
  const int max_difference = parameters.max_difference;
  if (max_difference < 0) return;
  HWY_DYNAMIC_DISPATCH(FindAnswers)(winner_left, right, width, num_disparities, scratch.answers());
  // begin .. end: the right pixels that have a winner, because some left pixel is compared with them.
  const int begin = std::max(1 - num_disparities, min_disparity),
            end = std::min(width, width + min_disparity);
  if (max_difference == 1) {
    std::fill_n(scratch.marks() - CheckRowScratch::kMarkMargin, width + 2 * CheckRowScratch::kMarkMargin, 0);
    HWY_DYNAMIC_DISPATCH(MarkWinners)(right, begin, end, num_disparities, scratch.marks());
    HWY_DYNAMIC_DISPATCH(JudgeRowByMarks)
    (winner_left, scratch.answers(), right.index_bits, width, min_disparity, scratch.marks(), disparity,
     validity);
  } else {
    ClaimAroundWinners(right, begin, end, width, num_disparities, max_difference, scratch.counts(),
                       scratch.claimed());
    HWY_DYNAMIC_DISPATCH(JudgeRowByClaims)
    (winner_left, scratch.answers(), right.index_bits, width, min_disparity, max_difference,
     scratch.claimed(), disparity, validity);
  }
}

}  // namespace parallax::cpu
#endif
