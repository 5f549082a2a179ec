#include "pipeline/cpu/ad_census/slice_kernels.h"

#include "pipeline/simd/simd_targets.h"
// Highway must be included after the choice of targets.
#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/ad_census/slice_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "parallax/image.h"

// Whether tables of 64 elements of 16 bits can be looked up in registers: then sums from the line's begin are
// taken from the ends of arms a vector at a time, else one after the other.
#undef PARALLAX_CPU_HAS_WIDE_LOOKUP
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define PARALLAX_CPU_HAS_WIDE_LOOKUP 1
#else
#define PARALLAX_CPU_HAS_WIDE_LOOKUP 0
#endif

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::ad_census::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag8 = hn::ScalableTag<std::uint8_t>;
using Tag16 = hn::ScalableTag<std::uint16_t>;
using V16 = hn::Vec<Tag16>;
using TagHalf8 = hn::Rebind<std::uint8_t, Tag16>;

HWY_INLINE int Lanes16() { return static_cast<int>(hn::Lanes(Tag16())); }

// 16-bit sums from the line's begin, which wrap around and give the right differences.
#if PARALLAX_CPU_HAS_WIDE_LOOKUP

// Hides from GCC that a value is a constant. GCC would make constants again for every vector, and would
// replace a multiplication by two shifts and two additions.
HWY_INLINE __m512i Hidden(__m512i v) {
  asm("" : "+v"(v));
  return v;
}
HWY_INLINE __mmask32 Hidden(__mmask32 mask) {
  asm("" : "+Yk"(mask));
  return mask;
}
struct Constants {
  HWY_INLINE Constants()
      : four_ones(Hidden(_mm512_set1_epi64(0x0001000100010001))),
        last_lane(Hidden(_mm512_set1_epi16(31))),
        num_lanes(Hidden(_mm512_set1_epi16(32))),
        two_vectors(Hidden(_mm512_set1_epi16(64))),
        low_byte(Hidden(_mm512_set1_epi16(255))),
        one(Hidden(_mm512_castps_si512(_mm512_set1_ps(1.0F)))),
        but_quarter(Hidden(__mmask32{0xFFFFFF00})),
        upper_half(Hidden(__mmask32{0xFFFF0000})) {}
  __m512i four_ones, last_lane, num_lanes, two_vectors, low_byte, one;
  __mmask32 but_quarter, upper_half;
};

// Lane i: the sum of lanes 0 .. i, of values whose sums of four fit 16 bits.
HWY_INLINE V16 SumsFromFirst(V16 v, const Constants& constants) {
  const Tag16 d;
  // Sums four lanes with one multiplication, then eight.
  v = V16{_mm512_mullo_epi64(v.raw, constants.four_ones)};
  alignas(64) static constexpr std::uint8_t kLastOfFour[16] = {128, 128, 128, 128, 128, 128, 128, 128,
                                                               6,   7,   6,   7,   6,   7,   6,   7};
  const __m512i last_of_four =
      _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(kLastOfFour)));
  v = hn::Add(v, V16{_mm512_shuffle_epi8(v.raw, last_of_four)});
  // The last lane of the quarter before, then of the one before that.
  alignas(64) static constexpr std::uint16_t kBefore[32] = {0,  0,  0,  0,  0,  0,  0,  0,  7,  7,  7,
                                                            7,  7,  7,  7,  7,  15, 15, 15, 15, 15, 15,
                                                            15, 15, 23, 23, 23, 23, 23, 23, 23, 23};
  alignas(64) static constexpr std::uint16_t kTwoBefore[32] = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 15, 15, 15, 15, 15, 15, 15, 15};
  v = hn::Add(v,
              V16{_mm512_maskz_permutexvar_epi16(constants.but_quarter, _mm512_load_si512(kBefore), v.raw)});
  return hn::Add(
      v, V16{_mm512_maskz_permutexvar_epi16(constants.upper_half, _mm512_load_si512(kTwoBefore), v.raw)});
}

// The last vectors of what is made along a line, by their numbers. Sums from the line's begin are taken from the
// vectors around as soon as they are there, so that they never leave the first-level cache.
constexpr int kKept = 8, kRingSize = 32 * kKept;
HWY_INLINE std::ptrdiff_t PlaceOf(int vector) { return std::ptrdiff_t{vector % kKept} * 32; }

// Sums from a line's begin.
class RunningSums {
 public:
  RunningSums(const Constants& constants, std::uint16_t* ring) : constants_(constants), ring_(ring) {
    const Tag16 d;
    hn::Store(hn::Zero(d), d, ring + PlaceOf(kKept - 1));
    hn::Store(hn::Zero(d), d, ring + PlaceOf(kKept - 2));
  }
  HWY_INLINE void Append(V16 v, int vector) {
    const Tag16 d;
    const V16 sums = SumsFromFirst(v, constants_);
    hn::Store(hn::Add(sums, before_), d, ring_ + PlaceOf(vector));
    before_ = hn::Add(before_, V16{_mm512_permutexvar_epi16(constants_.last_lane, sums.raw)});
  }

 private:
  V16 before_ = hn::Zero(Tag16());
  Constants constants_;
  std::uint16_t* ring_;
};

// The ends of the arms of a vector of pixels, as lanes of the vectors of sums around.
struct EndLanes {
  __m512i ahead, back;
};
class ArmEnds {
 public:
  static constexpr int kReach = 2;  // vectors
  HWY_INLINE ArmEnds(const Constants& constants, EndLanes lanes, int vector)
      : ahead_(lanes.ahead),
        back_(lanes.back),
        is_far_ahead_(_mm512_cmpeq_epi16_mask(ahead_, constants.two_vectors)),
        is_far_back_(_mm512_movepi16_mask(back_)),
        vector_(vector + kKept) {}

  HWY_INLINE V16 Difference(const std::uint16_t* ring) const {
    const auto sums = [&](int away)
                          HWY_ATTR { return hn::Load(Tag16(), ring + PlaceOf(vector_ + away)).raw; };
    const __m512i here = sums(0);
    __m512i end = _mm512_permutex2var_epi16(here, ahead_, sums(1));
    end = _mm512_mask_set1_epi16(end, is_far_ahead_, static_cast<short>(ring[PlaceOf(vector_ + 2)]));
    __m512i begin = _mm512_permutex2var_epi16(sums(-1), back_, here);
    begin = _mm512_mask_permutexvar_epi16(begin, is_far_back_, back_, sums(-2));
    return hn::Sub(V16{end}, V16{begin});
  }

 private:
  __m512i ahead_, back_;
  __mmask32 is_far_ahead_, is_far_back_;  // whether an end lies one vector further
  int vector_;
};

// Tells which pixels of a line's successive vectors have partners inside the right image.
class LanesInside {
 public:
  explicit LanesInside(const SliceLine& line)
      : from_begin_(_mm512_sub_epi16(hn::Iota(Tag16(), 0).raw, Set(line.begin))),
        count_(Set(line.end - line.begin)) {}
  HWY_INLINE __mmask32 Next(const Constants& constants) {
    const __m512i from_begin = from_begin_;
    from_begin_ = _mm512_add_epi16(from_begin_, constants.num_lanes);
    return _mm512_cmplt_epu16_mask(from_begin, count_);
  }

 private:
  HWY_INLINE static __m512i Set(int value) { return _mm512_set1_epi16(static_cast<short>(value)); }
  __m512i from_begin_, count_;  // modulo 2^16, as lines are shorter
};
HWY_INLINE __m256i Shorter(const std::uint8_t* left, const std::uint8_t* right, __mmask32 is_inside) {
  const __m256i length = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left));
  return _mm256_mask_min_epu8(length, is_inside, length, _mm256_maskz_loadu_epi8(is_inside, right));
}
HWY_INLINE EndLanes FindEnds(const SliceLine& line, int i, __mmask32 is_inside) {
  const __m512i lane = hn::Iota(Tag16(), 0).raw;
  const __m512i ahead = _mm512_cvtepu8_epi16(Shorter(line.left.ahead + i, line.right.ahead + i, is_inside));
  const __m512i back = _mm512_cvtepu8_epi16(Shorter(line.left.back + i, line.right.back + i, is_inside));
  return {_mm512_add_epi16(lane, ahead),
          _mm512_sub_epi16(_mm512_add_epi16(lane, _mm512_set1_epi16(31)), back)};
}
// 1 + both arms across the line.
HWY_INLINE V16 FindSpans(const SliceLine& line, int i, __mmask32 is_inside) {
  const __m256i arms =
      _mm256_add_epi8(Shorter(line.left_across.back + i, line.right_across.back + i, is_inside),
                      Shorter(line.left_across.ahead + i, line.right_across.ahead + i, is_inside));
  return hn::Add(V16{_mm512_cvtepu8_epi16(arms)}, hn::Set(Tag16(), std::uint16_t{1}));
}

HWY_INLINE int NumVectors(int length) { return (length + 31) / 32; }
// Sums are asked for this many vectors after they were begun: with one more than must be, nothing waits for what
// was just stored.
constexpr int kLag = ArmEnds::kReach + 1;
static_assert(2 * kLag + 1 <= kKept && kLag + ArmEnds::kReach + 1 <= kKept);

// Lines are taken by value, as stores might change what a reference shows.
void SumLineOfTarget(const SliceLine& line_to_sum, const std::uint16_t* from, std::uint16_t* to,
                     void* scratch) {
  const Tag16 d;
  const SliceLine line = line_to_sum;
  LanesInside inside(line);
  std::uint16_t* const ring = static_cast<std::uint16_t*>(scratch);
  const Constants constants;
  RunningSums running(constants, ring);
  const int num_vectors = NumVectors(line.length);
  for (int j = 0; j < num_vectors + kLag; ++j) {
    if (j < num_vectors) running.Append(hn::LoadU(d, from + 32 * j), j);
    if (const int done = j - kLag; done >= 0) {
      const ArmEnds ends(constants, FindEnds(line, 32 * done, inside.Next(constants)), done);
      hn::StoreU(ends.Difference(ring), d, to + 32 * done);
    }
  }
}

// 1 / n, correctly rounded, for whole numbers n up to 4489 = kMaxArmSpan_px^2, from an estimate r of 14 bits:
// 1 / n = r (1 + e + e^2 + ...) with e = 1 - n r, which takes 22 bits and is exact. Before the last rounding
// the sum is off by less than 2^-37.9 of 1 / n (2^-38 as e + e^2 is rounded, 2^-42 for what is left out), and
// every number halfway between two floats lies 2^-37 of it or more away.
HWY_INLINE __m512 Reciprocal(__m512 n, __m512 one) {
  const __m512 r = _mm512_rcp14_ps(n);
  const __m512 e = _mm512_fnmadd_ps(n, r, one);
  return _mm512_fmadd_ps(r, _mm512_fmadd_ps(e, e, e), r);
}

// low, high: sums of low and high bytes, which fit 16 bits where the whole takes 23.
HWY_INLINE V16 Mean(const Constants& constants, V16 low, V16 high, V16 size) {
  const __m512i weights = _mm512_set1_epi32(256 << 16 | 1), zero = _mm512_setzero_si512();
  const auto mean = [&](__m512i sum_bytes, __m512i size_of_half) HWY_ATTR {
    const __m512 sum = _mm512_cvtepi32_ps(_mm512_madd_epi16(sum_bytes, weights));
    const __m512 reciprocal =
        Reciprocal(_mm512_cvtepi32_ps(size_of_half), _mm512_castsi512_ps(constants.one));
    return _mm512_cvtps_epi32(_mm512_mul_ps(sum, reciprocal));
  };
  const __m512i first = mean(_mm512_unpacklo_epi16(low.raw, high.raw), _mm512_unpacklo_epi16(size.raw, zero));
  const __m512i second =
      mean(_mm512_unpackhi_epi16(low.raw, high.raw), _mm512_unpackhi_epi16(size.raw, zero));
  return V16{_mm512_packus_epi32(first, second)};
}

template <bool kFindsSizes, bool kSumsMeans>
void Average(SliceLine line, AverageOptions options, const std::uint16_t* from, std::uint16_t* sizes,
             std::uint16_t* to, std::uint16_t* scratch) {
  const Tag16 d;
  LanesInside inside(line);
  const auto take = [&] { return std::exchange(scratch, scratch + kRingSize); };
  std::uint16_t *const low_ring = take(), *const high_ring = take();
  std::uint16_t *const span_ring = take(), *const mean_ring = take();
  std::uint16_t *const ahead = take(), *const back = take();
  const Constants constants;
  RunningSums low(constants, low_ring), high(constants, high_ring);
  RunningSums spans(constants, span_ring), means(constants, mean_ring);
  const auto ends_of = [=](int j) HWY_ATTR {
    return ArmEnds(constants, {hn::Load(d, ahead + PlaceOf(j)).raw, hn::Load(d, back + PlaceOf(j)).raw}, j);
  };
  const int num_vectors = NumVectors(line.length);
  for (int j = 0; j < num_vectors + (kSumsMeans ? 2 : 1) * kLag; ++j) {
    if (j < num_vectors) {
      const int i = 32 * j;
      hwy::Prefetch(options.next_values + i);
      hwy::Prefetch(options.next_sizes + i);
      const __mmask32 is_inside = inside.Next(constants);
      const EndLanes ends = FindEnds(line, i, is_inside);
      hn::Store(V16{ends.ahead}, d, ahead + PlaceOf(j));
      hn::Store(V16{ends.back}, d, back + PlaceOf(j));
      const V16 v = hn::LoadU(d, from + i);
      low.Append(hn::And(v, V16{constants.low_byte}), j);
      high.Append(hn::ShiftRight<8>(v), j);
      if constexpr (kFindsSizes) spans.Append(FindSpans(line, i, is_inside), j);
    }
    if (const int begun = j - kLag; begun >= 0 && begun < num_vectors) {
      const ArmEnds ends = ends_of(begun);
      V16 size;
      if constexpr (kFindsSizes) {
        size = ends.Difference(span_ring);
        hn::StoreU(size, d, sizes + 32 * begun);
      } else {
        size = hn::LoadU(d, sizes + 32 * begun);
      }
      const V16 mean = Mean(constants, ends.Difference(low_ring), ends.Difference(high_ring), size);
      if constexpr (kSumsMeans) {
        means.Append(mean, begun);
      } else {
        hn::StoreU(mean, d, to + 32 * begun);
      }
    }
    if constexpr (kSumsMeans) {
      if (const int done = j - 2 * kLag; done >= 0)
        hn::StoreU(ends_of(done).Difference(mean_ring), d, to + 32 * done);
    }
  }
}

void AverageLineOfTarget(const SliceLine& line, AverageOptions options, const std::uint16_t* from,
                         std::uint16_t* sizes, std::uint16_t* to, void* scratch) {
  auto* const average = options.find_sizes
                            ? (options.sum_means ? Average<true, true> : Average<true, false>)
                            : (options.sum_means ? Average<false, true> : Average<false, false>);
  average(line, options, from, sizes, to, static_cast<std::uint16_t*>(scratch));
}

std::size_t SliceScratchBytesOfTarget(int) { return 6 * kRingSize * sizeof(std::uint16_t); }

#else

// Memory for what is made of a line.
struct LineScratch {
  LineScratch(void* memory, int length)
      : sums(static_cast<std::uint32_t*>(memory)),
        before(sums + SizeOf(length)),
        values(reinterpret_cast<std::uint16_t*>(before + SizeOf(length))),
        back(reinterpret_cast<std::uint8_t*>(values + SizeOf(length))),
        ahead(back + SizeOf(length)) {}
  static std::size_t SizeOf(int length) { return static_cast<std::size_t>(length) + 1 + kLineSlack; }
  static std::size_t BytesOf(int length) { return SizeOf(length) * 12; }
  std::uint32_t *sums, *before;
  std::uint16_t* values;
  std::uint8_t *back, *ahead;
};

void CombineArms(const SliceLine& line, const std::uint8_t* left, const std::uint8_t* right,
                 std::uint8_t* HWY_RESTRICT lengths) {
  const Tag8 d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::copy_n(left, line.begin, lengths);
  for (int i = line.begin; i < line.end; i += lanes)
    hn::StoreU(hn::Min(hn::LoadU(d, left + i), hn::LoadU(d, right + i)), d, lengths + i);
  std::copy(left + line.end, left + line.length, lengths + line.end);
}
HWY_INLINE void CombineBothArms(const SliceLine& line, const LineArms& left, const LineArms& right,
                                const LineScratch& scratch) {
  CombineArms(line, left.back, right.back, scratch.back);
  CombineArms(line, left.ahead, right.ahead, scratch.ahead);
}

// Sums from the line's begin, 0 before its first element, and to[i] = what lies between the ends of arms.
template <typename T>
HWY_INLINE void SumBetween(const LineScratch& scratch, int length, const std::uint16_t* from,
                           T* HWY_RESTRICT before, T* to) {
  T sum = 0;
  before[0] = 0;
  for (int i = 0; i < length; ++i) {
    sum = static_cast<T>(sum + from[i]);
    before[i + 1] = sum;
  }
  for (int i = 0; i < length; ++i)
    to[i] = static_cast<T>(before[i + scratch.ahead[i] + 1] - before[i - scratch.back[i]]);
}
HWY_INLINE void SumAlong(const LineScratch& scratch, int length, const std::uint16_t* from,
                         std::uint16_t* to) {
  SumBetween(scratch, length, from, reinterpret_cast<std::uint16_t*>(scratch.before), to);
}

void SumLineOfTarget(const SliceLine& line, const std::uint16_t* from, std::uint16_t* to, void* memory) {
  const LineScratch scratch(memory, line.length);
  CombineBothArms(line, line.left, line.right, scratch);
  SumAlong(scratch, line.length, from, to);
}

void AverageLineOfTarget(const SliceLine& line, AverageOptions options, const std::uint16_t* from,
                         std::uint16_t* sizes, std::uint16_t* to, void* memory) {
  const Tag16 d16;
  const TagHalf8 d8;
  const LineScratch scratch(memory, line.length);
  if (options.find_sizes) {
    CombineBothArms(line, line.left_across, line.right_across, scratch);
    for (int i = 0; i < line.length; i += Lanes16()) {
      const V16 arms = hn::Add(hn::PromoteTo(d16, hn::LoadU(d8, scratch.back + i)),
                               hn::PromoteTo(d16, hn::LoadU(d8, scratch.ahead + i)));
      hn::StoreU(hn::Add(arms, hn::Set(d16, std::uint16_t{1})), d16, scratch.values + i);
    }
  }
  CombineBothArms(line, line.left, line.right, scratch);
  if (options.find_sizes) SumAlong(scratch, line.length, scratch.values, sizes);
  SumBetween(scratch, line.length, from, scratch.before, scratch.sums);
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<std::uint16_t, decltype(d)> d_half;
  for (int i = 0; i < line.length; i += static_cast<int>(hn::Lanes(d))) {
    const auto sum = hn::ConvertTo(df, hn::LoadU(d, reinterpret_cast<const std::int32_t*>(scratch.sums + i)));
    const auto size = hn::ConvertTo(df, hn::PromoteTo(d, hn::LoadU(d_half, sizes + i)));
    const auto mean = hn::NearestInt(hn::Mul(sum, hn::Div(hn::Set(df, 1.0F), size)));
    hn::StoreU(hn::DemoteTo(d_half, mean), d_half, to + i);
  }
  if (options.sum_means) SumAlong(scratch, line.length, to, to);
}

std::size_t SliceScratchBytesOfTarget(int length) { return LineScratch::BytesOf(length); }

#endif

// --- matching cost ----------------------------------------------------------------
// Whether the largest difference of a channel counts: three times, as every third cost of the table says.
HWY_INLINE bool IsOfLargest(const SliceCostRow& row) {
  return row.difference == ColorDifference::kMaximum || row.num_channels == 1;
}
HWY_INLINE V16 ColorIndex(const SliceCostRow& row, int x) {
  const Tag16 d;
  const TagHalf8 d8;
  V16 index = hn::Zero(d);
  for (int c = 0; c < row.num_channels; ++c) {
    const V16 left = hn::PromoteTo(d, hn::LoadU(d8, row.left[c] + x));
    const V16 right = hn::PromoteTo(d, hn::LoadU(d8, row.right[c] + x));
    const V16 difference = hn::Sub(hn::Max(left, right), hn::Min(left, right));
    index = IsOfLargest(row) ? hn::Max(index, difference) : hn::Add(index, difference);
  }
  return index;
}

#if PARALLAX_CPU_HAS_WIDE_LOOKUP
template <class Table>
HWY_INLINE V16 LookUp(const Table& table, V16 index) {
  const Tag16 d;
  const int last = table.last;
  const std::uint16_t* values = table.values.data();
  index = hn::Min(index, hn::Set(d, table.last));
  __m512i found = _mm512_permutex2var_epi16(hn::Load(d, values).raw, index.raw, hn::Load(d, values + 32).raw);
  for (int part = CostTables::kPart; part <= last; part += CostTables::kPart) {
    const __m512i of_part = _mm512_permutex2var_epi16(hn::Load(d, values + part).raw, index.raw,
                                                      hn::Load(d, values + part + 32).raw);
    found = _mm512_mask_mov_epi16(
        found, _mm512_cmpge_epu16_mask(index.raw, _mm512_set1_epi16(static_cast<short>(part))), of_part);
  }
  return V16{found};
}

HWY_INLINE V16 CensusIndex(const SliceCostRow& row, int x) {
  const hn::Repartition<std::uint64_t, Tag16> d64;
  const auto bits = [&](int i) HWY_ATTR {
    return hn::PopulationCount(
        hn::Xor(hn::LoadU(d64, row.census_left + x + i), hn::LoadU(d64, row.census_right + x + i)));
  };
  // Four counts share 64 bits, then every one goes to its lane.
  const auto mixed = hn::Or(hn::Or(bits(0), hn::ShiftLeft<16>(bits(8))),
                            hn::Or(hn::ShiftLeft<32>(bits(16)), hn::ShiftLeft<48>(bits(24))));
  alignas(64) static constexpr std::uint16_t kOrder[32] = {0,  4,  8,  12, 16, 20, 24, 28, 1,  5,  9,
                                                           13, 17, 21, 25, 29, 2,  6,  10, 14, 18, 22,
                                                           26, 30, 3,  7,  11, 15, 19, 23, 27, 31};
  return V16{_mm512_permutexvar_epi16(_mm512_load_si512(kOrder), mixed.raw)};
}

HWY_INLINE void MatchVector(const SliceCostRow& row, int x, std::uint16_t* costs) {
  __builtin_prefetch(row.next_left + x, 0, 2);
  __builtin_prefetch(row.next_right + x, 0, 2);
  const V16 index = ColorIndex(row, x);
  const V16 color = IsOfLargest(row) ? LookUp(row.tables->gray, index) : LookUp(row.tables->color, index);
  hn::StoreU(hn::Add(color, LookUp(row.tables->census, CensusIndex(row, x))), Tag16(), costs + x);
}
#else
HWY_INLINE void MatchVector(const SliceCostRow& row, int x, std::uint16_t* HWY_RESTRICT costs) {
  hn::StoreU(ColorIndex(row, x), Tag16(), costs + x);
  const std::uint16_t* const color =
      IsOfLargest(row) ? row.tables->gray.values.data() : row.tables->color.values.data();
  for (int i = x; i < x + Lanes16(); ++i) {
    const auto bits = static_cast<std::size_t>(std::popcount(row.census_left[i] ^ row.census_right[i]));
    costs[i] = static_cast<std::uint16_t>(color[costs[i]] + row.tables->census.values[bits]);
  }
}
#endif

void MatchSliceRowOfTarget(const SliceCostRow& row, std::uint16_t* costs) {
  for (int x = row.begin; x < row.end; x += Lanes16()) MatchVector(row, x, costs);
  std::fill(costs, costs + row.begin, row.tables->outside_cost);
  std::fill(costs + row.end, costs + row.width, row.tables->outside_cost);
}

// --- transposition ----------------------------------------------------------------
#if HWY_TARGET == HWY_SCALAR
void TransposeLinesOfTarget(const std::uint16_t* from, std::ptrdiff_t, int length, std::uint16_t* to,
                            std::ptrdiff_t to_stride, const std::uint16_t*) {
  for (int x = 0; x < length; ++x) to[x * to_stride] = from[x];
}
#else
// 8 elements each of the lines i, i + 8, i + 16, ..., one after the other.
#if PARALLAX_CPU_HAS_WIDE_LOOKUP
HWY_INLINE V16 LoadEighths(Tag16, const std::uint16_t* from, std::ptrdiff_t stride) {
  const auto load = [&](int line) HWY_ATTR {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + line * stride));
  };
  __m512i v = _mm512_castsi128_si512(load(0));
  v = _mm512_inserti32x4(v, load(8), 1);
  v = _mm512_inserti32x4(v, load(16), 2);
  return V16{_mm512_inserti32x4(v, load(24), 3)};
}
#else
template <class D>
HWY_INLINE hn::Vec<D> LoadEighths(D d, const std::uint16_t* from, std::ptrdiff_t stride) {
  if constexpr (hn::MaxLanes(D()) == 8) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    constexpr std::ptrdiff_t kHalf = hn::MaxLanes(D()) / 2;
    return hn::Combine(d, LoadEighths(half, from + kHalf * stride, stride), LoadEighths(half, from, stride));
  }
}
#endif

void TransposeLinesOfTarget(const std::uint16_t* from, std::ptrdiff_t from_stride, int length,
                            std::uint16_t* to, std::ptrdiff_t to_stride, const std::uint16_t* next) {
  const Tag16 d;
  const hn::Repartition<std::uint32_t, Tag16> d32;
  const hn::Repartition<std::uint64_t, Tag16> d64;
  constexpr int kAhead = 24, kAlignedElements = kAlignment_bytes / 2;
  for (int x = 0; x < length; x += 8, from += 8) {
    if (next != nullptr && x % kAlignedElements == 0) {
      for (int i = 0; i < Lanes16(); ++i) __builtin_prefetch(next + i * from_stride + x, 0, 2);
    }
    V16 line[8];
    for (int i = 0; i < 8; ++i) {
      line[i] = LoadEighths(d, from + i * from_stride, from_stride);
      if (x + kAhead < length) hwy::Prefetch(to + (kAhead + i) * to_stride);
    }
    hn::Vec<decltype(d32)> pairs[8];  // two lines: elements 0 .. 3, 4 .. 7
    for (int i = 0; i < 8; i += 2) {
      pairs[i] = hn::BitCast(d32, hn::InterleaveLower(d, line[i], line[i + 1]));
      pairs[i + 1] = hn::BitCast(d32, hn::InterleaveUpper(d, line[i], line[i + 1]));
    }
    hn::Vec<decltype(d64)> fours[8];  // four lines: elements 0 and 1, 2 and 3, 4 and 5, 6 and 7
    for (int i = 0; i < 8; i += 4) {
      for (int k = 0; k < 2; ++k) {
        fours[i + 2 * k] = hn::BitCast(d64, hn::InterleaveLower(d32, pairs[i + k], pairs[i + 2 + k]));
        fours[i + 2 * k + 1] = hn::BitCast(d64, hn::InterleaveUpper(d32, pairs[i + k], pairs[i + 2 + k]));
      }
    }
    for (int k = 0; k < 4; ++k, to += 2 * to_stride) {
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, fours[k], fours[4 + k])), d, to);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, fours[k], fours[4 + k])), d, to + to_stride);
    }
  }
}
#endif

void StreamLineOfTarget(const std::uint16_t* from, int length, std::uint16_t* to) {
  const Tag16 d;
  for (int i = 0; i < length; i += Lanes16()) hn::Stream(hn::LoadU(d, from + i), d, to + i);
}

}  // namespace
}  // namespace parallax::cpu::ad_census::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu::ad_census {
namespace {

// Fills a table and repeats its last entry.
template <class Table, std::size_t kSize>
void Fill(const std::array<std::uint16_t, kSize>& from, Table& table) {
  table.values.fill(from.back());
  std::copy(from.begin(), from.end(), table.values.begin());
  std::size_t last = kSize - 1;
  while (last > 0 && from[last - 1] == from.back()) --last;
  table.last = static_cast<std::uint16_t>(last);
}

}  // namespace

CostTables::CostTables(const AdCensusTables& tables) : outside_cost(tables.outside_cost) {
  Fill(tables.color_cost, color);
  std::array<std::uint16_t, 256> every_third;
  for (std::size_t i = 0; i < every_third.size(); ++i) every_third[i] = tables.color_cost[3 * i];
  Fill(every_third, gray);
  Fill(tables.census_cost, census);
}

HWY_EXPORT(MatchSliceRowOfTarget);
HWY_EXPORT(SliceScratchBytesOfTarget);
HWY_EXPORT(SumLineOfTarget);
HWY_EXPORT(AverageLineOfTarget);
HWY_EXPORT(TransposeLinesOfTarget);
HWY_EXPORT(StreamLineOfTarget);

void MatchSliceRow(const SliceCostRow& row, std::uint16_t* costs) {
  HWY_DYNAMIC_DISPATCH(MatchSliceRowOfTarget)(row, costs);
}
std::size_t SliceScratchBytes(int length) { return HWY_DYNAMIC_DISPATCH(SliceScratchBytesOfTarget)(length); }
void SumLine(const SliceLine& line, const std::uint16_t* from, std::uint16_t* to, void* scratch) {
  HWY_DYNAMIC_DISPATCH(SumLineOfTarget)(line, from, to, scratch);
}
void AverageLine(const SliceLine& line, AverageOptions options, const std::uint16_t* from,
                 std::uint16_t* sizes, std::uint16_t* to, void* scratch) {
  HWY_DYNAMIC_DISPATCH(AverageLineOfTarget)(line, options, from, sizes, to, scratch);
}
void TransposeLines(const std::uint16_t* from, std::ptrdiff_t from_stride, int length, std::uint16_t* to,
                    std::ptrdiff_t to_stride, const std::uint16_t* next) {
  HWY_DYNAMIC_DISPATCH(TransposeLinesOfTarget)(from, from_stride, length, to, to_stride, next);
}
void StreamLine(const std::uint16_t* from, int length, std::uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(StreamLineOfTarget)(from, length, to);
}

}  // namespace parallax::cpu::ad_census
#endif
