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

#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "pipeline/ad_census_tables.h"

namespace parallax::cuda::ad_census {
namespace {

// What a walk gives: sums along the line; those divided by the size of the region; sums of the spans across
// the line, which are the sizes.
enum class Walk { kSums, kMeans, kSizes };

struct Arguments {
  CostShape shape;
  const std::uint16_t *arms_left, *arms_right;    // along the line
  const std::uint16_t *cross_left, *cross_right;  // across it
  const std::uint32_t* from;
  std::uint32_t* to;
  const std::uint32_t* sizes;
  const float* reciprocals;
  int longest;    // arm
  int num_slots;  // of the ring: 2 longest + 2
  int num_segments, segment_length;
};

constexpr int PartsOf(Walk walk) { return walk == Walk::kMeans ? 2 : 1; }
constexpr int kChunk = 8;  // pixels that are loaded ahead
constexpr std::uint32_t kNoArms = 0xFFFF;

// Back in the low half, ahead in the high half.
__device__ __forceinline__ std::uint32_t Spread(std::uint32_t arms) { return __byte_perm(arms, 0, 0x4140); }
__device__ __forceinline__ std::uint32_t Shorter(std::uint32_t left, std::uint32_t right) {
  return __vminu2(left, Spread(right));
}
__device__ __forceinline__ std::uint32_t SpanOf(std::uint32_t spread) {
  return 1 + (spread & 0xFFFFU) + (spread >> 16);
}

// The nearest integer, halves to even, of sum / size as docs/matching.md rounds it: sum < 2^23.
__device__ __forceinline__ std::uint32_t MeanOf(std::uint32_t sum, float reciprocal) {
  constexpr float kTwo23 = 8388608.0F;
  const float exact = __fsub_rn(__uint_as_float(0x4B000000U | sum), kTwo23);
  return __float_as_uint(__fadd_rn(__fmul_rn(exact, reciprocal), kTwo23));
}

// Arms of the right partners of a lane's two disparities. Along a row the second's are those that the first
// had a pixel before.
template <bool kRows>
struct Partners {
  const std::uint16_t *first, *second;  // rows: of the row; columns: of the partners' columns, null outside
  int x_right;                          // rows: of pixel 0 at the first disparity
  int width;
  __device__ __forceinline__ Partners(const std::uint16_t* arms, int line, int d, const CostShape& shape)
      : width(shape.width) {
    if constexpr (kRows) {
      first = arms + static_cast<std::ptrdiff_t>(line) * shape.width;
      second = nullptr;
      x_right = -shape.min_disparity - d;
    } else {
      const int x = line - shape.min_disparity - d;
      first = static_cast<unsigned>(x) < static_cast<unsigned>(width) ? arms + x : nullptr;
      second = static_cast<unsigned>(x - 1) < static_cast<unsigned>(width) ? arms + x - 1 : nullptr;
      x_right = 0;
    }
  }
  // Of pixel i, first in the low half; rows: the first one's alone.
  __device__ __forceinline__ std::uint32_t Load(int i) const {
    if constexpr (kRows) {
      const int x = x_right + i;
      return static_cast<unsigned>(x) < static_cast<unsigned>(width) ? first[x] : kNoArms;
    } else {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * width;
      return (first != nullptr ? first[at] : kNoArms) | (second != nullptr ? second[at] : kNoArms) << 16;
    }
  }
  // Both from what Load gave; before: what it gave for the pixel before.
  static __device__ __forceinline__ std::uint32_t Both(std::uint32_t loaded, std::uint32_t before) {
    return kRows ? __byte_perm(loaded, before, 0x5410) : loaded;
  }
};

template <Walk kWalk, bool kRows, bool kBoth>
__global__ void __launch_bounds__(kWarpSize) CrossKernel(const Arguments a) {
  constexpr int kParts = PartsOf(kWalk), kSlotWords = kParts * kWarpSize;
  extern __shared__ std::uint32_t rings[];
  const int lane = static_cast<int>(threadIdx.x);
  const CostShape& shape = a.shape;
  const int num_lines = kRows ? shape.height : shape.width, length = kRows ? shape.width : shape.height;
  const int num_groups = shape.num_groups();
  const unsigned item = blockIdx.x / static_cast<unsigned>(num_groups);
  const int group = static_cast<int>(blockIdx.x % static_cast<unsigned>(num_groups));
  const int line = static_cast<int>(item % static_cast<unsigned>(num_lines));
  const int segment = static_cast<int>(item / static_cast<unsigned>(num_lines));
  const int begin = segment * a.segment_length, end = min(begin + a.segment_length, length);
  const int first = max(begin - a.longest, 0), last = min(end + a.longest, length);

  // Of the line's first pixel; from there on `step` pixels apart.
  const std::ptrdiff_t origin = kRows ? static_cast<std::ptrdiff_t>(line) * shape.width : line;
  const std::ptrdiff_t step = kRows ? 1 : shape.width;
  const std::ptrdiff_t words = shape.padded / 2, lane_word = group * kWarpSize + lane;
  const std::uint32_t* const from = kWalk == Walk::kSizes ? nullptr : a.from + origin * words + lane_word;
  std::uint32_t* const to = a.to + origin * words + lane_word;
  const std::uint32_t* const sizes =
      kWalk == Walk::kMeans && kBoth ? a.sizes + origin * words + lane_word : nullptr;
  const std::uint16_t* const arms = a.arms_left + origin;
  const std::uint16_t* const across = kWalk == Walk::kSizes ? a.cross_left + origin : nullptr;
  const int d = group * kGroup + 2 * lane;
  const Partners<kRows> partners(kBoth ? a.arms_right : a.arms_left, line, d, shape);
  const Partners<kRows> cross_partners(kWalk == Walk::kSizes ? a.cross_right : a.arms_left, line, d, shape);

  // What a chunk of pixels brings in, and what the chunk of results needs that lies `longest` behind.
  struct Input {
    std::uint32_t value[kChunk], cross[kChunk];
  };
  struct Needed {
    std::uint32_t left[kChunk], right[kChunk], size[kChunk];
  };
  const auto load_input = [&](int t, Input& input) {
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      const int i = t + u;
      input.value[u] = input.cross[u] = 0;
      if (i >= last) continue;
      if constexpr (kWalk == Walk::kSizes) {
        input.cross[u] = cross_partners.Load(i);
        input.value[u] = across[i * step];
      } else {
        input.value[u] = from[i * step * words];
      }
    }
  };
  const auto load_needed = [&](int t, Needed& needed) {
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      const int o = t + u - a.longest;
      needed.left[u] = needed.size[u] = 0;
      needed.right[u] = kNoArms;
      if (kBoth && (kRows || (o >= begin && o < end))) needed.right[u] = partners.Load(o);
      if (o < begin || o >= end) continue;
      needed.left[u] = arms[o * step];
      if constexpr (kWalk == Walk::kMeans) {
        if constexpr (kBoth) {
          needed.size[u] = sizes[o * step * words];
        } else {
          needed.size[u] = __float_as_uint(a.reciprocals[origin + o * step]);
        }
      }
    }
  };

  std::uint32_t* const ring = rings + lane;
  std::uint32_t sum[2] = {0, 0};  // of both cells apart, or in one word
  int slot_in = 0, slot_out = 0;  // of what was added up before pixel i, and before o
  const auto keep = [&](int slot) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) ring[slot * kSlotWords + part * kWarpSize] = sum[part];
  };
  const auto next = [&](int slot) { return slot + 1 == a.num_slots ? 0 : slot + 1; };
  // What was added up between the ends of the arms around slot_out.
  const auto difference = [&](std::uint32_t reach, int part) {
    int low = slot_out - static_cast<int>(reach & 0xFFFFU),
        high = slot_out + 1 + static_cast<int>(reach >> 16);
    low += low < 0 ? a.num_slots : 0;
    high -= high >= a.num_slots ? a.num_slots : 0;
    return ring[high * kSlotWords + part * kWarpSize] - ring[low * kSlotWords + part * kWarpSize];
  };

  int o = first - a.longest;
  std::uint32_t right_before = kRows && kBoth ? partners.Load(o - 1) : kNoArms;
  std::uint32_t cross_before = kRows && kWalk == Walk::kSizes ? cross_partners.Load(first - 1) : kNoArms;
  // Slot 0 belongs to pixel `first`; o begins that many slots before slot_in.
  slot_out = o >= first ? 0 : a.num_slots - (first - o);
  keep(0);
  Input input, next_input;
  Needed needed, next_needed;
  load_input(first, next_input);
  load_needed(first, next_needed);
  for (int t = first; t < end + a.longest; t += kChunk) {
    input = next_input;
    needed = next_needed;
    load_input(t + kChunk, next_input);
    load_needed(t + kChunk, next_needed);
#pragma unroll
    for (int u = 0; u < kChunk; ++u, ++o) {
      std::uint32_t value = input.value[u];
      if constexpr (kWalk == Walk::kSizes) {
        const std::uint32_t left = Spread(value);
        const std::uint32_t both = Partners<kRows>::Both(input.cross[u], cross_before);
        cross_before = input.cross[u];
        value = SpanOf(Shorter(left, both & 0xFFFFU)) | SpanOf(Shorter(left, both >> 16)) << 16;
      }
      if constexpr (kParts == 2) {
        sum[0] += value & 0xFFFFU;
        sum[1] += value >> 16;
      } else {
        sum[0] += value;
      }
      slot_in = next(slot_in);
      keep(slot_in);
      const std::uint32_t both = Partners<kRows>::Both(needed.right[u], right_before);
      right_before = needed.right[u];
      if (o >= begin && o < end) {
        const std::uint32_t left = Spread(needed.left[u]);
        std::uint32_t reach[2] = {left, left};
        if constexpr (kBoth) {
          reach[0] = Shorter(left, both & 0xFFFFU);
          reach[1] = Shorter(left, both >> 16);
        }
        std::uint32_t result;
        if constexpr (kWalk == Walk::kMeans) {
          const std::uint32_t low = difference(reach[0], 0), high = difference(reach[1], 1);
          float of_low, of_high;
          if constexpr (kBoth) {
            of_low = __frcp_rn(static_cast<float>(needed.size[u] & 0xFFFFU));
            of_high = __frcp_rn(static_cast<float>(needed.size[u] >> 16));
          } else {
            of_low = of_high = __uint_as_float(needed.size[u]);
          }
          result = __byte_perm(MeanOf(low, of_low), MeanOf(high, of_high), 0x5410);
        } else if constexpr (kBoth) {
          result = __byte_perm(difference(reach[0], 0), difference(reach[1], 0), 0x7610);
        } else {
          result = difference(left, 0);
        }
        to[o * step * words] = result;
      }
      slot_out = next(slot_out);
    }
  }
}

// Of the left crosses alone: the reciprocals of the regions' sizes.
template <bool kRowsFirst>
__global__ void ReciprocalKernel(const std::uint16_t* row_arms, const std::uint16_t* column_arms, int width,
                                 int height, float* reciprocals) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(y) * width + x;
  const std::uint16_t* const along = kRowsFirst ? column_arms : row_arms;
  const std::uint16_t* const across = kRowsFirst ? row_arms : column_arms;
  const std::ptrdiff_t step = kRowsFirst ? width : 1;
  const int back = along[pixel] & 0xFF, ahead = along[pixel] >> 8;
  std::uint32_t size = 0;
  for (int k = -back; k <= ahead; ++k) size += SpanOf(Spread(across[pixel + k * step]));
  reciprocals[pixel] = __frcp_rn(static_cast<float>(size));
}

// The number of segments that lines are cut into: pixels before and behind a segment are read along with it,
// but few segments leave multiprocessors without work.
int NumSegments(int num_warps, int length, int longest, int warps_at_once) {
  int best = 1;
  std::int64_t best_time = INT64_MAX;
  for (int n = 1; n <= std::max(1, length / 32); ++n) {
    const std::int64_t rounds = (std::int64_t{num_warps} * n + warps_at_once - 1) / warps_at_once;
    const std::int64_t time = rounds * ((length + n - 1) / n + 2 * longest);
    if (time < best_time) best_time = time, best = n;
    if (rounds > 8) break;
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
  const int blocks_at_once = std::min(24, kSharedBytes / (static_cast<int>(shared_bytes) + kBlockBytes));
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
  along_rows.arms_left = along_rows.cross_left = nullptr;
  along_rows.longest = std::min(parameters.arm_length, kMaxArmSpan_px / 2 + 1) - 1;
  along_rows.num_slots = 2 * along_rows.longest + 2;
  Arguments along_columns = along_rows;
  const auto set_arms = [&](Arguments& a, bool rows) {
    a.arms_left = rows ? views.left.row_arms : views.left.column_arms;
    a.arms_right = rows ? views.right.row_arms : views.right.column_arms;
    a.cross_left = rows ? views.left.column_arms : views.left.row_arms;
    a.cross_right = rows ? views.right.column_arms : views.right.row_arms;
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
          views.left.row_arms, views.left.column_arms, shape.width, shape.height, sizes.reciprocals[i]);
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
