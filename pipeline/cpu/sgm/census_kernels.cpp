#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/sgm/census_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "pipeline/cpu/sgm/census_kernels.h"
#include "pipeline/rules/pixel_math.h"

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

template <class D>
HWY_INLINE hn::Vec<D> LoadPlane(D d, const std::uint8_t* from) {
  const hn::Rebind<std::uint8_t, D> d8;
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(d8, from));
  }
}

// One plane of kVectors vectors of pixels from x on: comparisons begin .. end, the first in bit first_bit,
// below which the plane keeps its bits.
template <int kVectors, typename T>
HWY_INLINE void ComparePixels(const T* HWY_RESTRICT pixel, const CensusComparisons& comparisons, int begin,
                              int end, int first_bit, std::uint8_t* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  hn::Vec<decltype(d)> plane[kVectors];
  for (int k = 0; k < kVectors; ++k) plane[k] = first_bit > 0 ? LoadPlane(d, to + k * lanes) : hn::Zero(d);
  for (int i = begin; i < end; ++i) {
    const T *brighter = pixel + comparisons.brighter[i], *darker = pixel + comparisons.darker[i];
    const auto bit = hn::Set(d, static_cast<T>(1 << (first_bit + i - begin)));
    for (int k = 0; k < kVectors; ++k) {
      const auto set = hn::Gt(hn::LoadU(d, brighter + k * lanes), hn::LoadU(d, darker + k * lanes));
      // An addition that AVX-512 does where a mask says so, in one operation.
      plane[k] = hn::IfThenElse(set, hn::Add(plane[k], bit), plane[k]);
    }
  }
  for (int k = 0; k < kVectors; ++k) StorePlane(d, plane[k], to + k * lanes);
}

template <typename T>
HWY_INLINE void CompareRow(const T* HWY_RESTRICT row, const CensusComparisons& comparisons, int plane_bits,
                           int width, std::uint8_t* HWY_RESTRICT planes, std::ptrdiff_t plane_stride) {
  constexpr int kVectors = 4;  // at a time, so that what is the same for all is done once
  const int lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  for (int begin = 0; begin < comparisons.count;) {
    const int bit = (comparisons.first_bit + begin) % plane_bits;
    const int end = std::min(begin + plane_bits - bit, comparisons.count);
    std::uint8_t* plane = planes + (comparisons.first_bit + begin) / plane_bits * plane_stride;
    int x = 0;
    for (; x + kVectors * lanes <= width; x += kVectors * lanes)
      ComparePixels<kVectors>(row + x, comparisons, begin, end, bit, plane + x);
    for (; x < width; x += lanes) ComparePixels<1>(row + x, comparisons, begin, end, bit, plane + x);
    begin = end;
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

// Plain loops, which the compiler makes vectors of.
template <typename T>
HWY_INLINE void SmoothRowOf(const T* HWY_RESTRICT row, std::ptrdiff_t stride, int width,
                            std::uint16_t* HWY_RESTRICT to) {
  using Sum = std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t>;
  const T *above = row - stride, *below = row + stride;
  const auto column = [&](int x) {
    return static_cast<Sum>(Sum{above[x]} + 2 * Sum{row[x]} + Sum{below[x]});
  };
  for (int x = 0; x < width; ++x) {
    const Sum sum = static_cast<Sum>(column(x - 1) + 2 * column(x) + column(x + 1));
    to[x] = static_cast<std::uint16_t>(sizeof(T) == 1 ? sum : sum / 16);
  }
}
void SmoothRow8(const std::uint8_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to) {
  SmoothRowOf(row, stride, width, to);
}
void SmoothRow16(const std::uint16_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to) {
  SmoothRowOf(row, stride, width, to);
}

void GradientRowOfTarget(const std::uint8_t* HWY_RESTRICT row, std::ptrdiff_t stride, int width,
                         std::uint8_t* HWY_RESTRICT gradient, std::uint8_t* HWY_RESTRICT planes,
                         std::ptrdiff_t plane_stride) {
  const std::uint8_t *above = row - stride, *below = row + stride;
  for (int x = 0; x < width; ++x) {
    const auto column = [&](int i) { return static_cast<std::int16_t>(above[i] + 2 * row[i] + below[i]); };
    const auto slope = static_cast<std::int16_t>(column(x + 1) - column(x - 1));
    const auto clamped = std::clamp<std::int16_t>(slope, -127, 127);
    gradient[x] = static_cast<std::uint8_t>(clamped + 127);
  }
  gradient[-1] = gradient[0];
  gradient[width] = gradient[width - 1];
  std::uint8_t* HWY_RESTRICT lowest = planes + plane_stride;
  std::uint8_t* HWY_RESTRICT highest = planes + 2 * plane_stride;
  for (int x = 0; x < width; ++x) {
    const std::uint16_t here = gradient[x];
    planes[x] = gradient[x];
    const auto before = static_cast<std::uint16_t>(here + gradient[x - 1]),
               after = static_cast<std::uint16_t>(here + gradient[x + 1]);  // doubled
    const std::uint16_t least = std::min(before, after), most = std::max(before, after);
    lowest[x] = static_cast<std::uint8_t>(std::min(here, static_cast<std::uint16_t>(least / 2)));
    highest[x] = static_cast<std::uint8_t>(std::max(here, static_cast<std::uint16_t>((most + 1) / 2)));
  }
}

void InterleavePlanesOfTarget(const std::uint8_t* HWY_RESTRICT planes, std::ptrdiff_t plane_stride,
                              int num_planes, int width, std::uint8_t* HWY_RESTRICT to) {
  int x = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<std::uint8_t> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(decltype(d)()));
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto interleave = [&](const std::uint8_t* from, std::uint8_t* words) HWY_ATTR {
    hn::StoreInterleaved4(hn::LoadU(d, from), hn::LoadU(d, from + plane_stride),
                          hn::LoadU(d, from + 2 * plane_stride), hn::LoadU(d, from + 3 * plane_stride), d,
                          words);
  };
  if (num_planes == 4) {
    for (; x + lanes <= width; x += lanes) interleave(planes + x, to + 4 * x);
  }
  // Other numbers: four planes at a time into words, and these to their places.
  alignas(64) std::uint8_t words[4 * kLanes];
  for (; x + lanes <= width; x += lanes) {
    std::uint8_t* pixel = to + x * num_planes;
    int p = 0;
    for (; p + 4 <= num_planes; p += 4) {
      interleave(planes + p * plane_stride + x, words);
      for (int i = 0; i < lanes; ++i) std::copy_n(words + 4 * i, 4, pixel + i * num_planes + p);
    }
    for (; p < num_planes; ++p) {
      const std::uint8_t* from = planes + p * plane_stride + x;
      for (int i = 0; i < lanes; ++i) pixel[i * num_planes + p] = from[i];
    }
  }
#endif
  for (; x < width; ++x) {
    for (int p = 0; p < num_planes; ++p) to[x * num_planes + p] = planes[p * plane_stride + x];
  }
}

// kStripes 0: known at run time only.
template <int kStripes>
HWY_INLINE void DealPlaneOfStripes(const std::uint8_t* HWY_RESTRICT plane, int x_begin, int x_end,
                                   int first_place, int at_run_time, std::ptrdiff_t phase_stride, int last,
                                   std::uint8_t* HWY_RESTRICT to) {
  const int stripes = kStripes > 0 ? kStripes : at_run_time;
  for (int x = x_begin; x < std::min(x_begin + stripes, x_end); ++x) {
    const int place = x + first_place;
    std::uint8_t* first = to + place % stripes * phase_stride + last - place / stripes;
    const int count = (x_end - x + stripes - 1) / stripes;
    const std::uint8_t* from = plane + x;
    for (int i = 0; i < count; ++i) first[-i] = from[i * stripes];
  }
}

void DealPlaneOfTarget(const std::uint8_t* plane, int x_begin, int x_end, int first_place, int stripes,
                       std::ptrdiff_t phase_stride, int last, std::uint8_t* to) {
  switch (stripes) {
    case 1:
      return DealPlaneOfStripes<1>(plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
    case 2:
      return DealPlaneOfStripes<2>(plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
    case 4:
      return DealPlaneOfStripes<4>(plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
    case 8:
      return DealPlaneOfStripes<8>(plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
    default:
      return DealPlaneOfStripes<0>(plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
  }
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
HWY_EXPORT(SmoothRow8);
HWY_EXPORT(SmoothRow16);
HWY_EXPORT(GradientRowOfTarget);
HWY_EXPORT(InterleavePlanesOfTarget);
HWY_EXPORT(DealPlaneOfTarget);
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
void SmoothRow(const std::uint8_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(SmoothRow8)(row, stride, width, to);
}
void SmoothRow(const std::uint16_t* row, std::ptrdiff_t stride, int width, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(SmoothRow16)(row, stride, width, to);
}
void GradientRow(const std::uint8_t* row, std::ptrdiff_t stride, int width, std::uint8_t* scratch,
                 std::uint8_t* planes, std::ptrdiff_t plane_stride) {
  HWY_DYNAMIC_DISPATCH(GradientRowOfTarget)(row, stride, width, scratch, planes, plane_stride);
}
void InterleavePlanes(const std::uint8_t* planes, std::ptrdiff_t plane_stride, int num_planes, int width,
                      std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(InterleavePlanesOfTarget)(planes, plane_stride, num_planes, width, to);
}
void DealPlane(const std::uint8_t* plane, int x_begin, int x_end, int first_place, int stripes,
               std::ptrdiff_t phase_stride, int last, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(DealPlaneOfTarget)
  (plane, x_begin, x_end, first_place, stripes, phase_stride, last, to);
}
void GrayRow(const Rgb8* color, int width, std::uint8_t* gray) {
  HWY_DYNAMIC_DISPATCH(GrayRowOfTarget)(color, width, gray);
}
void GuideRow(const std::uint16_t* gray, int width, std::uint8_t* guide) {
  HWY_DYNAMIC_DISPATCH(GuideRowOfTarget)(gray, width, guide);
}

}  // namespace parallax::cpu
#endif
