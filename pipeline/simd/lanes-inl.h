// Operations across lanes that the sweep needs and Highway 1.0.3 lacks. Included once per instruction set.
#if defined(PARALLAX_CPU_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARALLAX_CPU_LANES_INL_H_
#undef PARALLAX_CPU_LANES_INL_H_
#else
#define PARALLAX_CPU_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <bit>
#include <cstdint>

#include "pipeline/simd/plain_vector.h"

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
namespace simd = ::parallax::cpu::plain;
#else
namespace simd = hwy::HWY_NAMESPACE;
#endif

using Tag8 = simd::ScalableTag<std::uint8_t>;
using Tag16 = simd::ScalableTag<std::uint16_t>;
using V8 = simd::Vec<Tag8>;
using V16 = simd::Vec<Tag16>;

// Bits in one plane of a census code: bytes if the machine counts the bits of bytes, else the index of a
// table of 16 entries.
#if HWY_TARGET == HWY_AVX3_DL || PARALLAX_TARGET_IS_NEON || HWY_TARGET == HWY_SCALAR
inline constexpr int kPlaneBits = 8;
#else
inline constexpr int kPlaneBits = 4;
#endif
// True if matching costs are a large part of the work: table look-ups in short vectors.
inline constexpr bool kCostsAreExpensive = kPlaneBits == 4 && HWY_MAX_BYTES < 64;

#if HWY_TARGET != HWY_AVX3_DL && !PARALLAX_TARGET_IS_NEON && HWY_TARGET != HWY_SCALAR
// The number of bits in which each of 16 values differs from other. A table for each value of the other: one
// operation fewer than one table for all.
HWY_INLINE V8 CountsOfDifferingBits(Tag8 d, std::uint8_t other) {
  alignas(16) static constexpr auto kCounts = [] {
    std::array<std::uint8_t, 256> counts{};
    for (unsigned i = 0; i < 256; ++i)
      counts[i] = static_cast<std::uint8_t>(std::popcount((i >> 4) ^ (i & 15)));
    return counts;
  }();
  return simd::LoadDup128(d, kCounts.data() + std::size_t{16} * other);
}
#endif

// The number of bits in which each byte differs from other; bytes have kPlaneBits bits in use.
template <class V>
HWY_INLINE V CountDifferingBits(Tag8 d, V plane, std::uint8_t other) {
#if HWY_TARGET == HWY_AVX3_DL || PARALLAX_TARGET_IS_NEON || HWY_TARGET == HWY_SCALAR
  return simd::PopulationCount(simd::Xor(plane, simd::Set(d, other)));
#else
  return simd::TableLookupBytes(CountsOfDifferingBits(d, other), plane);
#endif
}

// 16-byte blocks of v moved up by one; block 0 comes from fill.
template <class D, class V>
HWY_INLINE V BlocksUp(D d, V v, V fill) {
#if HWY_TARGET == HWY_SCALAR
  (void)d, (void)v;
  return fill;
#else
  if constexpr (simd::MaxLanes(D()) * sizeof(simd::TFromD<D>) == 16) {
    (void)d;
    return fill;
  } else if constexpr (simd::MaxLanes(D()) * sizeof(simd::TFromD<D>) == 32) {
    return simd::ConcatLowerLower(d, v, fill);
  } else {
#if HWY_MAX_BYTES == 64
    return V{_mm512_mask_permutexvar_epi64(fill.raw, 0xFC, _mm512_set_epi64(5, 4, 3, 2, 1, 0, 1, 0), v.raw)};
#endif
  }
#endif
}

// 16-byte blocks of v moved down by one; the last block comes from fill.
template <class D, class V>
HWY_INLINE V BlocksDown(D d, V v, V fill) {
#if HWY_TARGET == HWY_SCALAR
  (void)d, (void)v;
  return fill;
#else
  if constexpr (simd::MaxLanes(D()) * sizeof(simd::TFromD<D>) == 16) {
    (void)d;
    return fill;
  } else if constexpr (simd::MaxLanes(D()) * sizeof(simd::TFromD<D>) == 32) {
    return simd::ConcatUpperUpper(d, fill, v);
  } else {
#if HWY_MAX_BYTES == 64
    return V{_mm512_mask_permutexvar_epi64(fill.raw, 0x3F, _mm512_set_epi64(7, 6, 7, 6, 5, 4, 3, 2), v.raw)};
#endif
  }
#endif
}

// Lane i of the result is lane i - 1 of v; lane 0 comes from fill, or from v if kEndMayStay and that is
// cheaper.
template <bool kEndMayStay, class D, class V>
HWY_INLINE V LanesUp(D d, V v, V fill) {
#if HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(simd::TFromD<D>) == 1) {
    alignas(64) static constexpr std::uint8_t kFrom[64] = {
        0,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
        21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
        43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62};
    if constexpr (kEndMayStay) return V{_mm512_permutexvar_epi8(_mm512_load_si512(kFrom), v.raw)};
    return V{_mm512_mask_permutexvar_epi8(fill.raw, ~__mmask64{1}, _mm512_load_si512(kFrom), v.raw)};
  }
#endif
  constexpr int kLane_bytes = sizeof(simd::TFromD<D>);
  return simd::CombineShiftRightBytes<16 - kLane_bytes>(d, v, BlocksUp(d, v, fill));
}

// Lane i of the result is lane i + 1 of v; the last lane comes from fill, or from v as above.
template <bool kEndMayStay, class D, class V>
HWY_INLINE V LanesDown(D d, V v, V fill) {
#if HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(simd::TFromD<D>) == 1) {
    alignas(64) static constexpr std::uint8_t kFrom[64] = {
        1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
        23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44,
        45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 63};
    if constexpr (kEndMayStay) return V{_mm512_permutexvar_epi8(_mm512_load_si512(kFrom), v.raw)};
    return V{_mm512_mask_permutexvar_epi8(fill.raw, ~__mmask64{0} >> 1, _mm512_load_si512(kFrom), v.raw)};
  }
#endif
  constexpr int kLane_bytes = sizeof(simd::TFromD<D>);
  return simd::CombineShiftRightBytes<kLane_bytes>(d, BlocksDown(d, v, fill), v);
}

// Lane i of the result is lane i - 1 of v, lane 0 the last one of v.
template <class D, class V>
HWY_INLINE V RotateLanesUp(D d, V v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (sizeof(simd::TFromD<D>) == 2) {
    alignas(64) static constexpr std::uint16_t kFrom[32] = {31, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                            10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                                            21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
    return V{_mm512_permutexvar_epi16(_mm512_load_si512(kFrom), v.raw)};
  }
#endif
  constexpr int kLane_bytes = sizeof(simd::TFromD<D>);
#if HWY_TARGET == HWY_AVX2
  const V blocks = simd::ConcatLowerUpper(d, v, v);
#else
  const V blocks = v;
#endif
  return simd::CombineShiftRightBytes<16 - kLane_bytes>(d, v, blocks);
}

// Lowest of each lane over all 16-byte blocks, in every block.
template <class D, class V>
HWY_INLINE V MinOfBlocks(D d, V v) {
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kBytes = simd::MaxLanes(D()) * sizeof(simd::TFromD<D>);
  if constexpr (kBytes >= 32) v = simd::Min(v, simd::ConcatLowerUpper(d, v, v));
  if constexpr (kBytes >= 64) v = simd::Min(v, simd::SwapAdjacentBlocks(v));
#endif
  (void)d;
  return v;
}

// Lane i of every block: the lowest of lanes i, i + kBytes, ... of the block, for lanes below kBytes bytes.
template <int kBytes, class D, class V>
HWY_INLINE V MinWithinBlocks(D d, V v) {
  if constexpr (kBytes <= 8) v = simd::Min(v, simd::CombineShiftRightBytes<8>(d, v, v));
  if constexpr (kBytes <= 4) v = simd::Min(v, simd::CombineShiftRightBytes<4>(d, v, v));
  if constexpr (kBytes <= 2) v = simd::Min(v, simd::CombineShiftRightBytes<2>(d, v, v));
  return v;
}

// a's lowest lanes in the even lanes, b's in the odd ones (lower and upper halves of the blocks joined by
// Min).
template <class D, class V>
HWY_INLINE V JoinMins(D d, V a, V b) {
  return simd::Min(simd::InterleaveLower(d, a, b), simd::InterleaveUpper(d, a, b));
}

// Every lane of the result number i is the lowest lane of mins[i]. Reducing all in one tree takes half the
// shuffles.
template <int kCount, class D, class V>
HWY_INLINE void MinOfLanesEach(D d, const V* HWY_RESTRICT mins, V* HWY_RESTRICT lowest) {
  static_assert(kCount == 2 || kCount == 4);
  using T = simd::TFromD<D>;
  V joined = JoinMins(d, mins[0], mins[1]);
  if constexpr (kCount == 4) {
    // Pairs of lanes move together, each compared separately.
    const simd::Repartition<hwy::MakeWide<T>, D> dw;
    const auto a = simd::BitCast(dw, joined), b = simd::BitCast(dw, JoinMins(d, mins[2], mins[3]));
    joined = simd::Min(simd::BitCast(d, simd::InterleaveLower(dw, a, b)),
                       simd::BitCast(d, simd::InterleaveUpper(dw, a, b)));
  }
  constexpr int kBytes = kCount * static_cast<int>(sizeof(T));
  joined = MinOfBlocks(d, MinWithinBlocks<kBytes>(d, joined));
  const Tag8 d8;
  for (int i = 0; i < kCount; ++i) {
    // Bytes of lane i, in every lane.
    const auto first = simd::Set(d8, static_cast<std::uint8_t>(i * static_cast<int>(sizeof(T))));
    if constexpr (sizeof(T) == 1) {
      lowest[i] = simd::TableLookupBytes(joined, first);
    } else {
      const auto odd = simd::BitCast(d8, simd::Set(Tag16(), std::uint16_t{0x0100}));
      lowest[i] = simd::BitCast(d, simd::TableLookupBytes(simd::BitCast(d8, joined), simd::Add(first, odd)));
    }
  }
}

// Every lane of lowest[i] is the lowest lane of mins[i], for two vectors of bytes: with a shorter chain of
// operations than MinOfLanesEach, if there is one.
template <class V>
HWY_INLINE void MinOfLanesOfTwo(Tag8 d, const V* HWY_RESTRICT mins, V* HWY_RESTRICT lowest) {
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3
  // Halves, then quarters, of both at once: block 0 is of the first, block 2 of the second.
  const __m512i halves = _mm512_min_epu8(_mm512_shuffle_i64x2(mins[0].raw, mins[1].raw, 0x44),
                                         _mm512_shuffle_i64x2(mins[0].raw, mins[1].raw, 0xEE));
  __m512i blocks = _mm512_min_epu8(halves, _mm512_shuffle_i64x2(halves, halves, 0xB1));
  // The smaller byte of each pair as 16 bits, then the smallest of the eight.
  blocks = _mm512_min_epu8(blocks, _mm512_srli_epi16(blocks, 8));
  lowest[0] = V{_mm512_broadcastb_epi8(_mm_minpos_epu16(_mm512_castsi512_si128(blocks)))};
  lowest[1] = V{_mm512_broadcastb_epi8(_mm_minpos_epu16(_mm512_extracti32x4_epi32(blocks, 2)))};
  (void)d;
#elif HWY_TARGET == HWY_AVX2
  for (int i = 0; i < 2; ++i) {
    __m128i block =
        _mm_min_epu8(_mm256_castsi256_si128(mins[i].raw), _mm256_extracti128_si256(mins[i].raw, 1));
    block = _mm_minpos_epu16(_mm_min_epu8(block, _mm_srli_epi16(block, 8)));
    lowest[i] = V{_mm256_broadcastb_epi8(block)};
  }
  (void)d;
#else
  MinOfLanesEach<2>(d, mins, lowest);
#endif
}

}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
