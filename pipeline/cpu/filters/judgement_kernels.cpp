#include "pipeline/cpu/filters/judgement_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/judgement_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "parallax/disparity_map.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using TagF = hn::ScalableTag<float>;
using TagI = hn::RebindToSigned<TagF>;
using Tag16 = hn::ScalableTag<std::int16_t>;
using VF = hn::Vec<TagF>;
using VI = hn::Vec<TagI>;
using V16 = hn::Vec<Tag16>;

void MakeIndexRowOfTarget(const float* HWY_RESTRICT selected, const std::uint8_t* HWY_RESTRICT validity,
                          int width, int min_disparity, const IndexRow& row) {
  const TagF df;
  const TagI di;
  const hn::Rebind<std::int16_t, TagF> d16;
  const hn::Rebind<std::uint8_t, TagF> d8;
  const int lanes = static_cast<int>(hn::Lanes(df));
  const VI zero = hn::Zero(di), one = hn::Set(di, 1);
  const VF lowest = hn::Set(df, static_cast<float>(min_disparity));
  for (int x = 0; x < width; x += lanes) {
    const VF loaded = hn::LoadU(df, selected + x);
    const VF value = hn::IfThenElse(hn::Eq(loaded, loaded), loaded, lowest);
    const VF floor = hn::Floor(hn::Add(value, hn::Set(df, 0.5F)));
    const VI index = hn::Sub(hn::ConvertTo(di, floor), hn::Set(di, min_disparity));
    const VI flags = hn::PromoteTo(di, hn::LoadU(d8, validity + x));
    const auto is_kept = hn::Eq(hn::And(flags, hn::Set(di, static_cast<int>(kRejected))), zero);
    const VI kept = hn::IfThenElseZero(is_kept, one);
    hn::StoreU(hn::DemoteTo(d16, index), d16, row.index + x);
    hn::StoreU(hn::DemoteTo(d16, hn::Add(kept, one)), d16, row.weight + x);
    hn::StoreU(hn::DemoteTo(d16, kept), d16, row.is_kept + x);
    const auto store = [&](int otherwise, std::int16_t* to) HWY_ATTR {
      hn::StoreU(hn::DemoteTo(d16, hn::IfThenElse(is_kept, index, hn::Set(di, otherwise))), d16, to + x);
    };
    store(kAboveAll, row.kept_or_high);
    store(kBelowAll, row.kept_or_low);
  }
}

template <typename Choose>
HWY_INLINE void ChooseOfRows(const std::int16_t* const* rows, int count, int width, const Choose& choose,
                             std::int16_t* HWY_RESTRICT chosen) {
  const Tag16 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    V16 best = hn::LoadU(d, rows[0] + x);
    for (int i = 1; i < count; ++i) best = choose(best, hn::LoadU(d, rows[i] + x));
    hn::StoreU(best, d, chosen + x);
  }
}
void LowestOfRowsOfTarget(const std::int16_t* const* rows, int count, int width, std::int16_t* lowest) {
  ChooseOfRows(
      rows, count, width, [](V16 a, V16 b) HWY_ATTR { return hn::Min(a, b); }, lowest);
}
void HighestOfRowsOfTarget(const std::int16_t* const* rows, int count, int width, std::int16_t* highest) {
  ChooseOfRows(
      rows, count, width, [](V16 a, V16 b) HWY_ATTR { return hn::Max(a, b); }, highest);
}

// Sums over the windows around the pixels from x on.
HWY_INLINE VF SumsAround(const WindowRow& window, int x) {
  const hn::RebindToUnsigned<TagF> du;
  const auto at = [&](int column) HWY_ATTR {
    return hn::Sub(hn::LoadU(du, window.below + column), hn::LoadU(du, window.above + column));
  };
  const auto sum = hn::Sub(at(x + window.radius + 1), at(x - window.radius));
  return hn::ConvertTo(TagF(), hn::BitCast(TagI(), sum));
}

// Numerators stay below 2^24: a quotient, were it below a whole number, lies more than half a unit in the
// last place below it, so that one division gives its floor.
void MeanRowOfTarget(const WindowRow& sums, float scale, int width, std::uint8_t* HWY_RESTRICT feature) {
  const TagF df;
  const TagI di;
  const hn::Rebind<std::uint8_t, TagF> d8;
  const int lanes = static_cast<int>(hn::Lanes(df));
  for (int x = 0; x < width; x += lanes) {
    const VF count = hn::Mul(hn::LoadU(df, sums.num_columns + x), hn::Set(df, sums.num_rows));
    const VF mean = hn::Div(hn::Mul(SumsAround(sums, x), hn::Set(df, scale)), count);
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(di, mean)), d8, feature + x);
  }
}

void MeanOfKeptRowOfTarget(const WindowRow& index_sums, const WindowRow& kept_sums,
                           const std::int16_t* HWY_RESTRICT index, int width,
                           std::uint8_t* HWY_RESTRICT feature) {
  const TagF df;
  const TagI di;
  const hn::Rebind<std::int16_t, TagF> d16;
  const hn::Rebind<std::uint8_t, TagF> d8;
  const int lanes = static_cast<int>(hn::Lanes(df));
  for (int x = 0; x < width; x += lanes) {
    const VF count = SumsAround(kept_sums, x), sum = SumsAround(index_sums, x);
    const VF quotient = hn::Div(hn::Add(sum, sum), hn::Max(count, hn::Set(df, 1.0F)));
    const VI here = hn::PromoteTo(di, hn::LoadU(d16, index + x));
    const VI difference = hn::Sub(hn::ConvertTo(di, quotient), hn::Add(here, here));
    const VI above = hn::Max(hn::Add(difference, hn::Set(di, 128)), hn::Set(di, 1));
    const auto has_any = hn::RebindMask(di, hn::Gt(count, hn::Zero(df)));
    hn::StoreU(hn::DemoteTo(d8, hn::IfThenElseZero(has_any, above)), d8, feature + x);
  }
}

void AgreementRowOfTarget(const RingRows& ring, const std::int16_t* HWY_RESTRICT index, int difference,
                          int width, std::uint8_t* HWY_RESTRICT feature) {
  const Tag16 d;
  const hn::Rebind<std::uint8_t, Tag16> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V16 too_much = hn::Set(d, static_cast<std::int16_t>(difference + 1));
  for (int x = 0; x < width; x += lanes) {
    const V16 here = hn::LoadU(d, index + x);
    V16 sum = hn::Zero(d);
    HWY_UNROLL(12)
    for (int i = 0; i < kRingPixels; ++i) {
      const auto agrees = hn::Lt(hn::Abs(hn::Sub(hn::LoadU(d, ring.index[i] + x), here)), too_much);
      sum = hn::Add(sum, hn::IfThenElseZero(agrees, hn::LoadU(d, ring.weight[i] + x)));
    }
    hn::StoreU(hn::DemoteTo(d8, sum), d8, feature + x);
  }
}

void AboveLowestRowOfTarget(const std::int16_t* HWY_RESTRICT index, const std::int16_t* HWY_RESTRICT lowest,
                            int width, std::uint8_t* HWY_RESTRICT feature) {
  const Tag16 d;
  const hn::Rebind<std::uint8_t, Tag16> d8;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    hn::StoreU(hn::DemoteTo(d8, hn::Sub(hn::LoadU(d, index + x), hn::LoadU(d, lowest + x))), d8, feature + x);
  }
}

HWY_INLINE void KeptExtremeRow(const std::int16_t* HWY_RESTRICT index,
                               const std::int16_t* HWY_RESTRICT extreme, std::int16_t none, bool is_highest,
                               int width, std::uint8_t* HWY_RESTRICT feature) {
  const Tag16 d;
  const hn::Rebind<std::uint8_t, Tag16> d8;
  for (int x = 0; x < width; x += static_cast<int>(hn::Lanes(d))) {
    const V16 here = hn::LoadU(d, index + x), other = hn::LoadU(d, extreme + x);
    const V16 distance = is_highest ? hn::Sub(other, here) : hn::Sub(here, other);
    const V16 above =
        hn::Min(hn::Add(distance, hn::Set(d, std::int16_t{100})), hn::Set(d, std::int16_t{254}));
    const V16 value = hn::IfThenElse(hn::Eq(other, hn::Set(d, none)), hn::Set(d, std::int16_t{255}), above);
    hn::StoreU(hn::DemoteTo(d8, value), d8, feature + x);
  }
}
void KeptLowestRowOfTarget(const std::int16_t* index, const std::int16_t* lowest, int width,
                           std::uint8_t* feature) {
  KeptExtremeRow(index, lowest, kAboveAll, false, width, feature);
}
void KeptHighestRowOfTarget(const std::int16_t* index, const std::int16_t* highest, int width,
                            std::uint8_t* feature) {
  KeptExtremeRow(index, highest, kBelowAll, true, width, feature);
}

void PlaneRowOfTarget(const PlanesAround& planes, const float* HWY_RESTRICT selected, int min_disparity,
                      int width, std::uint8_t* HWY_RESTRICT own, std::uint8_t* HWY_RESTRICT nearest,
                      std::uint8_t* HWY_RESTRICT num_near) {
  const TagF df;
  const TagI di;
  const hn::Rebind<std::uint8_t, TagF> d8;
  const int lanes = static_cast<int>(hn::Lanes(df));
  const VF lowest = hn::Set(df, static_cast<float>(min_disparity)), most = hn::Set(df, 255.0F);
  const VF near = hn::Set(df, static_cast<float>(kNearPlane));
  VF column = hn::Iota(df, 0.0F);
  for (int x = 0; x < width; x += lanes, column = hn::Add(column, hn::Set(df, static_cast<float>(lanes)))) {
    const VF loaded = hn::LoadU(df, selected + x);
    const VF value = hn::IfThenElse(hn::Eq(loaded, loaded), loaded, lowest);
    VF least = most, of_own = most;
    VI count = hn::Zero(di);
    for (int row = 0; row < 3; ++row) {
      const PlaneOfColumn& tiles = planes.tiles[row];
      const VF from_center_y = hn::Set(df, planes.from_center_y[row]);
      for (int side = -1; side <= 1; ++side) {
        const int at = x + side * planes.tile_px;
        // The operations of PlaneDistance().
        const VF from_center_x = hn::Sub(column, hn::LoadU(df, tiles.center_x + at));
        const VF at_row = hn::Add(hn::LoadU(df, tiles.value + at),
                                  hn::Mul(hn::LoadU(df, tiles.slope_x + at), from_center_x));
        const VF difference =
            hn::Sub(value, hn::Add(at_row, hn::Mul(hn::LoadU(df, tiles.slope_y + at), from_center_y)));
        const VF eighths = hn::Mul(hn::Set(df, 8.0F), hn::Abs(difference));
        least = hn::Min(least, eighths);
        if (row == 1 && side == 0) of_own = hn::Min(most, eighths);
        count = hn::Sub(count, hn::VecFromMask(di, hn::RebindMask(di, hn::Lt(eighths, near))));
      }
    }
    const auto store = [&](VI v, std::uint8_t* to) HWY_ATTR { hn::StoreU(hn::DemoteTo(d8, v), d8, to + x); };
    store(hn::ConvertTo(di, of_own), own);
    store(hn::ConvertTo(di, least), nearest);
    store(count, num_near);
  }
}

#if HWY_TARGET == HWY_SCALAR
void SumLeavesRowOfTarget(int bias, const PixelTree* trees, int num_trees, const std::uint8_t* features,
                          std::ptrdiff_t feature_stride, int width, std::int16_t* sums) {
  for (int x = 0; x < width; ++x) {
    int sum = bias;
    for (int i = 0; i < num_trees; ++i) {
      const PixelTree& tree = trees[i];
      int leaf = 0;
      for (int level = 0; level < kTreeDepth; ++level) {
        leaf =
            2 * leaf + (features[tree.features[level] * feature_stride + x] > tree.thresholds[level] ? 1 : 0);
      }
      sum += tree.leaves[leaf];
    }
    sums[x] = static_cast<std::int16_t>(sum);
  }
}
#else
// Sums the leaves of kVectors vectors of pixels. Each value of a tree is loaded once for all of them.
template <int kVectors>
HWY_INLINE void SumLeaves(int bias, const PixelTree* trees, int num_trees,
                          const std::uint8_t* HWY_RESTRICT column, std::ptrdiff_t feature_stride,
                          std::int16_t* HWY_RESTRICT sums) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Half<decltype(d)> dh;
  const hn::RebindToSigned<decltype(dh)> dsh;
  const Tag16 d16;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  static_assert(kTreeDepth == 6,
                "the last four levels look up one of 16 leaves, the first two choose among four");
  V16 lower[kVectors], upper[kVectors];
  for (int v = 0; v < kVectors; ++v) lower[v] = upper[v] = hn::Set(d16, static_cast<std::int16_t>(bias));
  for (int i = 0; i < num_trees; ++i) {
    const PixelTree& tree = trees[i];
    // Calls answer(v, negated answers of vector v). Only AVX-512 and NEON compare unsigned bytes in one operation.
    const auto ask = [&](int level, const auto& answer) HWY_ATTR {
      const V threshold = hn::Set(d, tree.thresholds[level]);
      const std::uint8_t* HWY_RESTRICT row = column + tree.features[level] * feature_stride;
      for (int v = 0; v < kVectors; ++v)
        answer(v, hn::Eq(hn::Max(hn::LoadU(d, row + v * lanes), threshold), threshold));
    };
    V place[kVectors], leaf[kVectors];
    for (int level = 2; level < kTreeDepth; ++level) {
      const V bit = hn::Set(d, static_cast<std::uint8_t>(1 << (kTreeDepth - 1 - level)));
      ask(level, [&](int v, auto denial) HWY_ATTR {
        const V answer = hn::IfThenZeroElse(denial, bit);
        place[v] = level == 2 ? answer : hn::Or(place[v], answer);
      });
    }
    const auto leaves = [&](int quarter) HWY_ATTR {
      return hn::LoadDup128(d, reinterpret_cast<const std::uint8_t*>(tree.leaves) + 16 * quarter);
    };
    hn::Mask<decltype(d)> second[kVectors];
    ask(1, [&](int v, auto denial) HWY_ATTR { second[v] = denial; });
    ask(0, [&](int v, auto denial) HWY_ATTR {
      const auto look_up = [&](int quarter)
                               HWY_ATTR { return hn::TableLookupBytes(leaves(quarter), place[v]); };
      leaf[v] = hn::IfThenElse(denial, hn::IfThenElse(second[v], look_up(0), look_up(1)),
                               hn::IfThenElse(second[v], look_up(2), look_up(3)));
    });
    for (int v = 0; v < kVectors; ++v) {
      lower[v] = hn::Add(lower[v], hn::PromoteTo(d16, hn::BitCast(dsh, hn::LowerHalf(dh, leaf[v]))));
      upper[v] = hn::Add(upper[v], hn::PromoteTo(d16, hn::BitCast(dsh, hn::UpperHalf(dh, leaf[v]))));
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(lower[v], d16, sums + v * lanes);
    hn::StoreU(upper[v], d16, sums + v * lanes + hn::Lanes(d16));
  }
}
void SumLeavesRowOfTarget(int bias, const PixelTree* trees, int num_trees,
                          const std::uint8_t* HWY_RESTRICT features, std::ptrdiff_t feature_stride, int width,
                          std::int16_t* HWY_RESTRICT sums) {
  const int lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
  constexpr int kVectors = HWY_MAX_BYTES < 64 ? 2 : 1;
  int x = 0;
  for (; x + kVectors * lanes <= width; x += kVectors * lanes)
    SumLeaves<kVectors>(bias, trees, num_trees, features + x, feature_stride, sums + x);
  for (; x < width; x += lanes) SumLeaves<1>(bias, trees, num_trees, features + x, feature_stride, sums + x);
}
#endif

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(MakeIndexRowOfTarget);
HWY_EXPORT(LowestOfRowsOfTarget);
HWY_EXPORT(HighestOfRowsOfTarget);
HWY_EXPORT(MeanRowOfTarget);
HWY_EXPORT(MeanOfKeptRowOfTarget);
HWY_EXPORT(AgreementRowOfTarget);
HWY_EXPORT(AboveLowestRowOfTarget);
HWY_EXPORT(KeptLowestRowOfTarget);
HWY_EXPORT(KeptHighestRowOfTarget);
HWY_EXPORT(PlaneRowOfTarget);
HWY_EXPORT(SumLeavesRowOfTarget);

void MakeIndexRow(const float* selected, const std::uint8_t* validity, int width, int min_disparity,
                  const IndexRow& row) {
  HWY_DYNAMIC_DISPATCH(MakeIndexRowOfTarget)(selected, validity, width, min_disparity, row);
}
void LowestOfRows(const std::int16_t* const* rows, int count, int width, std::int16_t* lowest) {
  HWY_DYNAMIC_DISPATCH(LowestOfRowsOfTarget)(rows, count, width, lowest);
}
void HighestOfRows(const std::int16_t* const* rows, int count, int width, std::int16_t* highest) {
  HWY_DYNAMIC_DISPATCH(HighestOfRowsOfTarget)(rows, count, width, highest);
}
void MeanRow(const WindowRow& sums, float scale, int width, std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(MeanRowOfTarget)(sums, scale, width, feature);
}
void MeanOfKeptRow(const WindowRow& index_sums, const WindowRow& kept_sums, const std::int16_t* index,
                   int width, std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(MeanOfKeptRowOfTarget)(index_sums, kept_sums, index, width, feature);
}
void AgreementRow(const RingRows& ring, const std::int16_t* index, int difference, int width,
                  std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(AgreementRowOfTarget)(ring, index, difference, width, feature);
}
void AboveLowestRow(const std::int16_t* index, const std::int16_t* lowest, int width, std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(AboveLowestRowOfTarget)(index, lowest, width, feature);
}
void KeptLowestRow(const std::int16_t* index, const std::int16_t* lowest, int width, std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(KeptLowestRowOfTarget)(index, lowest, width, feature);
}
void KeptHighestRow(const std::int16_t* index, const std::int16_t* highest, int width,
                    std::uint8_t* feature) {
  HWY_DYNAMIC_DISPATCH(KeptHighestRowOfTarget)(index, highest, width, feature);
}
void PlaneRow(const PlanesAround& planes, const float* selected, int min_disparity, int width,
              std::uint8_t* own, std::uint8_t* nearest, std::uint8_t* num_near) {
  HWY_DYNAMIC_DISPATCH(PlaneRowOfTarget)(planes, selected, min_disparity, width, own, nearest, num_near);
}
void SumLeavesRow(int bias, const PixelTree* trees, int num_trees, const std::uint8_t* features,
                  std::ptrdiff_t feature_stride, int width, std::int16_t* sums) {
  HWY_DYNAMIC_DISPATCH(SumLeavesRowOfTarget)(bias, trees, num_trees, features, feature_stride, width, sums);
}

}  // namespace parallax::cpu
#endif
