// Sums along the arms of the crosses, as differences of sums from a line's begin.
//
// A warp follows a segment of a row or a column, a lane has two successive disparities. It adds up what it
// reads and keeps the last sums in a ring in shared memory; an arm's length behind, it takes for each of its
// two cells the difference of the sums at the cell's own two ends. No lane looks at another's ring, so
// nothing is waited for. The sums wrap around, their differences do not: along one line they stay below
// 2^16, over a region below 2^23.
#include "cuda/ad_census/cross_aggregation.h"

#include <algorithm>
#include <climits>
#include <type_traits>

#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

// What a walk gives: sums along the line; those divided by the size of the region; sums of the spans across
// the line, which are the sizes.
enum class Walk { kSums, kMeans, kSizes };

constexpr int kChunk = 4;  // pixels that are loaded ahead, and taken together
constexpr int RoundUp(int value) { return (value + kChunk - 1) / kChunk * kChunk; }

struct Arguments {
  CostShape shape;
  const std::uint32_t *arms_left, *arms_right;    // along the line
  const std::uint32_t *cross_left, *cross_right;  // across it
  const std::uint32_t* from;
  std::uint32_t* to;
  const std::uint32_t* sizes;
  const float* reciprocals;
  int longest;    // arm
  int lag;        // RoundUp(longest): a result is made so many pixels behind what is added up
  int num_slots;  // of the ring: from an arm's length before a result to the chunk that comes in
  int num_segments, segment_length;
};

constexpr int PartsOf(Walk walk) { return walk == Walk::kMeans ? 2 : 1; }

__device__ const std::uint32_t kNoArms = 0xFFFFFFFF;  // as long as can be: the left pixel's count alone

__device__ __forceinline__ std::uint32_t Shorter(std::uint32_t left, std::uint32_t right) {
  return __vminu2(left, right);
}
__device__ __forceinline__ std::uint32_t SpanOf(std::uint32_t reach) {
  return 1 + ((reach & 0xFFFFU) + (reach >> 16)) / kArmStep;
}

// Of a whole number below 2^23.
__device__ __forceinline__ float FloatOf(std::uint32_t value) {
  return __fsub_rn(__uint_as_float(0x4B000000U | value), 8388608.0F);
}
// 1 / size, correctly rounded, of a region's size (at most 67^2). What one step of Newton makes of the
// approximate reciprocal is within 2^-45 of 1 / size before it is rounded, and no number halfway between two
// floats is nearer to 1 / size than 2^-38 of it.
__device__ __forceinline__ float ReciprocalOf(std::uint32_t size) {
  const float n = FloatOf(size);
  float approximate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(approximate) : "f"(n));
  return __fmaf_rn(approximate, __fmaf_rn(-n, approximate, 1.0F), approximate);
}
// The nearest integer, halves to even, of sum / size as docs/matching.md rounds it, in the low half.
__device__ __forceinline__ std::uint32_t MeanOf(std::uint32_t sum, float reciprocal) {
  return __float_as_uint(__fadd_rn(__fmul_rn(FloatOf(sum), reciprocal), 8388608.0F));
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
    return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? row[x] : kNoArms;
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

// The same along a column, whose partners stay in two columns.
struct ColumnPartners {
  static constexpr int kWords = 2;
  const std::uint32_t *first, *second;
  int step_first, step_second;

  __device__ __forceinline__ ColumnPartners(const std::uint32_t* arms, int line, int, int d,
                                            const CostShape& shape) {
    const int x = line - shape.min_disparity - d;
    const bool has_first = static_cast<unsigned>(x) < static_cast<unsigned>(shape.width),
               has_second = static_cast<unsigned>(x - 1) < static_cast<unsigned>(shape.width);
    first = has_first ? arms + x : &kNoArms;
    second = has_second ? arms + x - 1 : &kNoArms;
    step_first = has_first ? shape.width : 0;
    step_second = has_second ? shape.width : 0;
  }
  __device__ __forceinline__ void Begin(int) {}
  __device__ __forceinline__ void LoadOne(int i, std::uint32_t (&loaded)[kWords]) const {
    loaded[0] = first[static_cast<std::int64_t>(i) * step_first];
    loaded[1] = second[static_cast<std::int64_t>(i) * step_second];
  }
  __device__ __forceinline__ void Shorten(std::uint32_t left, const std::uint32_t (&loaded)[kWords],
                                          std::uint32_t (&reach)[2]) {
    reach[0] = Shorter(left, loaded[0]);
    reach[1] = Shorter(left, loaded[1]);
  }
};

template <Walk kWalk, bool kRows, bool kBoth>
struct CrossWalk {
  using Partners = std::conditional_t<kRows, RowPartners, ColumnPartners>;
  static constexpr int kParts = PartsOf(kWalk), kSlotBytes = kWarpSize * 4;  // of a part, a ring of its own
  static_assert(kSlotBytes == kArmStep);

  // What a chunk of pixels brings in, and what the results of a chunk need.
  struct Input {
    std::uint32_t value[kChunk], cross[kChunk][Partners::kWords];
  };
  struct Needed {
    std::uint32_t left[kChunk], right[kChunk][Partners::kWords], size[kChunk];
  };

  const Arguments& a;
  int begin, end, first, last;  // results, and what is read for them
  // Of the line's pixel 0. A line's pixels are `step` apart, words of the volumes `word_step`.
  const std::uint32_t *from, *sizes;
  std::uint32_t* to;
  const std::uint32_t *arms, *across;
  const float* reciprocals;
  int step, word_step;
  Partners partners, cross_partners;

  // Of pixels t .. that are to be added up. kWhole: all of them are inside the segment.
  template <bool kWhole>
  __device__ __forceinline__ void LoadInput(int t, Input& input) const {
    const auto is_inside = [&](int u) { return kWhole || t + u < last; };
    const std::uint32_t* const values = from + static_cast<std::int64_t>(t) * word_step;
    const std::uint32_t* const spans = across + static_cast<std::int64_t>(t) * step;
    if constexpr (kWalk == Walk::kSizes && kRows) cross_partners.Load(t, input.cross);
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      if (!is_inside(u)) {
        input.value[u] = 0;
      } else if constexpr (kWalk == Walk::kSizes) {
        input.value[u] = spans[u * step];
        if constexpr (!kRows) cross_partners.LoadOne(t + u, input.cross[u]);
      } else {
        input.value[u] = values[u * word_step];
      }
    }
  }
  // For the results of pixels o ..
  template <bool kWhole>
  __device__ __forceinline__ void LoadNeeded(int o, Needed& needed) const {
    const auto is_inside = [&](int u) { return kWhole || (o + u >= begin && o + u < end); };
    const std::uint32_t* const own = arms + static_cast<std::int64_t>(o) * step;
    const std::uint32_t* const of_region = sizes + static_cast<std::int64_t>(o) * word_step;
    const float* const over_region = reciprocals + static_cast<std::int64_t>(o) * step;
    if constexpr (kBoth && kRows) partners.Load(o, needed.right);
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      if (!is_inside(u)) continue;
      needed.left[u] = own[u * step];
      if constexpr (kBoth && !kRows) partners.LoadOne(o + u, needed.right[u]);
      if constexpr (kWalk == Walk::kMeans && kBoth) needed.size[u] = of_region[u * word_step];
      if constexpr (kWalk == Walk::kMeans && !kBoth) needed.size[u] = __float_as_uint(over_region[u * step]);
    }
  }

  __device__ __forceinline__ void Run(unsigned char* ring, int lane) {
    const int lane_bytes = lane * 4, ring_bytes = a.num_slots * kSlotBytes;
    const auto word_at = [&](int at) -> std::uint32_t& {
      return *reinterpret_cast<std::uint32_t*>(ring + at);
    };
    std::uint32_t sum[2] = {0, 0};  // up to a pixel: of both cells apart, or in one word
    // What was added up between the ends of the arms around the pixel of that slot.
    const auto between = [&](int slot, std::uint32_t reach, int part) {
      const int low = slot - kSlotBytes - static_cast<int>(reach & 0xFFFFU),
                high = slot + static_cast<int>(reach >> 16);
      // Below 0 or past the ring's end: once around. Below 0 is a large number here.
      const unsigned low_at = min(static_cast<unsigned>(low), static_cast<unsigned>(low + ring_bytes)),
                     high_at = min(static_cast<unsigned>(high), static_cast<unsigned>(high - ring_bytes));
      return word_at(static_cast<int>(high_at) + part * ring_bytes) -
             word_at(static_cast<int>(low_at) + part * ring_bytes);
    };
    // In bytes, with the lane's own place: slot of the pixel that comes in, and of the result.
    int slot_in = lane_bytes, slot_out = lane_bytes + (a.lag == 0 ? 0 : ring_bytes - a.lag * kSlotBytes);
#pragma unroll
    for (int part = 0; part < kParts; ++part) word_at((part + 1) * ring_bytes - kSlotBytes + lane_bytes) = 0;
    partners.Begin(first - a.lag);
    cross_partners.Begin(first);
    Input input, next_input;
    Needed needed, next_needed;
    LoadInput<false>(first, next_input);
    LoadNeeded<false>(first - a.lag, next_needed);
#pragma unroll 1
    for (int t = first; t < end + a.lag; t += kChunk) {
      const int o = t - a.lag;
      input = next_input;
      needed = next_needed;
      if (t + 2 * kChunk <= last) {
        LoadInput<true>(t + kChunk, next_input);
      } else {
        LoadInput<false>(t + kChunk, next_input);
      }
      if (o + kChunk >= begin && o + 2 * kChunk <= end) {
        LoadNeeded<true>(o + kChunk, next_needed);
      } else {
        LoadNeeded<false>(o + kChunk, next_needed);
      }
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        std::uint32_t value = input.value[u];
        if constexpr (kWalk == Walk::kSizes) {
          std::uint32_t reach[2];
          cross_partners.Shorten(value, input.cross[u], reach);
          value = SpanOf(reach[0]) | SpanOf(reach[1]) << 16;
        }
        if constexpr (kParts == 2) {
          sum[0] += value & 0xFFFFU;
          sum[1] += value >> 16;
        } else {
          sum[0] += value;
        }
#pragma unroll
        for (int part = 0; part < kParts; ++part)
          word_at(slot_in + u * kSlotBytes + part * ring_bytes) = sum[part];
      }
      std::uint32_t* const results = to + static_cast<std::int64_t>(o) * word_step;
      const bool is_whole = o >= begin && o + kChunk <= end;
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        const int slot = slot_out + u * kSlotBytes;
        const std::uint32_t left = needed.left[u];
        std::uint32_t reach[2] = {left, left};
        if constexpr (kBoth) partners.Shorten(left, needed.right[u], reach);
        if (!is_whole && (o + u < begin || o + u >= end)) continue;
        std::uint32_t result;
        if constexpr (kWalk == Walk::kMeans) {
          const float of_low =
              kBoth ? ReciprocalOf(needed.size[u] & 0xFFFFU) : __uint_as_float(needed.size[u]);
          const float of_high = kBoth ? ReciprocalOf(needed.size[u] >> 16) : of_low;
          result = __byte_perm(MeanOf(between(slot, reach[0], 0), of_low),
                               MeanOf(between(slot, reach[1], 1), of_high), 0x5410);
        } else if constexpr (kBoth) {
          result = __byte_perm(between(slot, reach[0], 0), between(slot, reach[1], 0), 0x7610);
        } else {
          result = between(slot, left, 0);
        }
        results[u * word_step] = result;
      }
      const auto advance = [&](int slot) {
        slot += kChunk * kSlotBytes;
        return slot >= ring_bytes ? slot - ring_bytes : slot;
      };
      slot_in = advance(slot_in);
      slot_out = advance(slot_out);
    }
  }
};

template <Walk kWalk, bool kRows, bool kBoth>
__global__ void __launch_bounds__(kWarpSize) CrossKernel(const Arguments a) {
  extern __shared__ unsigned char ring[];
  const int lane = static_cast<int>(threadIdx.x);
  const CostShape& shape = a.shape;
  const int num_lines = kRows ? shape.height : shape.width, length = kRows ? shape.width : shape.height;
  const unsigned item = blockIdx.x / static_cast<unsigned>(shape.num_groups());
  const int group = static_cast<int>(blockIdx.x % static_cast<unsigned>(shape.num_groups()));
  const int line = static_cast<int>(item % static_cast<unsigned>(num_lines));
  const int begin = static_cast<int>(item / static_cast<unsigned>(num_lines)) * a.segment_length;
  const int end = min(begin + a.segment_length, length);
  if (begin >= end) return;
  const std::ptrdiff_t origin = kRows ? static_cast<std::ptrdiff_t>(line) * shape.width : line;
  const std::ptrdiff_t word = origin * (shape.padded / 2) + group * kWarpSize + lane;
  const int d = group * kGroup + 2 * lane;
  using Partners = typename CrossWalk<kWalk, kRows, kBoth>::Partners;
  CrossWalk<kWalk, kRows, kBoth> walk{a,
                                      begin,
                                      end,
                                      max(begin - a.longest, 0),
                                      min(end + a.longest, length),
                                      a.from + word,
                                      a.sizes + word,
                                      a.to + word,
                                      a.arms_left + origin,
                                      a.cross_left + origin,
                                      a.reciprocals + origin,
                                      kRows ? 1 : shape.width,
                                      (kRows ? 1 : shape.width) * (shape.padded / 2),
                                      Partners(a.arms_right, line, group, d, shape),
                                      Partners(a.cross_right, line, group, d, shape)};
  walk.Run(ring, lane);
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

// The number of segments that lines are cut into. Pixels before and behind a segment are read along with it,
// for a third of the work of others; long segments leave multiprocessors without work in the end.
int NumSegments(int num_warps, int length, int longest, int warps_at_once) {
  int best = 1;
  std::int64_t best_time = INT64_MAX;
  for (int n = 1; n <= std::max(1, length / 32); ++n) {
    const std::int64_t steps = (length + n - 1) / n + 2 * longest / 3;
    const std::int64_t together = std::int64_t{num_warps} * n * steps / warps_at_once;
    const std::int64_t time = std::max(steps, together) + steps / 2;
    if (time < best_time) best_time = time, best = n;
  }
  return best;
}

template <Walk kWalk, bool kRows, bool kBoth>
void Launch(Arguments a, cudaStream_t stream) {
  constexpr int kMultiprocessors = 132, kSharedBytes = 227 * 1024, kBlockBytes = 1024;
  const CostShape& shape = a.shape;
  const std::size_t shared_bytes =
      static_cast<std::size_t>(a.num_slots * PartsOf(kWalk) * kWarpSize) * sizeof(std::uint32_t);
  const int num_lines = kRows ? shape.height : shape.width, length = kRows ? shape.width : shape.height;
  const int blocks_at_once = std::min(32, kSharedBytes / (static_cast<int>(shared_bytes) + kBlockBytes));
  a.num_segments =
      NumSegments(num_lines * shape.num_groups(), length, a.longest, blocks_at_once * kMultiprocessors);
  a.segment_length = (length + a.num_segments - 1) / a.num_segments;
  Check(cudaFuncSetAttribute(CrossKernel<kWalk, kRows, kBoth>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  const auto num_blocks = static_cast<unsigned>(num_lines) * static_cast<unsigned>(shape.num_groups()) *
                          static_cast<unsigned>(a.num_segments);
  CrossKernel<kWalk, kRows, kBoth><<<num_blocks, kWarpSize, shared_bytes, stream>>>(a);
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
                          cudaStream_t stream) {
  const bool both = parameters.support == SupportRegion::kBoth;
  Arguments along_rows{};
  along_rows.shape = shape;
  along_rows.longest = std::min(parameters.arm_length, kMaxArmSpan_px / 2 + 1) - 1;
  along_rows.lag = RoundUp(along_rows.longest);
  along_rows.num_slots = RoundUp(along_rows.lag + along_rows.longest + 1 + kChunk);
  Arguments along_columns = along_rows;
  const auto set_arms = [&](Arguments& a, bool rows) {
    a.arms_left = rows ? views.left.row_reach : views.left.column_reach;
    a.arms_right = rows ? views.right.row_reach : views.right.column_reach;
    a.cross_left = rows ? views.left.column_reach : views.left.row_reach;
    a.cross_right = rows ? views.right.column_reach : views.right.row_reach;
  };
  set_arms(along_rows, true);
  set_arms(along_columns, false);
  for (int i = 0; i < std::min(parameters.iterations, 2); ++i) {
    const bool rows_first = i == 0;
    if (both) {
      Arguments a = rows_first ? along_columns : along_rows;
      a.to = reinterpret_cast<std::uint32_t*>(sizes.volumes[i]);
      LaunchAlong<Walk::kSizes>(!rows_first, true, a, stream);
    } else {
      const dim3 block(32, 8),
          grid(static_cast<unsigned>((shape.width + 31) / 32), static_cast<unsigned>((shape.height + 7) / 8));
      (rows_first ? ReciprocalKernel<true> : ReciprocalKernel<false>)<<<grid, block, 0, stream>>>(
          views.left.row_reach, views.left.column_reach, shape.width, shape.height, sizes.reciprocals[i]);
      CheckLaunch("ReciprocalKernel");
    }
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
    LaunchAlong<Walk::kMeans>(!rows_first, both, means, stream);
  }
}

}  // namespace parallax::cuda::ad_census
