#include "pipeline/cpu/ad_census/kernels.h"

#include "pipeline/simd/simd_targets.h"
// Must follow the choice of targets.
#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/ad_census/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::ad_census::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag16 = hn::ScalableTag<std::uint16_t>;
using V16 = hn::Vec<Tag16>;
using TagHalf8 = hn::Rebind<std::uint8_t, Tag16>;
using Tag8 = hn::ScalableTag<std::uint8_t>;

HWY_INLINE int Lanes16() { return static_cast<int>(hn::Lanes(Tag16())); }

int NumLanesOfTarget() { return Lanes16(); }

// Whether a block's elements lie outside the row altogether.
HWY_INLINE bool IsOutside(int first_right, int width) {
  return first_right + Lanes16() <= 0 || first_right >= width;
}

// --- matching cost ----------------------------------------------------------------
void MatchRowOfTarget(const CostRow& row, std::uint16_t* HWY_RESTRICT costs) {
  const Tag16 d;
  const TagHalf8 d8;
  const int lanes = Lanes16();
  const AdCensusTables& tables = *row.tables;
  const bool is_maximum = row.difference == ColorDifference::kMaximum || row.num_channels == 1;
  alignas(64) std::uint16_t color[kMaxLanes];
  for (int x = 0; x < row.width; ++x, costs += lanes) {
    const int first = row.first_right - x;
    if (IsOutside(first, row.width)) {
      hn::Store(hn::Set(d, tables.outside_cost), d, costs);
      continue;
    }
    V16 difference = hn::Zero(d);
    for (int c = 0; c < row.num_channels; ++c) {
      const V16 left = hn::Set(d, row.left[c][x]);
      const V16 right = hn::PromoteTo(d, hn::LoadU(d8, row.right[c] + first));
      const V16 of_channel = hn::Sub(hn::Max(left, right), hn::Min(left, right));
      difference = is_maximum ? hn::Max(difference, of_channel) : hn::Add(difference, of_channel);
    }
    if (is_maximum) difference = hn::Add(hn::Add(difference, difference), difference);
    hn::Store(difference, d, color);
    const std::uint64_t code = row.census_left[x];
    const std::uint64_t* codes = row.census_right + first;
    for (int i = 0; i < lanes; ++i) {
      costs[i] = static_cast<std::uint16_t>(
          tables.color_cost[color[i]] +
          tables.census_cost[static_cast<std::size_t>(std::popcount(code ^ codes[i]))]);
    }
    if (first < 0 || first + lanes > row.width) {
      for (int i = 0; i < lanes; ++i) {
        if (first + i < 0 || first + i >= row.width) costs[i] = tables.outside_cost;
      }
    }
  }
}

// --- arms ---------------------------------------------------------------------------
template <class V>
HWY_INLINE V AbsoluteDifference(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

// All ones where the colours at a + x and b + x differ by the limit at most.
HWY_INLINE auto IsWithin(const ColorRow& a, const ColorRow& b, int num_channels, int x, std::uint8_t limit) {
  const Tag8 d;
  auto largest = AbsoluteDifference(hn::LoadU(d, a.channel[0] + x), hn::LoadU(d, b.channel[0] + x));
  for (int c = 1; c < num_channels; ++c) {
    largest =
        hn::Max(largest, AbsoluteDifference(hn::LoadU(d, a.channel[c] + x), hn::LoadU(d, b.channel[c] + x)));
  }
  return hn::Eq(hn::Min(largest, hn::Set(d, limit)), largest);
}

void CompareRowsOfTarget(const ColorRow& a, const ColorRow& b, int num_channels, int width, int threshold,
                         std::uint8_t* HWY_RESTRICT below) {
  const Tag8 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  if (threshold <= 0) {
    std::fill_n(below, width, std::uint8_t{0});
    return;
  }
  const std::uint8_t limit = static_cast<std::uint8_t>(std::min(threshold - 1, 255));
  for (int x = 0; x < width; x += lanes) {
    hn::StoreU(hn::IfThenElseZero(IsWithin(a, b, num_channels, x, limit), hn::Set(d, std::uint8_t{1})), d,
               below + x);
  }
}

void GrowRowOfTarget(const ColorRow& center, const ColorRow& other, int num_channels, int width,
                     int threshold, const std::uint8_t* similar, std::uint8_t* HWY_RESTRICT alive,
                     std::uint8_t* HWY_RESTRICT length) {
  const Tag8 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::uint8_t limit = static_cast<std::uint8_t>(std::clamp(threshold - 1, 0, 255));
  for (int x = 0; x < width; x += lanes) {
    auto grows = hn::And(hn::LoadU(d, alive + x), hn::LoadU(d, similar + x));
    grows = hn::IfThenElseZero(IsWithin(center, other, num_channels, x, limit), grows);
    if (threshold <= 0) grows = hn::Zero(d);
    hn::StoreU(grows, d, alive + x);
    hn::StoreU(hn::Add(hn::LoadU(d, length + x), grows), d, length + x);
  }
}

// --- aggregation over the crosses -----------------------------------------------------
// Two sums of 32 bits for each pair of neighbouring lanes.
#if HWY_TARGET == HWY_SCALAR
struct WideSum {
  std::uint32_t sum;
  HWY_INLINE WideSum() : sum(0) {}
  HWY_INLINE void Add(V16 v) { sum += hn::GetLane(v); }
  HWY_INLINE V16 Times(float reciprocal) const {
    return hn::Set(Tag16(), static_cast<std::uint16_t>(std::nearbyint(static_cast<float>(sum) * reciprocal)));
  }
  HWY_INLINE void Store(std::uint32_t* to) const { *to = sum; }
  HWY_INLINE void LoadDifference(const std::uint32_t* end, const std::uint32_t* begin) {
    sum = *end - *begin;
  }
};
#else
using Tag32 = hn::RepartitionToWide<Tag16>;
using V32 = hn::Vec<Tag32>;
struct WideSum {
  V32 even, odd;
  HWY_INLINE WideSum() : even(hn::Zero(Tag32())), odd(even) {}
  HWY_INLINE static V32 Even(V16 v) { return hn::And(hn::BitCast(Tag32(), v), hn::Set(Tag32(), 0xFFFFU)); }
  HWY_INLINE static V32 Odd(V16 v) { return hn::ShiftRight<16>(hn::BitCast(Tag32(), v)); }
  HWY_INLINE void Add(V16 v) {
    even = hn::Add(even, Even(v));
    odd = hn::Add(odd, Odd(v));
  }
  template <class VF>
  HWY_INLINE static V32 Product(V32 sum, VF reciprocal) {
    const hn::RebindToFloat<Tag32> df;
    const hn::RebindToSigned<Tag32> di;
    return hn::BitCast(Tag32(), hn::NearestInt(hn::Mul(hn::ConvertTo(df, hn::BitCast(di, sum)), reciprocal)));
  }
  template <class VF>
  HWY_INLINE V16 Products(VF for_even, VF for_odd) const {
    return hn::BitCast(Tag16(), hn::Or(Product(even, for_even), hn::ShiftLeft<16>(Product(odd, for_odd))));
  }
  HWY_INLINE V16 Times(float reciprocal) const {
    const auto r = hn::Set(hn::RebindToFloat<Tag32>(), reciprocal);
    return Products(r, r);
  }
  HWY_INLINE void Store(std::uint32_t* to) const {
    hn::Store(even, Tag32(), to);
    hn::Store(odd, Tag32(), to + hn::Lanes(Tag32()));
  }
  HWY_INLINE void LoadDifference(const std::uint32_t* end, const std::uint32_t* begin) {
    const Tag32 d;
    even = hn::Sub(hn::Load(d, end), hn::Load(d, begin));
    odd = hn::Sub(hn::Load(d, end + hn::Lanes(d)), hn::Load(d, begin + hn::Lanes(d)));
  }
};
#endif

void SumLineOfTarget(const ArmLine& line, const std::uint16_t* HWY_RESTRICT from,
                     std::uint16_t* HWY_RESTRICT to, void* scratch) {
  const Tag16 d;
  const std::ptrdiff_t lanes = Lanes16();
  // Sums from the line's begin, which wrap around and give the right differences.
  std::uint16_t* HWY_RESTRICT before = static_cast<std::uint16_t*>(scratch);
  V16 sum = hn::Zero(d);
  hn::Store(sum, d, before);
  for (int i = 0; i < line.length; ++i) {
    sum = hn::Add(sum, hn::Load(d, from + i * lanes));
    hn::Store(sum, d, before + (i + 1) * lanes);
  }
  for (int i = 0; i < line.length; ++i) {
    hn::Store(hn::Sub(hn::Load(d, before + (i + line.ahead[i] + 1) * lanes),
                      hn::Load(d, before + (i - line.back[i]) * lanes)),
              d, to + i * lanes);
  }
}

void MeanLineOfTarget(const ArmLine& line, const std::uint16_t* HWY_RESTRICT from, const float* reciprocals,
                      std::uint16_t* HWY_RESTRICT to, void* scratch) {
  const Tag16 d;
  const std::ptrdiff_t lanes = Lanes16();
  std::uint32_t* HWY_RESTRICT before = static_cast<std::uint32_t*>(scratch);
  WideSum sum;
  sum.Store(before);
  for (int i = 0; i < line.length; ++i) {
    sum.Add(hn::Load(d, from + i * lanes));
    sum.Store(before + (i + 1) * lanes);
  }
  for (int i = 0; i < line.length; ++i) {
    sum.LoadDifference(before + (i + line.ahead[i] + 1) * lanes, before + (i - line.back[i]) * lanes);
    hn::Store(sum.Times(reciprocals[i]), d, to + i * lanes);
  }
}

void LoadLineOfTarget(const std::uint16_t* volume, std::ptrdiff_t step, int length,
                      std::uint16_t* HWY_RESTRICT line) {
  const Tag16 d;
  const int lanes = Lanes16();
  for (int i = 0; i < length; ++i) hn::Store(hn::Load(d, volume + i * step), d, line + i * lanes);
}
void StoreLineOfTarget(const std::uint16_t* HWY_RESTRICT line, int length, std::ptrdiff_t step,
                       std::uint16_t* volume) {
  const Tag16 d;
  const int lanes = Lanes16();
  for (int i = 0; i < length; ++i) hn::Store(hn::Load(d, line + i * lanes), d, volume + i * step);
}

// --- scanlines ------------------------------------------------------------------------
// All ones in the lanes of the last block that are past the last disparity.
HWY_INLINE V16 LanesPast(int num_disparities, int block) {
  const Tag16 d;
  const V16 index = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<std::uint16_t>(block * Lanes16())));
  const V16 last = hn::Set(d, static_cast<std::uint16_t>(num_disparities - 1));
  return hn::IfThenElse(hn::Eq(hn::Max(index, last), last), hn::Zero(d), hn::Set(d, std::uint16_t{0xFFFF}));
}

HWY_INLINE std::uint16_t Lowest(V16 v) {
  const Tag16 d;
  return hn::GetLane(hn::MinOfLanes(d, v));
}

// Steps of colour of the right partners of disparities from `first` on; those far outside are the same.
HWY_INLINE V16 LoadRightSteps(const PathRow& row, int first) {
  return hn::PromoteTo(Tag16(),
                       hn::LoadU(TagHalf8(), row.right_steps + std::clamp(first, -Lanes16(), row.width)));
}

enum class Output { kWrite, kAdd, kStream };

// A path's costs at pixel x from those before, whose lowest is given. A step lies between a pixel and the one
// before it, so that the way back (is_back 1) takes the next pixel's. Returns the lowest.
template <Output kOutput>
HWY_INLINE std::uint16_t Step(const PathRow& row, int x, int is_back, V16 past, const std::uint16_t* before,
                              std::uint16_t lowest, std::uint16_t* after) {
  const Tag16 d;
  const int lanes = Lanes16();
  const std::ptrdiff_t at = std::ptrdiff_t{x} * lanes;
  const std::size_t steps = row.left_steps[x + is_back];
  const int first_right = row.first_right - x - is_back;
  const AdCensusTables& tables = *row.tables;
  const V16 p1 = hn::Set(d, tables.p1[steps]), p1_step = hn::Set(d, tables.p1[steps + 1]);
  const V16 far = hn::Set(d, static_cast<std::uint16_t>(lowest + tables.p2[steps]));
  const V16 far_step = hn::Set(d, static_cast<std::uint16_t>(lowest + tables.p2[steps + 1]));
  const V16 subtracted = hn::Set(d, lowest);
  V16 next_lowest = hn::Set(d, std::uint16_t{0xFFFF});
  for (int b = 0; b < row.num_blocks; ++b) {
    V16 path = hn::Load(d, row.costs + b * row.cost_stride + at);
    if (before != nullptr) {
      const std::uint16_t* const near = before + b * lanes;
      const V16 nearer = hn::Min(hn::LoadU(d, near - 1), hn::LoadU(d, near + 1));
      const auto is_even = hn::Eq(LoadRightSteps(row, first_right + b * lanes), hn::Zero(d));
      const V16 best = hn::Min(hn::Min(hn::Load(d, near), hn::IfThenElse(is_even, far, far_step)),
                               hn::SaturatedAdd(nearer, hn::IfThenElse(is_even, p1, p1_step)));
      path = hn::Add(path, hn::Sub(best, subtracted));
    }
    if (b + 1 == row.num_blocks) path = hn::Or(path, past);
    next_lowest = hn::Min(next_lowest, path);
    hn::Store(path, d, after + b * lanes);
    std::uint16_t* const sum = row.sums + b * row.sum_stride + at;
    if constexpr (kOutput == Output::kWrite) {
      hn::Store(path, d, sum);
    } else {
      path = hn::SaturatedAdd(path, hn::Load(d, row.held + b * row.held_stride + at));
      if constexpr (kOutput == Output::kStream) {
        hn::Stream(path, d, sum);
      } else {
        hn::Store(path, d, sum);
      }
    }
  }
  return Lowest(next_lowest);
}

// One way along a row. Each way is the first to come to one half.
class Walker {
 public:
  Walker() = default;
  HWY_INLINE Walker(const PathRow& row, bool is_back, std::uint16_t* state)
      : row_(row),
        is_back_(is_back ? 1 : 0),
        num_first_(is_back ? row.width / 2 : (row.width + 1) / 2),
        past_(LanesPast(row.num_disparities, row.num_blocks - 1)) {
    const Tag16 d;
    const int lanes = Lanes16();
    const std::ptrdiff_t state_size = (row.num_blocks + 2) * lanes;
    for (std::uint16_t* end :
         {state, state + state_size - lanes, state + state_size, state + 2 * state_size - lanes})
      hn::Store(hn::Set(d, std::uint16_t{0xFFFF}), d, end);
    before_ = state + lanes;
    after_ = state + state_size + lanes;
    row_.held = row.sums, row_.held_stride = row.sum_stride;
  }

  HWY_INLINE void Step(int i) {
    const int x = is_back_ ? row_.width - 1 - i : i;
    const std::uint16_t* const before = i == 0 ? nullptr : before_;
    auto* const step =
        i < num_first_ ? HWY_NAMESPACE::Step<Output::kWrite> : HWY_NAMESPACE::Step<Output::kAdd>;
    lowest_ = step(row_, x, is_back_, past_, before, lowest_, after_);
    std::swap(before_, after_);
  }

 private:
  PathRow row_;
  int is_back_ = 0, num_first_ = 0;
  V16 past_;
  std::uint16_t *before_ = nullptr, *after_ = nullptr;
  std::uint16_t lowest_ = 0;
};

// A step waits for the lowest of its path's costs before, so that others' fill the gap.
void WalkRowsOfTarget(const PathRow* rows, int num_rows, std::uint16_t* state) {
  Walker walkers[2 * kMaxRowsTogether];
  const std::ptrdiff_t state_size = std::ptrdiff_t{2} * (rows->num_blocks + 2) * Lanes16();
  for (int k = 0; k < 2 * num_rows; ++k) walkers[k] = Walker(rows[k / 2], k % 2 == 1, state + k * state_size);
  for (int i = 0; i < rows->width; ++i) {
    for (int k = 0; k < 2 * num_rows; ++k) walkers[k].Step(i);
  }
}

void WalkColumnsOfTarget(const PathRow& path_row, int begin, int end, bool streams,
                         const std::uint16_t* next_held, const ColumnPaths& column_paths) {
  const PathRow row = path_row;  // by value, as stores might change what a reference shows
  const ColumnPaths paths = column_paths;
  const V16 past = LanesPast(row.num_disparities, row.num_blocks - 1);
  const std::ptrdiff_t lanes = Lanes16(), size = (row.num_blocks + 1) * lanes;
  const auto walk = [&]<Output kOutput>() HWY_ATTR {
    for (int x = begin; x < end; ++x) {
      if (next_held != nullptr) {
        for (int b = 0; b < row.num_blocks; ++b)
          __builtin_prefetch(next_held + b * row.held_stride + x * lanes, 0, 2);
      }
      const std::ptrdiff_t at = lanes + x * size;
      paths.lowest[x] = Step<kOutput>(row, x, 0, past, paths.before == nullptr ? nullptr : paths.before + at,
                                      paths.lowest[x], paths.after + at);
    }
  };
  if (streams) {
    walk.template operator()<Output::kStream>();
    hwy::FlushStream();
  } else {
    walk.template operator()<Output::kAdd>();
  }
}

// --- selection ------------------------------------------------------------------------
void SelectRowOfTarget(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
                       int num_disparities, std::uint16_t* scratch, Selection* selected) {
  const Tag16 d;
  const int lanes = Lanes16();
  const V16 none = hn::Set(d, std::uint16_t{0xFFFF});
  const V16 past = LanesPast(num_disparities, num_blocks - 1);
  hn::Store(none, d, scratch);
  hn::Store(none, d, scratch + (num_blocks + 1) * lanes);
  std::uint16_t* cell = scratch + lanes;
  for (int x = 0; x < width; ++x) {
    V16 lowest = none;
    for (int b = 0; b < num_blocks; ++b) {
      V16 v = hn::Load(d, sums + b * block_stride + x * lanes);
      if (b + 1 == num_blocks) v = hn::Or(v, past);
      hn::Store(v, d, cell + b * lanes);
      lowest = hn::Min(lowest, v);
    }
    const std::uint16_t best = Lowest(lowest);
    int winner = 0;
    for (int b = 0; b < num_blocks; ++b) {
      const auto found = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, cell + b * lanes), hn::Set(d, best)));
      if (found < 0) continue;
      winner = b * lanes + static_cast<int>(found);
      break;
    }
    Selection& s = selected[x];
    s.winner = static_cast<std::uint16_t>(winner);
    for (int i = 0; i < 3; ++i) s.sum[i] = cell[winner - 1 + i];
    V16 rival = none;
    const V16 three = hn::Set(d, std::uint16_t{3});
    for (int b = 0; b < num_blocks; ++b) {
      // Positions 0, 1 and 2 around the winner, which may lie outside of this block.
      const V16 place = hn::Add(hn::Iota(d, 1), hn::Set(d, static_cast<std::uint16_t>(b * lanes - winner)));
      const V16 v = hn::Load(d, cell + b * lanes);
      rival = hn::Min(rival, hn::IfThenElse(hn::Lt(place, three), none, v));
    }
    s.rival = Lowest(rival);
  }
}

void SelectRightRowOfTarget(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
                            int first_right, std::uint16_t* HWY_RESTRICT lowest,
                            std::uint16_t* HWY_RESTRICT winners) {
  const Tag16 d;
  const int lanes = Lanes16();
  std::fill_n(lowest - kRightMargin, width + 2 * kRightMargin, std::uint16_t{0xFFFF});
  std::fill_n(winners - kRightMargin, width + 2 * kRightMargin, std::uint16_t{0xFFFF});
  // A right pixel meets its disparities in ascending order, so that the first of equals stays.
  for (int x = 0; x < width; ++x) {
    for (int b = 0; b < num_blocks; ++b) {
      const int first = first_right - x + b * lanes;
      if (IsOutside(first, width)) continue;
      const V16 sum = hn::Load(d, sums + b * block_stride + x * lanes);
      const V16 held = hn::LoadU(d, lowest + first), winner = hn::LoadU(d, winners + first);
      const auto stays = hn::Eq(hn::Min(held, sum), held);
      const V16 index = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<std::uint16_t>(b * lanes)));
      hn::StoreU(hn::Min(held, sum), d, lowest + first);
      hn::StoreU(hn::IfThenElse(stays, winner, index), d, winners + first);
    }
  }
}

}  // namespace
}  // namespace parallax::cpu::ad_census::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu::ad_census {

HWY_EXPORT(NumLanesOfTarget);
HWY_EXPORT(MatchRowOfTarget);
HWY_EXPORT(CompareRowsOfTarget);
HWY_EXPORT(GrowRowOfTarget);
HWY_EXPORT(SumLineOfTarget);
HWY_EXPORT(MeanLineOfTarget);
HWY_EXPORT(LoadLineOfTarget);
HWY_EXPORT(StoreLineOfTarget);
HWY_EXPORT(WalkRowsOfTarget);
HWY_EXPORT(WalkColumnsOfTarget);
HWY_EXPORT(SelectRowOfTarget);
HWY_EXPORT(SelectRightRowOfTarget);

int NumLanes() { return HWY_DYNAMIC_DISPATCH(NumLanesOfTarget)(); }
void MatchRow(const CostRow& row, std::uint16_t* costs) {
  HWY_DYNAMIC_DISPATCH(MatchRowOfTarget)(row, costs);
}
void CompareRows(const ColorRow& a, const ColorRow& b, int num_channels, int width, int threshold,
                 std::uint8_t* below) {
  HWY_DYNAMIC_DISPATCH(CompareRowsOfTarget)(a, b, num_channels, width, threshold, below);
}
void GrowRow(const ColorRow& center, const ColorRow& other, int num_channels, int width, int threshold,
             const std::uint8_t* similar, std::uint8_t* alive, std::uint8_t* length) {
  HWY_DYNAMIC_DISPATCH(GrowRowOfTarget)
  (center, other, num_channels, width, threshold, similar, alive, length);
}
std::size_t LineScratchBytes(int length) {
  return (static_cast<std::size_t>(length) + 1) * static_cast<std::size_t>(NumLanes()) *
         sizeof(std::uint32_t);
}
void SumLine(const ArmLine& line, const std::uint16_t* from, std::uint16_t* to, void* scratch) {
  HWY_DYNAMIC_DISPATCH(SumLineOfTarget)(line, from, to, scratch);
}
void MeanLine(const ArmLine& line, const std::uint16_t* from, const float* reciprocals, std::uint16_t* to,
              void* scratch) {
  HWY_DYNAMIC_DISPATCH(MeanLineOfTarget)(line, from, reciprocals, to, scratch);
}
void LoadLine(const std::uint16_t* volume, std::ptrdiff_t step, int length, std::uint16_t* line) {
  HWY_DYNAMIC_DISPATCH(LoadLineOfTarget)(volume, step, length, line);
}
void StoreLine(const std::uint16_t* line, int length, std::ptrdiff_t step, std::uint16_t* volume) {
  HWY_DYNAMIC_DISPATCH(StoreLineOfTarget)(line, length, step, volume);
}
void WalkRows(const PathRow* rows, int num_rows, std::uint16_t* state) {
  HWY_DYNAMIC_DISPATCH(WalkRowsOfTarget)(rows, num_rows, state);
}
void WalkColumns(const PathRow& row, int begin, int end, bool streams, const std::uint16_t* next_held,
                 const ColumnPaths& paths) {
  HWY_DYNAMIC_DISPATCH(WalkColumnsOfTarget)(row, begin, end, streams, next_held, paths);
}
void SelectRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
               int num_disparities, std::uint16_t* scratch, Selection* selected) {
  HWY_DYNAMIC_DISPATCH(SelectRowOfTarget)
  (sums, block_stride, width, num_blocks, num_disparities, scratch, selected);
}
void SelectRightRow(const std::uint16_t* sums, std::ptrdiff_t block_stride, int width, int num_blocks,
                    int first_right, std::uint16_t* lowest, std::uint16_t* winners) {
  HWY_DYNAMIC_DISPATCH(SelectRightRowOfTarget)
  (sums, block_stride, width, num_blocks, first_right, lowest, winners);
}

}  // namespace parallax::cpu::ad_census
#endif
