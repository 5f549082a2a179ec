#include "pipeline/cpu/selection.h"

#include "pipeline/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/selection.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "pipeline/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

using V = simd::Vec<Tag16>;
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

void SelectPartOfTarget(const SelectionTables& t, int x_begin, int x_end, std::uint16_t* HWY_RESTRICT sums,
                        const SelectedRow& row) {
  const Tag16 d;
  const int lanes = static_cast<int>(simd::Lanes(d));
  const int stripes = t.striping.Stripes16(), padded = t.striping.Padded();
  const int last = t.striping.num_disparities - 1;
  const std::uint16_t* disparity_of = t.disparity_of.data();
  const V none = simd::Set(d, std::uint16_t{0xFFFF});
  for (int first = x_begin; first < x_end; first += kGroup, sums += kGroup * padded) {
    const int count = std::min(kGroup, x_end - first);
    V mins[kGroup];
    alignas(64) std::uint16_t stripe_of[kGroup][32];
    for (int j = 0; j < kGroup; ++j) {
      if (j >= count) {
        mins[j] = none;
        continue;
      }
      const std::uint16_t* sum = sums + j * padded;
      const std::int32_t* right = t.right_row.start() + first + j + padded - 1;
      V lowest = none, stripe = simd::Zero(d);
      for (int s = 0; s < stripes; ++s) {
        const V cost = simd::Load(d, sum + s * lanes);
        // Strictly lower: of equal costs the lowest disparity stays, here and, as x grows with d, on the
        // right.
        stripe =
            simd::IfThenElse(simd::Lt(cost, lowest), simd::Set(d, static_cast<std::uint16_t>(s)), stripe);
        lowest = simd::Min(lowest, cost);
        std::uint16_t* right_lowest = row.right_lowest + right[-s];
        std::uint16_t* right_winner = row.right_winner + right[-s];
        const V held = simd::LoadU(d, right_lowest);
        const V winner = simd::IfThenElse(simd::Lt(cost, held), simd::Load(d, disparity_of + s * lanes),
                                          simd::LoadU(d, right_winner));
        simd::StoreU(simd::Min(cost, held), d, right_lowest);
        simd::StoreU(winner, d, right_winner);
      }
      mins[j] = lowest;
      simd::Store(stripe, d, stripe_of[j]);
    }
    StoreEight(MinOfEight(mins), row.lowest + first);

    for (int j = 0; j < count; ++j) {
      std::uint16_t* sum = sums + j * padded;
      const std::uint16_t lowest = row.lowest[first + j];
      const auto lane = simd::FindFirstTrue(d, simd::Eq(mins[j], simd::Set(d, lowest)));
      const int winner = static_cast<int>(lane) * stripes + stripe_of[j][lane];
      row.winner[first + j] = static_cast<std::uint16_t>(winner);
      std::uint16_t& before = sum[t.place_of[static_cast<std::size_t>(std::max(winner - 1, 0))]];
      std::uint16_t& after = sum[t.place_of[static_cast<std::size_t>(std::min(winner + 1, last))]];
      const bool inside = winner > 0 && winner < last;
      row.before[first + j] = inside ? before : lowest;
      row.after[first + j] = inside ? after : lowest;
      // What is left is the rivals.
      sum[t.place_of[static_cast<std::size_t>(winner)]] = before = after = 0xFFFF;
    }
    for (int j = 0; j < kGroup; ++j) {
      mins[j] = none;
      if (j >= count) continue;
      for (int s = 0; s < stripes; ++s)
        mins[j] = simd::Min(mins[j], simd::Load(d, sums + j * padded + s * lanes));
    }
    StoreEight(MinOfEight(mins), row.rival + first);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(SelectPartOfTarget);
void SelectPart(const SelectionTables& tables, int x_begin, int x_end, std::uint16_t* sums,
                const SelectedRow& row) {
  HWY_DYNAMIC_DISPATCH(SelectPartOfTarget)(tables, x_begin, x_end, sums, row);
}

SelectionTables::SelectionTables(int width_, const Striping& striping_)
    : striping(striping_),
      width(width_),
      place_of(static_cast<std::size_t>(striping_.num_disparities)),
      disparity_of(static_cast<std::size_t>(striping_.Padded())),
      right_row(width_, striping_.Padded(), striping_.Stripes16(), 1, striping_.lanes / 2) {
  std::fill_n(disparity_of.data(), disparity_of.size(), std::uint16_t{0xFFFF});
  for (int d = 0; d < striping.num_disparities; ++d) {
    place_of[static_cast<std::size_t>(d)] = static_cast<std::uint16_t>(striping.At16(d));
    disparity_of.data()[striping.At16(d)] = static_cast<std::uint16_t>(d);
  }
}

void ClearRow(const SelectionTables& tables, const SelectedRow& row) {
  std::fill_n(row.right_lowest, tables.right_row.row_length(), std::uint16_t{0xFFFF});
  std::fill_n(row.right_winner, tables.right_row.row_length(), std::uint16_t{0xFFFF});
}

void RightWinners(const SelectionTables& tables, int min_disparity, const SelectedRow& row,
                  std::uint16_t* winner_right) {
  const int shift = min_disparity + tables.striping.Padded() - 1;
  for (int x = 0; x < tables.width; ++x) {
    const int place = x + shift;
    const bool reached = place >= 0 && place < tables.right_row.num_places();
    winner_right[x] = reached ? row.right_winner[tables.right_row.start()[place]] : std::uint16_t{0xFFFF};
  }
}

}  // namespace parallax::cpu
#endif
