#include "pipeline/cpu/filters/filter_kernels.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/filter_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "parallax/disparity_map.h"
#include "pipeline/simd/mask_bits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;

// Here and below, rows may be read where they are written.
void CarryNearestOfTarget(const float* row, const float* const nearest[3], int width,
                          float* const nearest_beyond[3]) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto carry = [&](int i, int x) HWY_ATTR {
    const V value = hn::LoadU(d, row + x + i - 1);
    const V carried = hn::LoadU(d, nearest[i] + x + i - 1);
    hn::StoreU(hn::IfThenElse(hn::Eq(value, value), value, carried), d, nearest_beyond[i] + x);
  };
  // Values from the left move to the left, so each is read before it is overwritten.
  for (int x = (width - 1) / lanes * lanes; x >= 0; x -= lanes) carry(0, x);
  for (int x = 0; x < width; x += lanes) carry(1, x), carry(2, x);
}

void FindNearestOfTarget(const float* first_row, std::ptrdiff_t stride, int num_rows, int width,
                         float* const nearest_beyond[3]) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < 3; ++i) {
    for (int x = 0; x < width; x += lanes) {
      const float* from = first_row + x + i - 1;
      V value = hn::LoadU(d, from);
      for (int j = 1; j < num_rows && !hn::AllTrue(d, hn::Eq(value, value)); ++j) {
        from += stride + i - 1;
        value = hn::IfThenElse(hn::Eq(value, value), value, hn::LoadU(d, from));
      }
      hn::StoreU(value, d, nearest_beyond[i] + x);
    }
  }
}

void FillFromOfTarget(const float* other, int width, float* row) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const V value = hn::LoadU(d, row + x);
    hn::StoreU(hn::IfThenElse(hn::Eq(value, value), value, hn::LoadU(d, other + x)), d, row + x);
  }
}

void FindHolesOfTarget(const float* HWY_RESTRICT row, int width, std::uint64_t* HWY_RESTRICT words) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::fill_n(words, (width + 63) / 64, std::uint64_t{0});
  for (int x = 0; x < width; x += lanes) {
    const V here = hn::LoadU(d, row + x);
    PutBits(d, hn::Not(hn::Eq(here, here)), x, words);  // Ne is false for NaNs
  }
}

void NearestAlongRowOfTarget(const float* row, int width, std::uint64_t* HWY_RESTRICT words,
                             float* HWY_RESTRICT from_left, float* HWY_RESTRICT from_right) {
  FindHolesOfTarget(row, width, words);
  // The first pixel from x on that is a hole (or is not a hole); W if there is no such pixel.
  const auto find = [&](int x, bool hole) {
    for (; x < width; x = (x / 64 + 1) * 64) {
      const std::uint64_t word = words[x / 64];
      const std::uint64_t found = (hole ? word : ~word) >> (x % 64);
      if (found != 0) return std::min(width, x + std::countr_zero(found));
    }
    return width;
  };
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (int begin = find(0, true); begin < width;) {
    const int end = find(begin, false);
    const V left = hn::Set(d, begin > 0 ? row[begin - 1] : kNan);
    const V right = hn::Set(d, end < width ? row[end] : kNan);
    int x = begin;
    do {
      hn::StoreU(left, d, from_left + x), hn::StoreU(right, d, from_right + x);
      x += lanes;
    } while (x < end);
    begin = find(end, true);
  }
}

// The lower of two in a, the higher in b.
HWY_INLINE void Order(V& a, V& b) {
  const V low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}

// Sorts four.
HWY_INLINE void OrderFour(V* v) {
  Order(v[0], v[1]), Order(v[2], v[3]), Order(v[0], v[2]), Order(v[1], v[3]), Order(v[1], v[2]);
}

bool FillRowOfTarget(const float* const nearest[8], int width, float* HWY_RESTRICT disparity,
                     std::uint8_t* HWY_RESTRICT validity) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const hn::Rebind<std::uint8_t, Tag> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const V none = hn::Set(d, std::numeric_limits<float>::infinity());
  auto left_over = hn::Zero(di);  // not 0: a pixel without a value
  for (int x = 0; x < width; x += lanes) {
    const V here = hn::LoadU(d, disparity + x);
    if (hn::AllTrue(d, hn::Eq(here, here))) continue;
    V v[8];
    auto count = hn::Zero(di);
    for (int i = 0; i < 8; ++i) {
      const V value = hn::LoadU(d, nearest[i] + x);
      const auto found = hn::Eq(value, value);
      v[i] = hn::IfThenElse(found, value, none);
      count = hn::Sub(count, hn::VecFromMask(di, hn::RebindMask(di, found)));  // true is -1
    }
    const V background = hn::Min(v[0], v[1]);  // of the two along the row
    // The lowest four in order: two sorted fours, then a bitonic merge of their lower halves.
    OrderFour(v), OrderFour(v + 4);
    V low[4] = {hn::Min(v[0], v[7]), hn::Min(v[1], v[6]), hn::Min(v[2], v[5]), hn::Min(v[3], v[4])};
    Order(low[0], low[2]), Order(low[1], low[3]), Order(low[0], low[1]), Order(low[2], low[3]);

    const auto flags = hn::PromoteTo(di, hn::LoadU(d8, validity + x));
    const auto hidden =
        hn::Ne(hn::And(flags, hn::Set(di, static_cast<int>(kOccluded | kOutOfRange))), hn::Zero(di));
    const auto second = hn::Min(hn::Sub(count, hn::Set(di, 1)), hn::Set(di, 1));
    const auto lower_median = hn::ShiftRight<1>(hn::Sub(count, hn::Set(di, 1)));
    const auto rank = hn::IfThenElse(hidden, second, lower_median);  // -1 where nothing was found
    V filled = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    for (int i = 0; i < 4; ++i) {
      filled = hn::IfThenElse(hn::RebindMask(d, hn::Eq(rank, hn::Set(di, i))), low[i], filled);
    }
    const auto behind = hn::And(hn::RebindMask(d, hidden), hn::Lt(background, none));
    filled = hn::IfThenElse(behind, background, filled);
    const V result = hn::IfThenElse(hn::Eq(here, here), here, filled);
    hn::StoreU(result, d, disparity + x);
    const auto was_filled = hn::AndNot(hn::RebindMask(di, hn::Eq(here, here)), hn::Gt(rank, hn::Set(di, -1)));
    const auto bit = hn::IfThenElseZero(was_filled, hn::Set(di, static_cast<int>(kFilled)));
    hn::StoreU(hn::DemoteTo(d8, hn::Or(flags, bit)), d8, validity + x);
    const auto is_pixel = hn::Lt(hn::Iota(di, x), hn::Set(di, width));
    left_over =
        hn::Or(left_over,
               hn::VecFromMask(di, hn::And(is_pixel, hn::RebindMask(di, hn::Not(hn::Eq(result, result))))));
  }
  return !hn::AllTrue(di, hn::Eq(left_over, hn::Zero(di)));
}

// The lowest of v[0 .. count) to the front, the highest to the back.
template <int kCount>
HWY_INLINE void ExtremesToEnds(V* v) {
  for (int i = 0; i < kCount / 2; ++i) Order(v[i], v[kCount - 1 - i]);
  for (int i = 1; i < (kCount + 1) / 2; ++i) Order(v[0], v[i]);
  for (int i = kCount / 2; i < kCount - 1; ++i) Order(v[i], v[kCount - 1]);
}

// Median of 25: of any 14 of them, the lowest and the highest cannot be it and are forgotten for the next
// one.
template <int kCount>
HWY_INLINE V ForgetExtremes(V* v, const V* next) {
  ExtremesToEnds<kCount>(v);
  if constexpr (kCount == 3) {
    (void)next;
    return v[1];
  } else {
    v[0] = *next;
    return ForgetExtremes<kCount - 1>(v, next + 1);
  }
}

HWY_INLINE V MedianOfThree(V a, V b, V c) { return hn::Max(hn::Min(a, b), hn::Min(hn::Max(a, b), c)); }

// The median of three sorted triples is the median of the highest low, the median middle and the lowest high.
HWY_INLINE V MedianOfNine(V* v) {
  for (int i = 0; i < 9; i += 3) Order(v[i], v[i + 1]), Order(v[i + 1], v[i + 2]), Order(v[i], v[i + 1]);
  return MedianOfThree(hn::Max(hn::Max(v[0], v[3]), v[6]), MedianOfThree(v[1], v[4], v[7]),
                       hn::Min(hn::Min(v[2], v[5]), v[8]));
}

template <int kSide>
HWY_INLINE void MedianRowOfSide(const float* const* rows, int width, float* HWY_RESTRICT filtered) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int kRadius = kSide / 2;
  for (int x = 0; x < width; x += lanes) {
    const V center = hn::LoadU(d, rows[kRadius] + x);
    V v[kSide * kSide];
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        const V value = hn::LoadU(d, rows[i] + x + j - kRadius);
        v[i * kSide + j] = hn::IfThenElse(hn::Eq(value, value), value, center);
      }
    }
    V median;
    if constexpr (kSide == 3) {
      median = MedianOfNine(v);
    } else {
      median = ForgetExtremes<14>(v, v + 14);
    }
    hn::StoreU(hn::IfThenElse(hn::Eq(center, center), median, center), d, filtered + x);
  }
}

void MedianRowOfTarget(const float* const* rows, int side, int width, float* filtered) {
  if (side == 3) {
    MedianRowOfSide<3>(rows, width, filtered);
  } else {
    MedianRowOfSide<5>(rows, width, filtered);
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(CarryNearestOfTarget);
HWY_EXPORT(FindNearestOfTarget);
HWY_EXPORT(FillFromOfTarget);
HWY_EXPORT(NearestAlongRowOfTarget);
HWY_EXPORT(FillRowOfTarget);
HWY_EXPORT(MedianRowOfTarget);

void CarryNearest(const float* row, const float* const nearest[3], int width,
                  float* const nearest_beyond[3]) {
  HWY_DYNAMIC_DISPATCH(CarryNearestOfTarget)(row, nearest, width, nearest_beyond);
}
void FindNearest(const float* first_row, std::ptrdiff_t stride, int num_rows, int width,
                 float* const nearest_beyond[3]) {
  HWY_DYNAMIC_DISPATCH(FindNearestOfTarget)(first_row, stride, num_rows, width, nearest_beyond);
}
void FillFrom(const float* other, int width, float* row) {
  HWY_DYNAMIC_DISPATCH(FillFromOfTarget)(other, width, row);
}

void NearestAlongRow(const float* row, int width, std::uint64_t* words, float* from_left, float* from_right) {
  HWY_DYNAMIC_DISPATCH(NearestAlongRowOfTarget)(row, width, words, from_left, from_right);
}

bool FillRow(const float* const nearest[8], int width, float* disparity, std::uint8_t* validity) {
  return HWY_DYNAMIC_DISPATCH(FillRowOfTarget)(nearest, width, disparity, validity);
}
void MedianRow(const float* const* rows, int side, int width, float* filtered) {
  HWY_DYNAMIC_DISPATCH(MedianRowOfTarget)(rows, side, width, filtered);
}

}  // namespace parallax::cpu
#endif
