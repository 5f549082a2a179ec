// The parts of the sums along the arms of the crosses: a block's place, the arms at a lane's two disparities,
// sums in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/ad_census/cost_shape.h"
#include "cuda/ad_census/cuda_ad_census_views.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda::ad_census {

// The pointer moved ahead by steps * step_bytes bytes, in one instruction.
template <typename T>
__device__ __forceinline__ T* Ahead(T* from, int steps, std::uint32_t step_bytes) {
  using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(from) +
                              static_cast<std::uint64_t>(static_cast<std::uint32_t>(steps)) * step_bytes);
}

constexpr int kSlotWords = kWarpSize;  // of a pixel's sums in shared memory: one word for each lane
constexpr int kSlotBytes = kSlotWords * 4;

struct CrossArguments {
  CostShape shape;
  int first_group, num_groups;  // of disparities that the kernel computes
  // Arms along the line and across it; the right image's in pairs along columns.
  const std::uint16_t *arms_left, *arms_right, *cross_left, *cross_right;
  const std::uint32_t* from;
  std::uint32_t* to;
  const std::uint32_t* sizes;
  const float* reciprocals;
  int longest;  // arm
  int segment_length;
};

// The warp's number; after the shuffle the compiler knows that all lanes have the same.
__device__ __forceinline__ int Warp() { return __shfl_sync(kFullWarp, static_cast<int>(threadIdx.y), 0); }

// The place of a block and of one of its lanes.
struct Segment {
  int line, group, d;             // d: the lane's first disparity
  int begin, end, length;         // pixels whose results the block computes; of the line
  int step;                       // from one pixel of the line to the next
  std::uint32_t word_step_bytes;  // the same of volumes
  std::ptrdiff_t origin, word;    // of the line's pixel 0

  __device__ __forceinline__ int First(int reach) const { return max(begin - reach, 0); }
  __device__ __forceinline__ int Last(int reach) const { return min(end + reach, length); }
};

template <bool kRows>
__device__ __forceinline__ Segment SegmentOfBlock(const CrossArguments& a) {
  const CostShape& shape = a.shape;
  const auto num_groups = static_cast<unsigned>(a.num_groups);
  const auto num_lines = static_cast<unsigned>(kRows ? shape.height : shape.width);
  // A kernel along columns begins where the one along rows has ended, where the cache still has its results.
  const unsigned block = kRows ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
  const unsigned item = block / num_groups;
  Segment s;
  s.group = a.first_group + static_cast<int>(block % num_groups);
  s.line = static_cast<int>(item % num_lines);
  s.length = kRows ? shape.width : shape.height;
  s.begin = static_cast<int>(item / num_lines) * a.segment_length;
  s.end = min(s.begin + a.segment_length, s.length);
  s.d = s.group * kGroup + 2 * static_cast<int>(threadIdx.x);
  s.step = kRows ? 1 : shape.width;
  s.word_step_bytes = static_cast<std::uint32_t>(s.step) * static_cast<std::uint32_t>(shape.padded) * 2;
  s.origin = kRows ? static_cast<std::ptrdiff_t>(s.line) * shape.width : s.line;
  s.word = s.origin * (shape.padded / 2) + s.d / 2;
  return s;
}

__device__ __forceinline__ std::uint32_t Shorter(std::uint32_t left, std::uint32_t right) {
  return __vminu2(left, right);
}
// One arm in each half, from bytes 0 and 1, or 2 and 3.
__device__ __forceinline__ std::uint32_t LowArms(std::uint32_t arms) { return __byte_perm(arms, 0, 0x4140); }
__device__ __forceinline__ std::uint32_t HighArms(std::uint32_t arms) { return __byte_perm(arms, 0, 0x4342); }
__device__ __forceinline__ std::uint32_t SpanOf(std::uint32_t arms) {
  return 1 + (arms & 0xFFU) + (arms >> 8);
}

// FloatOf: the float of a whole number below 2^23, which is passed with kFloatBits added.
constexpr std::uint32_t kFloatBits = 0x4B000000U;
__device__ __forceinline__ float FloatOf(std::uint32_t value_and_bits) {
  return __fsub_rn(__uint_as_float(value_and_bits), 8388608.0F);
}
// 1 / size, correctly rounded, for a region's size (at most 67^2). One Newton step from the approximate
// reciprocal is within 2^-45 of 1 / size before rounding. No number halfway between two floats is nearer to 1
// / size than 2^-38 of it.
__device__ __forceinline__ float ReciprocalOf(std::uint32_t size_and_bits) {
  const float n = FloatOf(size_and_bits);
  float approximate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(approximate) : "f"(n));
  return __fmaf_rn(approximate, __fmaf_rn(-n, approximate, 1.0F), approximate);
}
// The nearest integer, halves to even, of sum / size as docs/matching.md rounds it, in the low half.
__device__ __forceinline__ std::uint32_t MeanOf(std::uint32_t sum_and_bits, float reciprocal) {
  return __float_as_uint(__fadd_rn(__fmul_rn(FloatOf(sum_and_bits), reciprocal), 8388608.0F));
}

// Arms of the right partners of a lane's two disparities along a row. The second disparity's arms are the
// first one's at the previous pixel.
struct RowPartners {
  const std::uint16_t* row;
  int first, width;               // of pixel 0 at the lane's first disparity; of the row
  int warp_lowest, warp_highest;  // of pixel 0, over the warp
  std::uint32_t before;           // the first one's arms at the previous pixel

  // i: pixel 0 of the loaded ones.
  __device__ __forceinline__ RowPartners(const std::uint16_t* arms, int line, int i, int group, int d,
                                         const CostShape& shape)
      : row(arms + static_cast<std::ptrdiff_t>(line) * shape.width),
        first(i - shape.min_disparity - d),
        width(shape.width),
        warp_lowest(i - shape.min_disparity - (group + 1) * kGroup),
        warp_highest(i - shape.min_disparity - group * kGroup),
        before(LowArms(At(-1))) {}
  __device__ __forceinline__ std::uint32_t At(int i) const {
    const int x = first + i;
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoArms;
  }
  // Whether the partners of pixels 0 .. count - 1 are inside, over the warp.
  __device__ __forceinline__ bool AreInside(int count) const {
    return warp_lowest >= 0 && count + warp_highest <= width;
  }
  // The word of pixel i. kWhole: it is inside.
  template <bool kWhole>
  __device__ __forceinline__ std::uint32_t Load(int i) const {
    return kWhole ? row[first + i] : At(i);
  }
  // The shorter arms at both disparities, pixel by pixel.
  __device__ __forceinline__ void Shorten(std::uint32_t left, std::uint32_t loaded,
                                          std::uint32_t (&reach)[2]) {
    const std::uint32_t arms = LowArms(loaded);
    reach[0] = Shorter(left, arms);
    reach[1] = Shorter(left, before);
    before = arms;
  }
};

// The same along a column, whose partners stay in two adjacent columns. arms: pairs of them.
struct ColumnPartners {
  const std::uint16_t* pairs;
  std::uint32_t row_bytes;

  // i: pixel 0 of the loaded ones.
  __device__ __forceinline__ ColumnPartners(const std::uint16_t* arms, int line, int i, int, int d,
                                            const CostShape& shape)
      : pairs(arms + PairAt(line - shape.min_disparity - d, shape.width, shape.height) +
              static_cast<std::int64_t>(i) * PairedRow(shape.width)),
        row_bytes(static_cast<std::uint32_t>(PairedRow(shape.width)) * 2U) {}
  __device__ __forceinline__ bool AreInside(int) const { return true; }
  template <bool kWhole>
  __device__ __forceinline__ std::uint32_t Load(int i) const {
    return *reinterpret_cast<const std::uint32_t*>(Ahead(pairs, i, row_bytes));
  }
  __device__ __forceinline__ void Shorten(std::uint32_t left, std::uint32_t loaded,
                                          std::uint32_t (&reach)[2]) {
    reach[0] = Shorter(left, HighArms(loaded));
    reach[1] = Shorter(left, LowArms(loaded));
  }
};

// The spans across the line at a lane's two disparities, one in each half, from arms of a byte each.
__device__ __forceinline__ std::uint32_t SpansOf(std::uint32_t left, std::uint32_t back,
                                                 std::uint32_t ahead) {
  return __vminu2(__byte_perm(left, 0, 0x4040), back) + __vminu2(__byte_perm(left, 0, 0x4141), ahead) +
         0x10001U;
}

// Along a row: the second disparity's partner is the first one's at the previous pixel.
struct RowSpans {
  const std::uint16_t* row;
  int first, width;
  std::uint32_t before;

  // i: pixel 0 of the loaded ones, pixel by pixel.
  __device__ __forceinline__ RowSpans(const std::uint16_t* arms, int line, int i, int d,
                                      const CostShape& shape)
      : row(arms + static_cast<std::ptrdiff_t>(line) * shape.width),
        first(i - shape.min_disparity - d),
        width(shape.width),
        before(At(-1)) {}
  __device__ __forceinline__ std::uint32_t At(int i) const {
    const int x = first + i;
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoArms;
  }
  __device__ __forceinline__ std::uint32_t Of(int i, std::uint32_t left) {
    const std::uint32_t partner = At(i), both = __byte_perm(partner, before, 0x5410);
    before = partner;
    return SpansOf(left, __byte_perm(both, 0, 0x4240), __byte_perm(both, 0, 0x4341));
  }
};

// Along a column. arms: pairs of them.
struct ColumnSpans {
  const std::uint16_t* pairs;
  std::uint32_t row_bytes;

  // i: pixel 0 of the loaded ones.
  __device__ __forceinline__ ColumnSpans(const std::uint16_t* arms, int line, int i, int d,
                                         const CostShape& shape)
      : pairs(arms + PairAt(line - shape.min_disparity - d, shape.width, shape.height) +
              static_cast<std::int64_t>(i) * PairedRow(shape.width)),
        row_bytes(static_cast<std::uint32_t>(PairedRow(shape.width)) * 2U) {}
  __device__ __forceinline__ std::uint32_t Of(int i, std::uint32_t left) const {
    const std::uint32_t both = *reinterpret_cast<const std::uint32_t*>(Ahead(pairs, i, row_bytes));
    return SpansOf(left, __byte_perm(both, 0, 0x4042), __byte_perm(both, 0, 0x4143));
  }
};

// Arms around some pixels of a line, at most one for each lane, and the divisors of their means.
template <bool kRows, bool kBoth>
class Surroundings {
 public:
  static constexpr bool kOfBoth = kBoth;
  using Partners = std::conditional_t<kRows, RowPartners, ColumnPartners>;
  // Of pixels o .. o + count - 1.
  __device__ __forceinline__ Surroundings(const CrossArguments& a, const Segment& s, int o, int count)
      : partners_(a.arms_right, s.line, o, s.group, s.d, a.shape),
        left_(0),
        sizes_(Ahead(a.sizes + s.word, o, s.word_step_bytes)),
        reciprocals_(a.reciprocals + s.origin + static_cast<std::int64_t>(o) * s.step),
        step_bytes_(kRows ? 4U : static_cast<std::uint32_t>(s.step) * 4U),
        word_step_bytes_(s.word_step_bytes),
        count_(count) {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane < count) left_ = LowArms(a.arms_left[s.origin + static_cast<std::int64_t>(o + lane) * s.step]);
  }
  // Whether kMost pixels can be loaded without looking whether they exist.
  template <int kMost>
  __device__ __forceinline__ bool IsWhole() const {
    return count_ >= kMost && (!kBoth || partners_.AreInside(kMost));
  }
  // What belongs to the partners of pixels o + i .. o + i + kCount - 1.
  template <bool kWhole, int kCount>
  __device__ __forceinline__ void Load(int i, std::uint32_t (&of)[kCount]) const {
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      if (!kBoth || (!kWhole && i + u >= count_)) break;
      of[u] = partners_.template Load<kWhole>(i + u);
    }
  }
  // Brings the sizes into the second-level cache.
  __device__ __forceinline__ void PrefetchDivisors() const {
    if constexpr (!kBoth) return;
    constexpr int kLanesOfPixel = 4;  // one for each sector of 32 bytes
    const int lane = static_cast<int>(threadIdx.x);
    const std::uint32_t* const sectors = sizes_ - lane + lane % kLanesOfPixel * 8;
    for (int i = lane / kLanesOfPixel; i < count_; i += kWarpSize / kLanesOfPixel)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(Ahead(sectors, i, word_step_bytes_)));
  }
  template <int kMost>
  __device__ __forceinline__ void LoadDivisors(std::uint32_t (&divisors)[kMost]) const {
    const auto load = [&](int i) {
      return kBoth ? *Ahead(sizes_, i, word_step_bytes_)
                   : __float_as_uint(*Ahead(reciprocals_, i, step_bytes_));
    };
    if (count_ >= kMost) {
#pragma unroll
      for (int i = 0; i < kMost; ++i) divisors[i] = load(i);
    } else {
#pragma unroll
      for (int i = 0; i < kMost; ++i) divisors[i] = i < count_ ? load(i) : 0;
    }
  }
  // The arms of pixel o + i at each of the two disparities; with kBoth, cut to those of its partner.
  __device__ __forceinline__ void Shorten(int i, std::uint32_t of, std::uint32_t (&reach)[2]) {
    const std::uint32_t left = __shfl_sync(kFullWarp, left_, i);
    reach[0] = reach[1] = left;
    if constexpr (kBoth) partners_.Shorten(left, of, reach);
  }

 private:
  Partners partners_;
  std::uint32_t left_;  // arms of pixel o + lane
  const std::uint32_t* sizes_;
  const float* reciprocals_;
  std::uint32_t step_bytes_, word_step_bytes_;
  int count_;
};

// Sums in shared memory, kParts times: a slot for each pixel and one before them, with one word for each
// lane.
template <int kWarps, int kPixels>
struct Slots {
  static constexpr int kPixelsOfBlock = kWarps * kPixels;
  static constexpr int kPartWords = (kPixelsOfBlock + 1) * kSlotWords;
  static constexpr int SharedBytes(int parts) {
    return parts * (kPartWords + kWarps * kSlotWords) * static_cast<int>(sizeof(std::uint32_t));
  }
};

// The byte of pixel's slot in the sums of a block that begin with pixel `first`.
__device__ __forceinline__ int SlotOf(int pixel, int first) {
  return (pixel - first + 1) * kSlotBytes + static_cast<int>(threadIdx.x) * 4;
}

// Adds up the values of the block's warps, kPixels each: slot 1 + kPixels w + i holds the sum up to value i
// of warp w, slot 0 is 0. Two parts: sums of the low halves, then those of the high ones. One: of both in a
// word, whose carries from the low half to the high one cancel out in differences. meanwhile() is called once
// the values are no longer needed.
template <int kParts, int kWarps, int kPixels, typename Meanwhile>
__device__ __forceinline__ void AddUp(const std::uint32_t (&values)[kPixels], std::uint32_t* sums,
                                      std::uint32_t* totals, const Meanwhile& meanwhile) {
  constexpr int kPartWords = Slots<kWarps, kPixels>::kPartWords;
  const int lane = static_cast<int>(threadIdx.x), warp = Warp();
  const auto add = [](std::uint32_t value, std::uint32_t(&to)[kParts]) {
    if constexpr (kParts == 2) {
      to[0] = __dp2a_lo(value, 0x0001U, to[0]);
      to[1] = __dp2a_lo(value, 0x0100U, to[1]);
    } else {
      to[0] += value;
    }
  };
  std::uint32_t sum[kParts] = {};
#pragma unroll
  for (int i = 0; i < kPixels; ++i) add(values[i], sum);
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    totals[(part * kWarps + warp) * kSlotWords + lane] = sum[part];
    sum[part] = 0;
  }
  __syncthreads();  // all threads have finished with the earlier sums
#pragma unroll
  for (int before = 0; before + 1 < kWarps; ++before) {
    if (before >= warp) break;
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      sum[part] += totals[(part * kWarps + before) * kSlotWords + lane];
  }
  std::uint32_t* const own = sums + (warp * kPixels + 1) * kSlotWords + lane;
#pragma unroll
  for (int part = 0; part < kParts; ++part) {
    if (warp == 0) sums[part * kPartWords + lane] = 0;
  }
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    add(values[i], sum);
#pragma unroll
    for (int part = 0; part < kParts; ++part) own[part * kPartWords + i * kSlotWords] = sum[part];
  }
  meanwhile();
  __syncthreads();
}

// The sum between the ends of the arms around the pixel of a slot, `offset` bytes behind byte `slot` of the
// sums. Instructions for scalar products find both ends.
__device__ __forceinline__ std::uint32_t Between(const std::uint32_t* sums, int slot, int offset,
                                                 std::uint32_t reach) {
  static_assert(kSlotBytes == 128);
  const auto at = [&](int place) {
    return *reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const unsigned char*>(sums) + place);
  };
  const auto end = static_cast<int>(__dp2a_lo(reach, 0x8000U, static_cast<unsigned>(slot)));  // + 128 * ahead
  const int begin = __dp2a_lo(static_cast<int>(reach), 0x0080, slot);                         // - 128 * back
  return at(end + offset) - at(begin + offset - kSlotBytes);
}

}  // namespace parallax::cuda::ad_census
