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
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(from) +
                              static_cast<std::uint64_t>(static_cast<std::uint32_t>(steps)) * step_bytes);
}

constexpr int kSlotWords = kWarpSize;  // of a pixel's sums in shared memory: one word for each lane
static_assert(kSlotWords * 4 == kArmStep);

struct CrossArguments {
  CostShape shape;
  // Arms along the line and across it; the right image's columns in pairs.
  const std::uint32_t *arms_left, *arms_right;
  const std::uint16_t *cross_left, *cross_right;
  const std::uint32_t* from;
  std::uint32_t* to;
  const std::uint32_t* sizes;
  const float* reciprocals;
  int longest;  // arm
  int segment_length;
};

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
  const auto num_groups = static_cast<unsigned>(shape.num_groups());
  const auto num_lines = static_cast<unsigned>(kRows ? shape.height : shape.width);
  const unsigned item = blockIdx.x / num_groups;
  Segment s;
  s.group = static_cast<int>(blockIdx.x % num_groups);
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
__device__ __forceinline__ std::uint32_t SpanOf(std::uint32_t reach) {
  return 1 + ((reach & 0xFFFFU) + (reach >> 16)) / kArmStep;
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
  static constexpr int kWords = 1;  // that are loaded for a pixel
  const std::uint32_t* row;
  int first, width;               // of pixel 0 at the lane's first disparity; of the row
  int warp_lowest, warp_highest;  // of pixel 0, over the warp
  std::uint32_t before;           // the first one's arms at the previous pixel

  // i: pixel 0 of the loaded ones.
  __device__ __forceinline__ RowPartners(const std::uint32_t* arms, int line, int i, int group, int d,
                                         const CostShape& shape)
      : row(arms + static_cast<std::ptrdiff_t>(line) * shape.width),
        first(i - shape.min_disparity - d),
        width(shape.width),
        warp_lowest(i - shape.min_disparity - (group + 1) * kGroup),
        warp_highest(i - shape.min_disparity - group * kGroup),
        before(At(-1)) {}
  __device__ __forceinline__ std::uint32_t At(int i) const {
    const int x = first + i;
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoReach;
  }
  // Loads the words for pixels i .. i + kCount - 1.
  template <int kCount>
  __device__ __forceinline__ void Load(int i, int, std::uint32_t (&loaded)[kCount][kWords]) const {
    if (i + warp_lowest >= 0 && i + kCount + warp_highest <= width) {
#pragma unroll
      for (int u = 0; u < kCount; ++u) loaded[u][0] = row[first + i + u];
    } else {
#pragma unroll
      for (int u = 0; u < kCount; ++u) loaded[u][0] = At(i + u);
    }
  }
  // The shorter arms at both disparities, pixel by pixel.
  __device__ __forceinline__ void Shorten(std::uint32_t left, const std::uint32_t (&loaded)[kWords],
                                          std::uint32_t (&reach)[2]) {
    reach[0] = Shorter(left, loaded[0]);
    reach[1] = Shorter(left, before);
    before = loaded[0];
  }
};

// The same along a column, whose partners stay in two adjacent columns. arms: pairs of them.
struct ColumnPartners {
  static constexpr int kWords = 2;
  const std::uint32_t* pairs;
  std::uint32_t row_bytes;

  // i: pixel 0 of the loaded ones.
  __device__ __forceinline__ ColumnPartners(const std::uint32_t* arms, int line, int i, int, int d,
                                            const CostShape& shape)
      : pairs(arms + PairAt(line - shape.min_disparity - d, shape.width, shape.height) +
              static_cast<std::int64_t>(i) * PairedRow(shape.width)),
        row_bytes(static_cast<std::uint32_t>(PairedRow(shape.width)) * 4U) {}
  template <int kCount>
  __device__ __forceinline__ void Load(int i, int room, std::uint32_t (&loaded)[kCount][kWords]) const {
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      if (u >= room) break;
      const uint2 pair = *reinterpret_cast<const uint2*>(Ahead(pairs, i + u, row_bytes));
      loaded[u][0] = pair.y;
      loaded[u][1] = pair.x;
    }
  }
  __device__ __forceinline__ void Shorten(std::uint32_t left, const std::uint32_t (&loaded)[kWords],
                                          std::uint32_t (&reach)[2]) {
    reach[0] = Shorter(left, loaded[0]);
    reach[1] = Shorter(left, loaded[1]);
  }
};

constexpr std::uint32_t kNoArms = 0xFFFF;
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

// Arms around some pixels of a line, and the divisors of their means.
template <bool kRows, bool kBoth>
class Surroundings {
 public:
  using Partners = std::conditional_t<kRows, RowPartners, ColumnPartners>;
  template <int kCount>
  struct Of {
    std::uint32_t left[kCount], right[kCount][Partners::kWords];
  };

  // Begins at pixel o.
  __device__ __forceinline__ Surroundings(const CrossArguments& a, const Segment& s, int o)
      : partners_(a.arms_right, s.line, o, s.group, s.d, a.shape),
        arms_(a.arms_left + s.origin + static_cast<std::int64_t>(o) * s.step),
        sizes_(Ahead(a.sizes + s.word, o, s.word_step_bytes)),
        reciprocals_(a.reciprocals + s.origin + static_cast<std::int64_t>(o) * s.step),
        step_bytes_(kRows ? 4U : static_cast<std::uint32_t>(s.step) * 4U),
        word_step_bytes_(s.word_step_bytes) {}
  // Loads pixels o + i .. o + i + kCount - 1, of which the line has `room`.
  template <int kCount>
  __device__ __forceinline__ void Load(int i, int room, Of<kCount>& of) const {
    if constexpr (kBoth) partners_.Load(i, room, of.right);
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      if (u >= room) break;
      of.left[u] = *Ahead(arms_, i + u, step_bytes_);
    }
  }
  // The divisors of the sums of pixels o .. o + count - 1.
  template <int kMost>
  __device__ __forceinline__ void LoadDivisors(int count, std::uint32_t (&divisors)[kMost]) const {
    const auto load = [&](int i) {
      return kBoth ? *Ahead(sizes_, i, word_step_bytes_)
                   : __float_as_uint(*Ahead(reciprocals_, i, step_bytes_));
    };
    if (count >= kMost) {
#pragma unroll
      for (int i = 0; i < kMost; ++i) divisors[i] = load(i);
    } else {
#pragma unroll
      for (int i = 0; i < kMost; ++i) divisors[i] = i < count ? load(i) : 0;
    }
  }
  // The arms of pixel u at each of the two disparities; with kBoth, cut to those of its partner.
  template <int kCount>
  __device__ __forceinline__ void Shorten(const Of<kCount>& of, int u, std::uint32_t (&reach)[2]) {
    reach[0] = reach[1] = of.left[u];
    if constexpr (kBoth) partners_.Shorten(of.left[u], of.right[u], reach);
  }

 private:
  Partners partners_;
  const std::uint32_t *arms_, *sizes_;
  const float* reciprocals_;
  std::uint32_t step_bytes_, word_step_bytes_;
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

// Adds up the values of the block's warps, kPixels each: slot 1 + kPixels w + i holds the sum up to value i
// of warp w, slot 0 is 0. Two parts: sums of the low halves, then those of the high ones. One: of both in a
// word, whose carries from the low half to the high one cancel out in differences. meanwhile() is called once
// the values are no longer needed.
template <int kParts, int kWarps, int kPixels, typename Meanwhile>
__device__ __forceinline__ void AddUp(const std::uint32_t (&values)[kPixels], std::uint32_t* sums,
                                      std::uint32_t* totals, const Meanwhile& meanwhile) {
  constexpr int kPartWords = Slots<kWarps, kPixels>::kPartWords;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const auto add = [](std::uint32_t value, std::uint32_t(&to)[kParts]) {
    if constexpr (kParts == 2) {
      to[0] += value & 0xFFFFU;
      to[1] += value >> 16;
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

// The sum between the ends of the arms around the pixel of a slot.
__device__ __forceinline__ std::uint32_t Between(const unsigned char* slot, std::uint32_t reach) {
  const auto at = [](const unsigned char* where) { return *reinterpret_cast<const std::uint32_t*>(where); };
  return at(slot + (reach >> 16)) - at(slot - kArmStep - static_cast<int>(reach & 0xFFFFU));
}

}  // namespace parallax::cuda::ad_census
