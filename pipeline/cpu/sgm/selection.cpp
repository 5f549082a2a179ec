#include "pipeline/cpu/sgm/selection.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/selection.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "pipeline/cpu/sgm/right_window-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

using V = V16;
constexpr int kGroup = 8;  // pixels whose lowest costs are found in one tree: as many as a block has lanes

// Lane i of the first block: the lowest lane of mins[i].
HWY_INLINE V MinOfEight(const V* HWY_RESTRICT mins) {
  const Tag16 d;
  const simd::Repartition<std::uint32_t, Tag16> d32;
  const simd::Repartition<std::uint64_t, Tag16> d64;
  V quads[2];
  for (int i = 0; i < 2; ++i) {
    const auto a = simd::BitCast(d32, JoinMins(d, mins[4 * i], mins[4 * i + 1]));
    const auto b = simd::BitCast(d32, JoinMins(d, mins[4 * i + 2], mins[4 * i + 3]));
    quads[i] = simd::Min(simd::BitCast(d, simd::InterleaveLower(d32, a, b)),
                         simd::BitCast(d, simd::InterleaveUpper(d32, a, b)));
  }
  const auto a = simd::BitCast(d64, quads[0]), b = simd::BitCast(d64, quads[1]);
  return MinOfBlocks(d, simd::Min(simd::BitCast(d, simd::InterleaveLower(d64, a, b)),
                                  simd::BitCast(d, simd::InterleaveUpper(d64, a, b))));
}

HWY_INLINE void StoreEight(V v, std::uint16_t* HWY_RESTRICT to) {
  alignas(64) std::uint16_t lanes[32];
  simd::Store(v, Tag16(), lanes);
  std::copy_n(lanes, kGroup, to);
}

template <int kStripes, Selected kSelected>
using Window = std::conditional_t<kSelected == Selected::kSmallCosts, StripeKeyWindow<kStripes>,
                                  RightWindow<kStripes, kSelected == Selected::kKeys>>;

// Lowest cost, or key, of a pixel by lanes, its stripe, and the same for the right pixels it meets.
template <int kStripes, bool kKeys>
HWY_INLINE V FindLowest(const SelectionTables& t, int stripes, const std::uint16_t* HWY_RESTRICT sum,
                        RightWindow<kStripes, kKeys>& right, std::uint16_t* HWY_RESTRICT stripe_of) {
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  V lowest = simd::Load(d, sum), stripe = simd::Zero(d), disparity = stripe;
  for (int s = 0; s < stripes; ++s) {
    const V cost = simd::Load(d, sum + s * lanes);
    if constexpr (!kKeys) disparity = simd::Load(d, t.disparity_of.data() + s * lanes);
    if (s > 0) {
      const V lower = simd::Min(lowest, cost), here = simd::Set(d, static_cast<std::uint16_t>(s));
      // Strictly lower: of equal costs the lowest disparity stays.
      if constexpr (!kKeys) stripe = simd::IfThenElse(simd::Eq(lower, lowest), stripe, here);
      lowest = lower;
    }
    right.Meet(s, cost, disparity);
  }
  if constexpr (!kKeys) simd::Store(stripe, d, stripe_of);
  return lowest;
}
template <int kStripes>
HWY_INLINE V FindLowest(const SelectionTables&, int, const std::uint16_t* HWY_RESTRICT sum,
                        StripeKeyWindow<kStripes>& right, std::uint16_t* HWY_RESTRICT stripe_of) {
  constexpr int kBits = StripeKeyWindow<kStripes>::kBits;
  const Tag16 d;
  V lowest = simd::Set(d, std::uint16_t{0xFFFF});
  for (int s = 0; s < kStripes; ++s) {
    const V cost = simd::Load(d, sum + s * static_cast<int>(simd::Lanes(d)));
    const V key = simd::Or(simd::ShiftLeft<kBits>(cost), simd::Set(d, static_cast<std::uint16_t>(s)));
    lowest = simd::Min(lowest, key);
    right.Meet(s, key);
  }
  simd::Store(simd::And(lowest, simd::Set(d, std::uint16_t{kStripes - 1})), d, stripe_of);
  return simd::ShiftRight<kBits>(lowest);
}

// Keeps the costs next to the winner of each of count pixels, and strikes out all three: the rivals remain. A
// separate function, so that its pointers stay in registers, and a loop, so that GCC does not gather single
// values in vectors.
HWY_NOINLINE void RemoveWinner(const std::uint16_t* HWY_RESTRICT place_of, int padded, int count,
                               const std::uint16_t* HWY_RESTRICT winner, std::uint16_t* HWY_RESTRICT sum,
                               std::uint32_t* HWY_RESTRICT beside) {
  HWY_UNROLL(1)
  for (int j = 0; j < count; ++j, sum += padded) {
    const std::uint16_t* places = place_of + winner[j];
    const std::ptrdiff_t lower = places[0], here = places[1], higher = places[2];
    beside[j] = sum[lower] | std::uint32_t{sum[higher]} << 16;
    sum[here] = sum[lower] = sum[higher] = 0xFFFF;
  }
}

// kGroup pixels from x on, or count of them.
template <int kStripes, Selected kSelected, bool kWhole>
HWY_INLINE void SelectGroup(const SelectionTables& t, int x, int some, std::uint16_t* HWY_RESTRICT sums,
                            const SelectedRow& row, V first_lane, Window<kStripes, kSelected>& right) {
  constexpr bool kKeys = kSelected == Selected::kKeys;
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes = kStripes > 0 ? kStripes : t.striping.Stripes16(), padded = stripes * lanes;
  const int count = kWhole ? kGroup : some;
  const V none = simd::Set(d, std::uint16_t{0xFFFF});
  V mins[kGroup];
  alignas(64) std::uint16_t stripe_of[kKeys ? 1 : kGroup][simd::MaxLanes(Tag16())];
  const auto find_lowest = [&](int j) HWY_ATTR {
    row.right_winner[x + j - 1] = right.Advance(first_lane);
    mins[j] = FindLowest(t, stripes, sums + j * padded, right, stripe_of[kKeys ? 0 : j]);
  };
  if constexpr (kWhole) {
    HWY_UNROLL(8)
    for (int j = 0; j < kGroup; ++j) find_lowest(j);
  } else {
    for (int j = 0; j < kGroup; ++j) mins[j] = none;
    for (int j = 0; j < count; ++j) find_lowest(j);
  }
  const V lowest_of_all = MinOfEight(mins);
  StoreEight(lowest_of_all, row.lowest + x);
  if constexpr (kKeys) {
    StoreEight(simd::And(lowest_of_all, simd::Set(d, std::uint16_t{(1 << kKeyBits) - 1})), row.winner + x);
  } else {
    for (int j = 0; j < count; ++j) {
      const auto lane = simd::FindFirstTrue(d, simd::Eq(mins[j], simd::Set(d, row.lowest[x + j])));
      row.winner[x + j] = static_cast<std::uint16_t>(static_cast<int>(lane) * stripes + stripe_of[j][lane]);
    }
  }
}

// Lowest costs that are left of kGroup pixels from x on, or of count of them.
template <int kStripes>
HWY_INLINE void FindRivals(const SelectionTables& t, int x, int count, const std::uint16_t* HWY_RESTRICT sums,
                           const SelectedRow& row) {
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes = kStripes > 0 ? kStripes : t.striping.Stripes16();
  V mins[kGroup];
  for (int j = 0; j < kGroup; ++j) {
    const std::uint16_t* sum = sums + std::min(j, count - 1) * stripes * lanes;
    mins[j] = simd::Load(d, sum);
    for (int s = 1; s < stripes; ++s) mins[j] = simd::Min(mins[j], simd::Load(d, sum + s * lanes));
  }
  StoreEight(MinOfEight(mins), row.rival + x);
}

template <int kStripes, Selected kSelected>
void SelectPartOfStripes(const SelectionTables& t, int x_begin, int x_end, std::uint16_t* HWY_RESTRICT sums,
                         const SelectedRow& row) {
  const Tag16 d;
  const int padded = t.striping.Padded();
  alignas(64) static constexpr std::uint16_t kFirstLane[32] = {0xFFFF};
  const V first_lane = simd::Load(d, kFirstLane);
  Window<kStripes, kSelected> right(t, row.right_state);
  int x = x_begin;
  std::uint16_t* sum = sums;
  for (; x + kGroup <= x_end; x += kGroup, sum += kGroup * padded) {
    SelectGroup<kStripes, kSelected, true>(t, x, kGroup, sum, row, first_lane, right);
  }
  if (x < x_end) SelectGroup<kStripes, kSelected, false>(t, x, x_end - x, sum, row, first_lane, right);
  right.Save();
  // Winners are removed for the whole part at once: a value that is read soon after its vector was written
  // waits for that write, and so does a vector of which a value has just been struck out.
  RemoveWinner(t.place_of.data(), padded, x_end - x_begin, row.winner + x_begin, sums, row.beside + x_begin);
  for (x = x_begin; x < x_end; x += kGroup, sums += kGroup * padded) {
    FindRivals<kStripes>(t, x, std::min(kGroup, x_end - x), sums, row);
  }
}

template <Selected kSelected>
void SelectPartOfTarget(const SelectionTables& t, int x_begin, int x_end, std::uint16_t* sums,
                        const SelectedRow& row) {
  constexpr Selected kOfCosts = kSelected == Selected::kKeys ? Selected::kKeys : Selected::kCosts;
  switch (t.striping.Stripes16()) {
#if HWY_MAX_BYTES == 64
    case 2:
      return SelectPartOfStripes<2, kSelected>(t, x_begin, x_end, sums, row);
    case 6:
      return SelectPartOfStripes<6, kSelected>(t, x_begin, x_end, sums, row);
#endif
#if HWY_MAX_BYTES >= 32
    case 4:
      return SelectPartOfStripes<4, kSelected>(t, x_begin, x_end, sums, row);
#endif
#if HWY_MAX_BYTES >= 16
    case 8:
      return SelectPartOfStripes<8, kSelected>(t, x_begin, x_end, sums, row);
#endif
#if HWY_MAX_BYTES == 16 || HWY_MAX_BYTES == 32
    case 16:
      return SelectPartOfStripes<16, kSelected>(t, x_begin, x_end, sums, row);
#endif
    default:
      return SelectPartOfStripes<0, kOfCosts>(t, x_begin, x_end, sums, row);
  }
}
void SelectPartOf(const SelectionTables& t, int x_begin, int x_end, std::uint16_t* sums,
                  const SelectedRow& row) {
  // With long vectors the costs and the disparities of all stripes stay in registers.
  constexpr Selected kSmallCosts = HWY_MAX_BYTES == 64 ? Selected::kCosts : Selected::kSmallCosts;
  switch (t.selected) {
    case Selected::kCosts:
      return SelectPartOfTarget<Selected::kCosts>(t, x_begin, x_end, sums, row);
    case Selected::kSmallCosts:
      return SelectPartOfTarget<kSmallCosts>(t, x_begin, x_end, sums, row);
    case Selected::kKeys:
      return SelectPartOfTarget<Selected::kKeys>(t, x_begin, x_end, sums, row);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {
namespace {

constexpr std::uint16_t kNone = 0xFFFF;

}  // namespace

HWY_EXPORT(SelectPartOf);
void SelectPart(const SelectionTables& tables, int x_begin, int x_end, std::uint16_t* sums,
                const SelectedRow& row) {
  HWY_DYNAMIC_DISPATCH(SelectPartOf)(tables, x_begin, x_end, sums, row);
}

SelectionTables::SelectionTables(const Striping& striping_, Selected selected_)
    : striping(striping_),
      selected(selected_),
      place_of(static_cast<std::size_t>(striping_.num_disparities) + 2),
      disparity_of(static_cast<std::size_t>(striping_.Padded())),
      doubled_disparity(disparity_of.size()) {
  std::fill_n(disparity_of.data(), disparity_of.size(), kNone);
  std::fill_n(doubled_disparity.data(), doubled_disparity.size(), std::uint16_t{0});
  for (int d = 0; d < striping.num_disparities; ++d) {
    const int place = striping.At16(d);
    place_of[static_cast<std::size_t>(d) + 1] = static_cast<std::uint16_t>(place);
    disparity_of.data()[place] = static_cast<std::uint16_t>(d);
    doubled_disparity.data()[place] = static_cast<std::uint16_t>(2 * d);
  }
  place_of.front() = place_of[1];
  place_of.back() = place_of[place_of.size() - 2];
}

void BeginRow(const SelectionTables& tables, const SelectedRow& row) {
  const int padded = tables.striping.Padded();
  std::fill_n(row.right_state, padded,
              tables.selected == Selected::kSmallCosts ? std::uint16_t{1} << kSmallCostBits : kNone);
  std::fill_n(row.right_state + padded, padded, kNone);
}

void FinishRow(const SelectionTables& tables, int width, const SelectedRow& row) {
  // Values that the previous left pixel left behind.
  const int stripes = tables.striping.Stripes16(), lanes = tables.striping.lanes / 2;
  const int padded = tables.striping.Padded();
  for (int s = 0; s < stripes; ++s) {
    const std::uint16_t* winners = row.right_state + ((tables.use_keys() ? 0 : stripes) + s) * lanes;
    for (int i = 0; i < lanes; ++i) row.right_winner[width + padded - 2 - (stripes * i + s)] = winners[i];
  }
}

RightWinners RightWinnersOf(const SelectionTables& tables, const SelectedRow& row) {
  const std::uint16_t index_bits = tables.use_keys() ? (1 << kKeyBits) - 1 : 0xFFFF;
  return {row.right_winner + tables.striping.Padded() - 1, index_bits};
}

void CopyRightRow(const SelectionTables& tables, int width, int min_disparity, const SelectedRow& row,
                  std::uint16_t* winner_right) {
  const RightWinners right = RightWinnersOf(tables, row);
  for (int x = 0; x < width; ++x) {
    const int met_by = x + min_disparity;  // at index 0
    const bool is_met = met_by > -tables.striping.num_disparities && met_by < width;
    winner_right[x] = is_met ? right.winner[met_by] & right.index_bits : kNone;
  }
}

}  // namespace parallax::cpu
#endif
