// Sums along the arms of the crosses, as differences of sums from a segment's begin.
//
// A block has a segment of a row or a column, a lane two successive disparities. What the segment's arms can
// reach is added up pixel by pixel: every warp takes equally many pixels and begins with what the warps
// before it have in all. The sums stand in shared memory. Then each warp takes, for every cell of its share
// of the segment, the difference of the sums at the cell's own two ends, however long its arms are. The sums
// wrap around, their differences do not: along one line they stay below 2^16, over a region below 2^23.
#include "cuda/ad_census/cross_aggregation.h"

#include <algorithm>
#include <type_traits>

#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

// What a walk gives: sums along the line; those divided by the size of the region; sums of the spans across
// the line, which are the sizes.
enum class Walk { kSums, kMeans, kSizes };

constexpr int kWarps = 8;
constexpr int kChunk = 4;             // pixels whose results are made together
constexpr int kRowWords = kWarpSize;  // of a pixel's sums in shared memory, a word a lane
static_assert(kRowWords * 4 == kArmStep);

// Sums of both cells of a lane apart, or in one word.
constexpr int PartsOf(Walk walk) { return walk == Walk::kMeans ? 2 : 1; }
// Pixels that a warp adds up. Long segments read less beyond their ends; more blocks hide what each waits
// for.
constexpr int PixelsOf(Walk walk) { return walk == Walk::kMeans ? 25 : 32; }
constexpr int NumPixels(Walk walk) { return kWarps * PixelsOf(walk); }

struct Arguments {
  CostShape shape;
  // Arms along the line, and across it; of the right image's columns in pairs.
  const std::uint32_t *arms_left, *arms_right;
  const std::uint16_t *cross_left, *cross_right;
  const std::uint32_t* from;
  std::uint32_t* to;
  const std::uint32_t* sizes;
  const float* reciprocals;
  int longest;  // arm
  int segment_length;
};

__device__ __forceinline__ std::uint32_t Shorter(std::uint32_t left, std::uint32_t right) {
  return __vminu2(left, right);
}
__device__ __forceinline__ std::uint32_t SpanOf(std::uint32_t reach) {
  return 1 + ((reach & 0xFFFFU) + (reach >> 16)) / kArmStep;
}

// Of a whole number below 2^23, that as a float has the bits kFloatBits more.
constexpr std::uint32_t kFloatBits = 0x4B000000U;
__device__ __forceinline__ float FloatOf(std::uint32_t value_and_bits) {
  return __fsub_rn(__uint_as_float(value_and_bits), 8388608.0F);
}
// 1 / size, correctly rounded, of a region's size (at most 67^2). What one step of Newton makes of the
// approximate reciprocal is within 2^-45 of 1 / size before it is rounded, and no number halfway between two
// floats is nearer to 1 / size than 2^-38 of it.
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

// Arms of the right partners of a lane's two disparities along a row: those of the second one are those that
// the first one had a pixel before.
struct RowPartners {
  static constexpr int kWords = 1;  // that are loaded for a pixel
  const std::uint32_t* row;
  int first, width;               // of pixel 0 at the lane's first disparity; of the row
  int warp_lowest, warp_highest;  // of pixel 0, over the warp
  std::uint32_t before;           // first one's arms of the pixel before

  __device__ __forceinline__ RowPartners(const std::uint32_t* arms, int line, int group, int d,
                                         const CostShape& shape)
      : row(arms + static_cast<std::ptrdiff_t>(line) * shape.width),
        first(-shape.min_disparity - d),
        width(shape.width),
        warp_lowest(-shape.min_disparity - (group + 1) * kGroup),
        warp_highest(-shape.min_disparity - group * kGroup),
        before(0) {}
  __device__ __forceinline__ std::uint32_t At(int i) const {
    const int x = first + i;
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoReach;
  }
  __device__ __forceinline__ void Begin(int i) { before = At(i - 1); }
  // Of pixels i .. i + kChunk - 1.
  __device__ __forceinline__ void Load(int i, std::uint32_t (&loaded)[kChunk][kWords]) const {
    if (i + warp_lowest >= 0 && i + kChunk + warp_highest <= width) {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) loaded[u][0] = row[first + i + u];
    } else {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) loaded[u][0] = At(i + u);
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

// The same along a column, whose partners stay in two columns beside each other. arms: pairs of them.
struct ColumnPartners {
  static constexpr int kWords = 2;
  const std::uint32_t* pairs;
  int row_words;

  __device__ __forceinline__ ColumnPartners(const std::uint32_t* arms, int line, int, int d,
                                            const CostShape& shape)
      : pairs(arms + PairAt(line - shape.min_disparity - d, shape.width, shape.height)),
        row_words(PairedRow(shape.width)) {}
  __device__ __forceinline__ void Begin(int) {}
  __device__ __forceinline__ void LoadOne(int i, std::uint32_t (&loaded)[kWords]) const {
    const uint2 pair = *reinterpret_cast<const uint2*>(pairs + static_cast<std::int64_t>(i) * row_words);
    loaded[0] = pair.y;
    loaded[1] = pair.x;
  }
  __device__ __forceinline__ void Shorten(std::uint32_t left, const std::uint32_t (&loaded)[kWords],
                                          std::uint32_t (&reach)[2]) {
    reach[0] = Shorter(left, loaded[0]);
    reach[1] = Shorter(left, loaded[1]);
  }
};

// The spans across the line at a lane's two disparities, one in each half, from arms of a byte each.
constexpr std::uint32_t kNoArms = 0xFFFF;
__device__ __forceinline__ std::uint32_t SpansOf(std::uint32_t left, std::uint32_t back,
                                                 std::uint32_t ahead) {
  return __vminu2(__byte_perm(left, 0, 0x4040), back) + __vminu2(__byte_perm(left, 0, 0x4141), ahead) +
         0x10001U;
}

// Along a row: the second disparity's partner is the first one's of the pixel before.
struct RowSpans {
  const std::uint16_t* row;
  int first, width;
  std::uint32_t before;

  __device__ __forceinline__ RowSpans(const std::uint16_t* arms, int line, int d, const CostShape& shape)
      : row(arms + static_cast<std::ptrdiff_t>(line) * shape.width),
        first(-shape.min_disparity - d),
        width(shape.width),
        before(0) {}
  __device__ __forceinline__ std::uint32_t At(int i) const {
    const int x = first + i;
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoArms;
  }
  __device__ __forceinline__ void Begin(int i) { before = At(i - 1); }
  __device__ __forceinline__ std::uint32_t Of(int i, std::uint32_t left) {
    const std::uint32_t partner = At(i), both = __byte_perm(partner, before, 0x5410);
    before = partner;
    return SpansOf(left, __byte_perm(both, 0, 0x4240), __byte_perm(both, 0, 0x4341));
  }
};

// Along a column. arms: pairs of them.
struct ColumnSpans {
  const std::uint16_t* pairs;
  int row_arms;

  __device__ __forceinline__ ColumnSpans(const std::uint16_t* arms, int line, int d, const CostShape& shape)
      : pairs(arms + PairAt(line - shape.min_disparity - d, shape.width, shape.height)),
        row_arms(PairedRow(shape.width)) {}
  __device__ __forceinline__ void Begin(int) {}
  __device__ __forceinline__ std::uint32_t Of(int i, std::uint32_t left) const {
    const std::uint32_t both =
        *reinterpret_cast<const std::uint32_t*>(pairs + static_cast<std::int64_t>(i) * row_arms);
    return SpansOf(left, __byte_perm(both, 0, 0x4042), __byte_perm(both, 0, 0x4143));
  }
};

// What the results of a chunk of pixels need.
template <typename Partners>
struct Needed {
  std::uint32_t left[kChunk], right[kChunk][Partners::kWords], size[kChunk];
};

template <Walk kWalk, bool kRows, bool kBoth>
__global__ void __launch_bounds__(kWarpSize* kWarps, 4) CrossKernel(const Arguments a) {
  using Partners = std::conditional_t<kRows, RowPartners, ColumnPartners>;
  constexpr int kParts = PartsOf(kWalk), kPixels = PixelsOf(kWalk);
  constexpr int kPartWords = (kWarps * kPixels + 1) * kRowWords;
  extern __shared__ std::uint32_t sums[];  // of the pixels before `first`, up to it, up to the next, ...
  std::uint32_t* const totals = sums + kParts * kPartWords;  // of the warps
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const CostShape& shape = a.shape;
  const int num_lines = kRows ? shape.height : shape.width, length = kRows ? shape.width : shape.height;
  const auto num_groups = static_cast<unsigned>(shape.num_groups());
  const unsigned item = blockIdx.x / num_groups;
  const int group = static_cast<int>(blockIdx.x % num_groups);
  const int line = static_cast<int>(item % static_cast<unsigned>(num_lines));
  const int begin = static_cast<int>(item / static_cast<unsigned>(num_lines)) * a.segment_length;
  const int end = min(begin + a.segment_length, length);
  if (begin >= end) return;
  // A line's pixels are `step` apart, words of the volumes `word_step`.
  const int step = kRows ? 1 : shape.width, word_step = step * (shape.padded / 2);
  const std::ptrdiff_t origin = kRows ? static_cast<std::ptrdiff_t>(line) * shape.width : line;
  const int d = group * kGroup + 2 * lane;
  const std::ptrdiff_t word = origin * (shape.padded / 2) + d / 2;
  const int first = begin - a.longest, last = min(end + a.longest, length);

  std::uint32_t values[kPixels];
  {
    const int t = first + warp * kPixels;
    const std::uint32_t* const from = a.from + word + static_cast<std::int64_t>(t) * word_step;
    const std::uint16_t* const across = a.cross_left + origin + static_cast<std::int64_t>(t) * step;
    std::conditional_t<kRows, RowSpans, ColumnSpans> spans(a.cross_right, line, d, shape);
    if constexpr (kWalk == Walk::kSizes) spans.Begin(t);
    const bool is_whole = t >= 0 && t + kPixels <= last;
    const auto load = [&](int i) {
      if constexpr (kWalk == Walk::kSizes) {
        return spans.Of(t + i, across[i * step]);
      } else {
        return from[i * word_step];
      }
    };
    if (is_whole) {
#pragma unroll
      for (int i = 0; i < kPixels; ++i) values[i] = load(i);
    } else {
#pragma unroll
      for (int i = 0; i < kPixels; ++i) {
        values[i] = 0;
        if (kWalk == Walk::kSizes && t + i == 0) spans.Begin(0);
        if (t + i >= 0 && t + i < last) values[i] = load(i);
      }
    }
  }
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
    totals[(part * kWarps + warp) * kRowWords + lane] = sum[part];
    sum[part] = 0;
    if (warp == 0) sums[part * kPartWords + lane] = 0;
  }

  // The first results' needs are on their way meanwhile.
  const int share = (a.segment_length + kWarps * kChunk - 1) / (kWarps * kChunk) * kChunk;
  const int results = begin + warp * share, results_end = min(results + share, end);
  const std::uint32_t* const arms = a.arms_left + origin;
  Partners partners(a.arms_right, line, group, d, shape);
  const auto load_needed = [&](int o, Needed<Partners>& needed) {
    const std::uint32_t* const own = arms + static_cast<std::int64_t>(o) * step;
    const std::uint32_t* const of_region = a.sizes + word + static_cast<std::int64_t>(o) * word_step;
    const float* const over_region = a.reciprocals + origin + static_cast<std::int64_t>(o) * step;
    const auto load = [&](int u) {
      needed.left[u] = own[u * step];
      if constexpr (kBoth && !kRows) partners.LoadOne(o + u, needed.right[u]);
      if constexpr (kWalk == Walk::kMeans && kBoth) needed.size[u] = of_region[u * word_step];
      if constexpr (kWalk == Walk::kMeans && !kBoth) needed.size[u] = __float_as_uint(over_region[u * step]);
    };
    if constexpr (kBoth && kRows) partners.Load(o, needed.right);
    if (o + kChunk <= results_end) {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) load(u);
    } else {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        if (o + u < results_end) load(u);
      }
    }
  };
  Needed<Partners> next_needed{};
  if (results < results_end) {
    if constexpr (kBoth) partners.Begin(results);
    load_needed(results, next_needed);
  }
  __syncthreads();
#pragma unroll
  for (int before = 0; before + 1 < kWarps; ++before) {
    if (before >= warp) break;
#pragma unroll
    for (int part = 0; part < kParts; ++part)
      sum[part] += totals[(part * kWarps + before) * kRowWords + lane];
  }
  std::uint32_t* const own_sums = sums + (warp * kPixels + 1) * kRowWords + lane;
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    add(values[i], sum);
#pragma unroll
    for (int part = 0; part < kParts; ++part) own_sums[part * kPartWords + i * kRowWords] = sum[part];
  }
  __syncthreads();

#pragma unroll 1
  for (int o = results; o < results_end; o += kChunk) {
    const Needed<Partners> needed = next_needed;
    if (o + kChunk < results_end) load_needed(o + kChunk, next_needed);
    const unsigned char* const here = reinterpret_cast<const unsigned char*>(sums + lane) +
                                      (o - first + 1) * kArmStep;  // sums up to pixel o
    std::uint32_t* const to = a.to + word + static_cast<std::int64_t>(o) * word_step;
    // What was added up between the ends of the arms around pixel o + u.
    const auto between = [&](int u, std::uint32_t reach, int part) {
      const auto at = [&](const unsigned char* where) {
        return *reinterpret_cast<const std::uint32_t*>(where + u * kArmStep + part * kPartWords * 4);
      };
      return at(here + (reach >> 16)) - at(here - kArmStep - static_cast<int>(reach & 0xFFFFU));
    };
    const auto result = [&](int u) {
      const std::uint32_t left = needed.left[u];
      std::uint32_t reach[2] = {left, left};
      if constexpr (kBoth) partners.Shorten(left, needed.right[u], reach);
      if constexpr (kWalk == Walk::kMeans) {
        const std::uint32_t size = needed.size[u];
        const float of_low =
            kBoth ? ReciprocalOf(__byte_perm(size, kFloatBits, 0x7610)) : __uint_as_float(size);
        const float of_high = kBoth ? ReciprocalOf(__byte_perm(size, kFloatBits, 0x7632)) : of_low;
        return __byte_perm(MeanOf(between(u, reach[0], 0) + kFloatBits, of_low),
                           MeanOf(between(u, reach[1], 1) + kFloatBits, of_high), 0x5410);
      } else if constexpr (kBoth) {
        return __byte_perm(between(u, reach[0], 0), between(u, reach[1], 0), 0x7610);
      } else {
        return between(u, left, 0);
      }
    };
    if (o + kChunk <= results_end) {
      std::uint32_t made[kChunk];
#pragma unroll
      for (int u = 0; u < kChunk; ++u) made[u] = result(u);
#pragma unroll
      for (int u = 0; u < kChunk; ++u) to[u * word_step] = made[u];
    } else {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        if (o + u < results_end) to[u * word_step] = result(u);
      }
    }
  }
}

// Of the left crosses alone: the reciprocals of the regions' sizes.
template <bool kRowsFirst>
__global__ void ReciprocalKernel(const std::uint32_t* row_arms, const std::uint32_t* column_arms, int width,
                                 int height, float* reciprocals) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(y) * width + x;
  const std::uint32_t* const along = kRowsFirst ? column_arms : row_arms;
  const std::uint32_t* const across = kRowsFirst ? row_arms : column_arms;
  const std::ptrdiff_t step = kRowsFirst ? width : 1;
  const int back = static_cast<int>(along[pixel] & 0xFFFFU) / kArmStep,
            ahead = static_cast<int>(along[pixel] >> 16) / kArmStep;
  std::uint32_t size = 0;
  for (int k = -back; k <= ahead; ++k) size += SpanOf(across[pixel + k * step]);
  reciprocals[pixel] = __frcp_rn(static_cast<float>(size));
}

template <Walk kWalk, bool kRows, bool kBoth>
void Launch(Arguments a, cudaStream_t stream) {
  const CostShape& shape = a.shape;
  constexpr int kSharedBytes =
      PartsOf(kWalk) * (NumPixels(kWalk) + 1 + kWarps) * kRowWords * static_cast<int>(sizeof(std::uint32_t));
  const int num_lines = kRows ? shape.height : shape.width, length = kRows ? shape.width : shape.height;
  const int longest_segment = NumPixels(kWalk) - 2 * a.longest;
  const int num_segments = (length + longest_segment - 1) / longest_segment;
  a.segment_length = (length + num_segments - 1) / num_segments;
  Check(cudaFuncSetAttribute(CrossKernel<kWalk, kRows, kBoth>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes),
        "cudaFuncSetAttribute");
  const auto num_blocks = static_cast<unsigned>(num_lines) * static_cast<unsigned>(shape.num_groups()) *
                          static_cast<unsigned>(num_segments);
  CrossKernel<kWalk, kRows, kBoth><<<num_blocks, dim3(kWarpSize, kWarps), kSharedBytes, stream>>>(a);
  CheckLaunch("CrossKernel");
}

template <Walk kWalk>
void LaunchAlong(bool rows, bool both, const Arguments& a, cudaStream_t stream) {
  if constexpr (kWalk == Walk::kSizes) {
    return rows ? Launch<kWalk, true, true>(a, stream) : Launch<kWalk, false, true>(a, stream);
  } else {
    if (both) return rows ? Launch<kWalk, true, true>(a, stream) : Launch<kWalk, false, true>(a, stream);
    return rows ? Launch<kWalk, true, false>(a, stream) : Launch<kWalk, false, false>(a, stream);
  }
}

}  // namespace

void AggregateOverCrosses(const Views& views, const CostShape& shape, const AdCensusParameters& parameters,
                          std::uint16_t* costs, std::uint16_t* other, const RegionSizes& sizes,
                          SizesBeside& beside, cudaStream_t stream) {
  const bool both = parameters.support == SupportRegion::kBoth;
  Arguments along_rows{};
  along_rows.shape = shape;
  along_rows.longest = std::min(parameters.arm_length, kMaxArmSpan_px / 2 + 1) - 1;
  Arguments along_columns = along_rows;
  const auto set_arms = [&](Arguments& a, bool rows) {
    a.arms_left = rows ? views.left.row_reach : views.left.column_reach;
    a.arms_right = rows ? views.right.row_reach : views.right.column_reach_pairs;
    a.cross_left = rows ? views.left.column_arms : views.left.row_arms;
    a.cross_right = rows ? views.right.column_arms : views.right.row_arm_pairs;
  };
  set_arms(along_rows, true);
  set_arms(along_columns, false);
  const int num_orders = std::min(parameters.iterations, 2);
  if (num_orders > 0) {
    beside.begun.Record(stream);
    Check(cudaStreamWaitEvent(beside.stream.get(), beside.begun.get()), "cudaStreamWaitEvent");
  }
  for (int i = 0; i < num_orders; ++i) {
    const bool rows_first = i == 0;
    if (both) {
      Arguments a = rows_first ? along_columns : along_rows;
      a.to = reinterpret_cast<std::uint32_t*>(sizes.volumes[i]);
      LaunchAlong<Walk::kSizes>(!rows_first, true, a, beside.stream.get());
    } else {
      const dim3 block(32, 8),
          grid(static_cast<unsigned>((shape.width + 31) / 32), static_cast<unsigned>((shape.height + 7) / 8));
      (rows_first ? ReciprocalKernel<true>
                  : ReciprocalKernel<false>)<<<grid, block, 0, beside.stream.get()>>>(
          views.left.row_reach, views.left.column_reach, shape.width, shape.height, sizes.reciprocals[i]);
      CheckLaunch("ReciprocalKernel");
    }
    beside.made[i].Record(beside.stream.get());
  }
  for (int i = 0; i < parameters.iterations; ++i) {
    const bool rows_first = i % 2 == 0;
    Arguments sums = rows_first ? along_rows : along_columns, means = rows_first ? along_columns : along_rows;
    sums.from = reinterpret_cast<const std::uint32_t*>(costs);
    sums.to = reinterpret_cast<std::uint32_t*>(other);
    means.from = reinterpret_cast<const std::uint32_t*>(other);
    means.to = reinterpret_cast<std::uint32_t*>(costs);
    means.sizes = reinterpret_cast<const std::uint32_t*>(sizes.volumes[i % 2]);
    means.reciprocals = sizes.reciprocals[i % 2];
    LaunchAlong<Walk::kSums>(rows_first, both, sums, stream);
    if (i < num_orders) Check(cudaStreamWaitEvent(stream, beside.made[i].get()), "cudaStreamWaitEvent");
    LaunchAlong<Walk::kMeans>(!rows_first, both, means, stream);
  }
}

}  // namespace parallax::cuda::ad_census
