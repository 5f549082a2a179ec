#include "pipeline/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/census_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "pipeline/cpu/census_kernels.h"
#include "pipeline/pixel_math.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void StorePlane(D d, hn::Vec<D> plane, std::uint8_t* to) {
  const hn::Rebind<std::uint8_t, D> d8;
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    hn::StoreU(plane, d, to);
  } else {
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(hn::RebindToSigned<D>(), plane)), d8, to);
  }
}

template <typename T>
HWY_INLINE void CompareRow(const T* HWY_RESTRICT row, const CensusComparisons& comparisons, int plane_bits,
                           int width, std::uint8_t* HWY_RESTRICT planes, std::ptrdiff_t plane_stride) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    for (int first = 0, p = 0; first < comparisons.count; first += plane_bits, ++p) {
      const int end = std::min(first + plane_bits, comparisons.count);
      auto plane = hn::Zero(d);
      for (int i = first; i < end; ++i) {
        const auto set = hn::Gt(hn::LoadU(d, row + x + comparisons.brighter[i]),
                                hn::LoadU(d, row + x + comparisons.darker[i]));
        plane = hn::Or(plane, hn::IfThenElseZero(set, hn::Set(d, static_cast<T>(1 << (i - first)))));
      }
      StorePlane(d, plane, planes + p * plane_stride + x);
    }
  }
}

void CensusRow8(const std::uint8_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
                std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  CompareRow(row, comparisons, plane_bits, width, planes, plane_stride);
}
void CensusRow16(const std::uint16_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
                 std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  CompareRow(row, comparisons, plane_bits, width, planes, plane_stride);
}

// GrayOf() of whole vectors; the sums fit 16 bits.
void GrayRowOfTarget(const Rgb8* color, int width, std::uint8_t* gray) {
  int x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Half<decltype(d)> dh;
  const hn::Repartition<std::uint16_t, decltype(d)> d16;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto weigh = [&](auto r, auto g, auto b) HWY_ATTR {
    const auto term = [&](auto v, int weight) HWY_ATTR {
      return hn::Mul(hn::PromoteTo(d16, v), hn::Set(d16, static_cast<std::uint16_t>(weight)));
    };
    const auto sum =
        hn::Add(hn::Add(term(r, 77), term(g, 150)), hn::Add(term(b, 29), hn::Set(d16, std::uint16_t{128})));
    return hn::DemoteTo(dh, hn::BitCast(hn::RebindToSigned<decltype(d16)>(), hn::ShiftRight<8>(sum)));
  };
  for (; x + lanes <= width; x += lanes) {
    hn::Vec<decltype(d)> r, g, b;
    hn::LoadInterleaved3(d, &color[x].r, r, g, b);
    hn::StoreU(weigh(hn::LowerHalf(dh, r), hn::LowerHalf(dh, g), hn::LowerHalf(dh, b)), dh, gray + x);
    hn::StoreU(weigh(hn::UpperHalf(dh, r), hn::UpperHalf(dh, g), hn::UpperHalf(dh, b)), dh,
               gray + x + lanes / 2);
  }
#endif
  for (; x < width; ++x) gray[x] = GrayOf(color[x]);
}

void GuideRowOfTarget(const std::uint16_t* gray, int width, std::uint8_t* guide) {
  for (int x = 0; x < width; ++x) guide[x] = static_cast<std::uint8_t>(gray[x] >> 8);
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {

HWY_EXPORT(CensusRow8);
HWY_EXPORT(CensusRow16);
HWY_EXPORT(GrayRowOfTarget);
HWY_EXPORT(GuideRowOfTarget);

void CensusRow(const std::uint8_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  HWY_DYNAMIC_DISPATCH(CensusRow8)(row, comparisons, plane_bits, width, planes, plane_stride);
}
void CensusRow(const std::uint16_t* row, const CensusComparisons& comparisons, int plane_bits, int width,
               std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  HWY_DYNAMIC_DISPATCH(CensusRow16)(row, comparisons, plane_bits, width, planes, plane_stride);
}
void GrayRow(const Rgb8* color, int width, std::uint8_t* gray) {
  HWY_DYNAMIC_DISPATCH(GrayRowOfTarget)(color, width, gray);
}
void GuideRow(const std::uint16_t* gray, int width, std::uint8_t* guide) {
  HWY_DYNAMIC_DISPATCH(GuideRowOfTarget)(gray, width, guide);
}

}  // namespace parallax::cpu
#endif
