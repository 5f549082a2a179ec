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

// claimed: not 0 where some right pixel's winner leads to the left pixel or beside it.
void CheckRowOfTarget(const std::uint16_t* HWY_RESTRICT winner_left,
                      const std::uint16_t* HWY_RESTRICT winner_right,
                      const std::uint8_t* HWY_RESTRICT claimed, int width, int min_disparity,
                      int max_difference, float* HWY_RESTRICT disparity,
                      std::uint8_t* HWY_RESTRICT validity) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::RebindToFloat<decltype(d)> df;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto bits = [&](int value) HWY_ATTR { return hn::Set(d, value); };
  const auto nan = hn::Set(df, std::numeric_limits<float>::quiet_NaN());
  for (int x = 0; x < width; x += lanes) {
    const auto winner = hn::PromoteTo(d, hn::LoadU(d16, winner_left + x));
    const auto x_right = hn::Sub(hn::Iota(d, x - min_disparity), winner);
    const auto inside = hn::And(hn::Gt(x_right, bits(-1)), hn::Lt(x_right, bits(width)));
    const auto at = hn::IfThenElseZero(inside, x_right);
    // Two winners at a time are gathered, of which the first counts.
    const auto both =
        hn::GatherOffset(d, reinterpret_cast<const std::int32_t*>(winner_right), hn::ShiftLeft<1>(at));
    const auto answer = hn::And(both, bits(0xFFFF));
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

HWY_EXPORT(CheckRowOfTarget);

constexpr std::uint16_t kNoWinner = 0xFFFF;

// claimed[x] != 0 where the winner of some right pixel leads to left pixel x or to one at most max_difference
// beside it, within the range of disparities. Each winner claims one interval, where trying every disparity
// of every pixel would take W * D steps.
void ClaimBesideWinners(const std::uint16_t* winner_right, int width, int min_disparity, int num_disparities,
                        std::uint8_t* claimed) {
  std::fill_n(claimed, width, std::uint8_t{0});
  // max_difference 1, the usual one: no branch but at the borders depends on the image.
  for (int x_right = 0; x_right < width; ++x_right) {
    const int winner = winner_right[x_right], x = x_right + min_disparity + winner;
    if (winner == kNoWinner) continue;
    const int before = winner > 0 ? x - 1 : x, after = winner + 1 < num_disparities ? x + 1 : x;
    if (before >= 0 && after < width) {
      claimed[before] = claimed[x] = claimed[after] = 1;
      continue;
    }
    for (const int place : {before, x, after}) {
      if (place >= 0 && place < width) claimed[place] = 1;
    }
  }
}

// The same for any max_difference: intervals are counted by their ends.
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

}  // namespace

void CheckRow(const std::uint16_t* winner_left, const std::uint16_t* winner_right, int width,
              int min_disparity, int num_disparities, const ConsistencyParameters& parameters,
              float* disparity, std::uint8_t* validity, std::vector<std::int16_t>& scratch) {
  const int max_difference = parameters.max_difference;
  if (max_difference < 0) return;
  const std::size_t claimed_at = static_cast<std::size_t>(width) + 1;
  scratch.resize(claimed_at + (static_cast<std::size_t>(width) + 64) / 2 + 1);  // counts, then bytes
  auto* claimed = reinterpret_cast<std::uint8_t*>(scratch.data() + claimed_at);
  if (max_difference == 1) {
    ClaimBesideWinners(winner_right, width, min_disparity, num_disparities, claimed);
  } else {
    ClaimAroundWinners(winner_right, width, min_disparity, num_disparities, max_difference, scratch.data(),
                       claimed);
  }
  HWY_DYNAMIC_DISPATCH(CheckRowOfTarget)
  (winner_left, winner_right, claimed, width, min_disparity, max_difference, disparity, validity);
}

}  // namespace parallax::cpu
#endif
