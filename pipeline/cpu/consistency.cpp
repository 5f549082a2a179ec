#include "pipeline/cpu/consistency.h"

#include "pipeline/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/consistency.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "pipeline/disparity_map.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Rows of marks: right pixels whose winner, by index, is inside the range, the lowest, the highest, and both.
constexpr int kMarkMargin = 64;  // of each row; the first byte of all is for what is nowhere

using Tag = hn::ScalableTag<std::int32_t>;

// Marks the left pixels that winners of right pixels lead to. Single bytes are stored at places that are
// found a vector at a time: neither branches nor scattering instructions.
void MarkWinners(const std::uint16_t* HWY_RESTRICT winner_right, int width, int min_disparity,
                 int num_disparities, std::int32_t* HWY_RESTRICT places, std::ptrdiff_t mark_stride,
                 std::uint8_t* HWY_RESTRICT marks) {
  const Tag d;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto lowest_row = hn::Set(d, static_cast<int>(mark_stride));
  const auto highest_row = hn::Set(d, static_cast<int>(2 * mark_stride));
  for (int x = 0; x < width; x += lanes) {
    const auto winner = hn::PromoteTo(d, hn::LoadU(d16, winner_right + x));
    const auto x_left = hn::Add(hn::Iota(d, x + min_disparity), winner);
    const auto row =
        hn::Add(hn::IfThenElseZero(hn::Eq(winner, hn::Zero(d)), lowest_row),
                hn::IfThenElseZero(hn::Eq(winner, hn::Set(d, num_disparities - 1)), highest_row));
    const auto somewhere =
        hn::And(hn::Lt(winner, hn::Set(d, num_disparities)),
                hn::And(hn::Gt(x_left, hn::Set(d, -1)), hn::Lt(x_left, hn::Set(d, width))));
    const auto place = hn::Add(hn::Add(x_left, row), hn::Set(d, kMarkMargin));
    hn::StoreU(hn::IfThenElseZero(somewhere, place), d, places + x);
  }
  HWY_UNROLL(8)
  for (int x = 0; x < width; ++x) marks[places[x]] = 1;
}

// claimed[x]: not 0 where a mark, or one beside it within the range of disparities, is at x.
void ClaimBesideMarks(const std::uint8_t* HWY_RESTRICT marks, std::ptrdiff_t mark_stride, int width,
                      std::uint8_t* HWY_RESTRICT claimed) {
  const hn::ScalableTag<std::uint8_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto at = [&](int row, int shift) HWY_ATTR {
      return hn::LoadU(d, marks + row * mark_stride + kMarkMargin + x + shift);
    };
    const auto inside = hn::Or(at(0, 0), hn::Or(at(0, -1), at(0, 1)));
    const auto lowest = hn::Or(at(1, 0), at(1, -1)), highest = hn::Or(at(2, 0), at(2, 1));
    hn::StoreU(hn::Or(hn::Or(inside, at(3, 0)), hn::Or(lowest, highest)), d, claimed + x);
  }
}

// answers[x]: the winner of the right pixel that left pixel x's winner leads to; of none, anything.
void FindAnswers(const std::uint16_t* HWY_RESTRICT winner_left,
                 const std::uint16_t* HWY_RESTRICT winner_right, int width, int min_disparity,
                 std::int32_t* HWY_RESTRICT places, std::uint16_t* HWY_RESTRICT answers) {
  const Tag d;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto winner = hn::PromoteTo(d, hn::LoadU(d16, winner_left + x));
    const auto x_right = hn::Sub(hn::Iota(d, x - min_disparity), winner);
    const auto inside = hn::And(hn::Gt(x_right, hn::Set(d, -1)), hn::Lt(x_right, hn::Set(d, width)));
    hn::StoreU(hn::IfThenElseZero(inside, x_right), d, places + x);
  }
  HWY_UNROLL(8)
  for (int x = 0; x < width; ++x) answers[x] = winner_right[places[x]];
}

// claimed: not 0 where some right pixel's winner leads to the left pixel or beside it.
void JudgeRow(const std::uint16_t* HWY_RESTRICT winner_left, const std::uint16_t* HWY_RESTRICT answers,
              const std::uint8_t* HWY_RESTRICT claimed, int width, int min_disparity, int max_difference,
              float* HWY_RESTRICT disparity, std::uint8_t* HWY_RESTRICT validity) {
  const Tag d;
  const hn::RebindToFloat<Tag> df;
  const hn::Rebind<std::uint16_t, Tag> d16;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto bits = [&](int value) HWY_ATTR { return hn::Set(d, value); };
  const auto nan = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
  for (int x = 0; x < width; x += lanes) {
    const auto winner = hn::PromoteTo(d, hn::LoadU(d16, winner_left + x));
    const auto x_right = hn::Sub(hn::Iota(d, x - min_disparity), winner);
    const auto inside = hn::And(hn::Gt(x_right, bits(-1)), hn::Lt(x_right, bits(width)));
    const auto answer = hn::PromoteTo(d, hn::LoadU(d16, answers + x));
    // 0xFFFF lies further than any max_difference (<= 1024) from any index (< 1024).
    const auto agrees = hn::Lt(hn::Abs(hn::Sub(answer, winner)), bits(max_difference + 1));
    const auto is_claimed = hn::Ne(hn::PromoteTo(d, hn::LoadU(d8, claimed + x)), hn::Zero(d));
    const auto doubt = hn::IfThenElse(is_claimed, bits(kMismatched), bits(kOccluded));
    const auto fault = hn::IfThenElse(inside, hn::IfThenElse(agrees, bits(kValid), doubt), bits(kOutOfRange));
    const auto flags = hn::Or(hn::PromoteTo(d, hn::LoadU(d8, validity + x)), fault);
    hn::StoreU(hn::DemoteTo(d8, flags), d8, validity + x);
    const auto good = hn::RebindMask(df, hn::Eq(fault, hn::Zero(d)));
    hn::StoreU(hn::IfThenElse(good, hn::LoadU(df, disparity + x), nan), df, disparity + x);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {
namespace {

HWY_EXPORT(MarkWinners);
HWY_EXPORT(ClaimBesideMarks);
HWY_EXPORT(FindAnswers);
HWY_EXPORT(JudgeRow);

constexpr std::uint16_t kNoWinner = 0xFFFF;

// claimed[x] != 0 where the winner of some right pixel leads to left pixel x or to one at most max_difference
// beside it, within the range of disparities. Each winner claims one interval, where trying every disparity
// of every pixel would take W * D steps; intervals are counted by their ends.
void ClaimAroundWinners(const std::uint16_t* winner_right, int width, int min_disparity, int num_disparities,
                        int max_difference, std::int16_t* counts, std::uint8_t* claimed) {
  std::fill_n(counts, width + 1, std::int16_t{0});
  for (int x_right = 0; x_right < width; ++x_right) {
    const int winner = winner_right[x_right];
    if (winner == kNoWinner) continue;
    const int origin = x_right + min_disparity;
    const int begin = std::max(0, origin + std::max(0, winner - max_difference));
    const int end = std::min(width, origin + std::min(num_disparities, winner + max_difference + 1));
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

// The same for max_difference 1, the usual one.
void ClaimBesideWinners(const std::uint16_t* winner_right, int width, int min_disparity, int num_disparities,
                        CheckRowScratch& scratch) {
  std::fill_n(scratch.marks(), 4 * scratch.mark_stride(), std::uint8_t{0});
  HWY_DYNAMIC_DISPATCH(MarkWinners)
  (winner_right, width, min_disparity, num_disparities, scratch.places(), scratch.mark_stride(),
   scratch.marks());
  HWY_DYNAMIC_DISPATCH(ClaimBesideMarks)(scratch.marks(), scratch.mark_stride(), width, scratch.claimed());
}

}  // namespace

CheckRowScratch::CheckRowScratch(int width)
    : mark_stride_((width + 255) / 64 * 64),
      places_(static_cast<std::size_t>(width) + 64),
      answers_(static_cast<std::size_t>(width) + 64),
      marks_(static_cast<std::size_t>(4 * mark_stride_)),
      claimed_(static_cast<std::size_t>(width) + 128),
      counts_(static_cast<std::size_t>(width) + 1) {
  std::fill_n(answers_.data(), answers_.size(), kNoWinner);
  std::fill_n(claimed_.data(), claimed_.size(), std::uint8_t{0});
}

std::size_t CheckRowScratch::bytes() const {
  return places_.size() * sizeof(std::int32_t) + answers_.size() * sizeof(std::uint16_t) + marks_.size() +
         claimed_.size() + counts_.size() * sizeof(std::int16_t);
}

void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, CheckRowScratch& scratch) {
  const int max_difference = parameters.max_difference;
  if (max_difference < 0) return;
  if (max_difference == 1) {
    ClaimBesideWinners(winner_right, width, min_disparity, num_disparities, scratch);
  } else {
    ClaimAroundWinners(winner_right, width, min_disparity, num_disparities, max_difference, scratch.counts(),
                       scratch.claimed());
  }
  HWY_DYNAMIC_DISPATCH(FindAnswers)
  (winner_left, winner_right, width, min_disparity, scratch.places(), scratch.answers());
  HWY_DYNAMIC_DISPATCH(JudgeRow)
  (winner_left, scratch.answers(), scratch.claimed(), width, min_disparity, max_difference, disparity,
   validity);
}

}  // namespace parallax::cpu
#endif
