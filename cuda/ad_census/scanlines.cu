// A block of two warps has a row or a column. One warp follows it forwards, the other backwards; each writes
// its path costs up to the middle, and from there on adds its own to what the other has written. Rows are the
// first blocks, as they take longest; columns run along with them.
//
// A lane has K words of two successive disparities: L' = C - min L + min(L(d), min(L(d-1), L(d+1)) + P1,
// min L + P2). L = 0 before a line's begin gives L' = C there. The lowest cost of a pixel and what the lanes
// beside it have are looked for at the same time, as both wait for nothing but L.
#include "cuda/ad_census/scanlines.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "cuda/ad_census/lane_words.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda::ad_census {
namespace {

struct Arguments {
  CostShape shape;
  const std::uint32_t* costs;  // words of two
  std::uint32_t *rows, *columns;
  View left, right;
  // Penalties, in both halves. [1]: if the left pixel is a step, else [0]. _more: bits that a partner's step
  // flips.
  std::uint32_t p1[2], p2[2], p1_more[2], p2_more[2];
};

constexpr std::uint32_t kPadding = 0x7FFF;  // above all path costs, and with P1 below 2^16
// Pixels that are loaded ahead; a divisor of kStepBand.
constexpr int ChunkOf(int lane_words) {
  return lane_words <= 3 ? 8 : lane_words == 4 ? 4 : lane_words <= 8 ? 2 : 1;
}
static_assert(kStepBand == 8);

__device__ __forceinline__ std::uint32_t Lower(std::uint32_t a, std::uint32_t b) { return __vminu2(a, b); }
__device__ __forceinline__ std::uint32_t WordAt(const std::uint32_t* row, int num_words, int word) {
  return static_cast<unsigned>(word) < static_cast<unsigned>(num_words) ? row[word] : 0;
}
// 32 bits of a row from bit n on, which may lie outside: 0 there.
__device__ __forceinline__ std::uint32_t BitsAt(const std::uint32_t* row, int num_words, int n) {
  return __funnelshift_r(WordAt(row, num_words, n >> 5), WordAt(row, num_words, (n >> 5) + 1),
                         static_cast<unsigned>(n) & 31U);
}
// All bits of a half set where the highest bit of a byte is: of byte low for the low half, of byte high for
// the high one.
template <int kLow, int kHigh>
__device__ __forceinline__ std::uint32_t MaskOfBytes(std::uint32_t bytes) {
  constexpr unsigned kSelector = (8U | kLow) * 0x11U | (8U | kHigh) * 0x1100U;
  std::uint32_t mask;
  asm("prmt.b32 %0, %1, %1, %2;" : "=r"(mask) : "r"(bytes), "n"(kSelector));
  return mask;
}
__device__ __forceinline__ std::uint32_t MaskOfBit(std::uint32_t bits, int bit) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << (31 - bit)) >> 31);
}

template <int K, bool kRows, bool kForwards>
struct PathWalk {
  // Words of the partners' steps of a chunk. Rows: the new partners; columns: one byte for each disparity.
  static constexpr int kChunk = ChunkOf(K);
  static constexpr int kStepWords = kRows ? 1 : (2 * K + 3) / 4;
  static_assert(2 * K <= 32);

  struct Chunk {
    std::uint32_t costs[kChunk][K], sums[kChunk][K];
    // Words in which the steps are, as they are loaded: shifting them would wait for them.
    std::uint32_t left[2], right[kRows ? 2 : kStepWords + 1];
  };
  struct Steps {         // of a chunk
    std::uint32_t left;  // bit u: whether the left pixel steps
    std::uint32_t partners[kStepWords];
  };

  const Arguments& a;
  int line, length, d, pixel_words;  // pixel_words: from one pixel to the next, of a volume
  const std::uint32_t* costs;        // of the line's pixel 0
  std::uint32_t* sums;
  const std::uint32_t *left_steps, *right_steps;  // rows: of the row; columns: of the first band
  int num_words;                                  // of a row of steps
  bool is_first_lane, is_last_lane;
  std::uint32_t padding[K], path[K], lowest;
  std::uint32_t mask[kRows ? K : 1];  // of the disparities whose partners step

  __device__ __forceinline__ PathWalk(const Arguments& arguments, int line_, int lane)
      : a(arguments),
        line(line_),
        length(kRows ? arguments.shape.width : arguments.shape.height),
        d(2 * K * lane),
        pixel_words((kRows ? 1 : arguments.shape.width) * (arguments.shape.padded / 2)),
        num_words(kRows ? StepWords(arguments.shape.width) : StepBytes(arguments.shape.width) / 4),
        is_first_lane(lane == 0),
        is_last_lane(lane == kWarpSize - 1),
        lowest(0) {
    const std::ptrdiff_t origin =
        (kRows ? static_cast<std::ptrdiff_t>(line) * a.shape.width : line) * (a.shape.padded / 2) + K * lane;
    costs = a.costs + origin;
    sums = (kRows ? a.rows : a.columns) + origin;
    if constexpr (kRows) {
      left_steps = a.left.row_steps + static_cast<std::ptrdiff_t>(line) * num_words;
      right_steps = a.right.row_steps + static_cast<std::ptrdiff_t>(line) * num_words;
    } else {
      left_steps = kForwards ? a.left.down_steps : a.left.up_steps;
      right_steps = kForwards ? a.right.down_steps : a.right.up_steps;
    }
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int past = d + 2 * k - a.shape.num_disparities;
      padding[k] = (past >= 0 ? kPadding : 0U) | (past + 1 >= 0 ? kPadding << 16 : 0U);
      path[k] = 0;
    }
    if constexpr (kRows) {
      // Steps of the pixel before the line's begin. Bit t belongs to the lane's disparity 2 K - 1 - t.
      const int x = (kForwards ? -1 : length) - a.shape.min_disparity - d - (2 * K - 1);
      const std::uint32_t bits = BitsAt(right_steps, num_words, x + (kForwards ? 0 : 1));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        mask[k] = __byte_perm(MaskOfBit(bits, 2 * K - 1 - 2 * k), MaskOfBit(bits, 2 * K - 2 - 2 * k), 0x5410);
      }
    }
  }

  // The first bit or byte of chunk j's steps.
  __device__ __forceinline__ int FirstLeft(int j) const { return j * kChunk + (kForwards ? 0 : 1); }
  __device__ __forceinline__ int FirstRight(int j) const {
    if constexpr (!kRows) return line - a.shape.min_disparity - d - (2 * K - 1);
    // The first disparity's partners forwards, the last one's backwards.
    return j * kChunk - a.shape.min_disparity - d - (kForwards ? 0 : 2 * K - 1 - 1);
  }
  __device__ __forceinline__ Steps StepsOf(int j, const Chunk& words) const {
    Steps steps;
    if constexpr (kRows) {
      steps.left = __funnelshift_r(words.left[0], words.left[1], static_cast<unsigned>(FirstLeft(j)) & 31U);
      steps.partners[0] =
          __funnelshift_r(words.right[0], words.right[1], static_cast<unsigned>(FirstRight(j)) & 31U);
    } else {
      const int bit = j * kChunk % kStepBand;  // that becomes bit 0 of each byte
      steps.left = words.left[0] >> bit;
#pragma unroll
      for (int w = 0; w < kStepWords; ++w) {
        steps.partners[w] = __funnelshift_r(words.right[w], words.right[w + 1],
                                            (static_cast<unsigned>(FirstRight(j)) & 3U) * 8) >>
                            bit;
      }
    }
    return steps;
  }

  // Loads chunk j, as far as the line has its pixels.
  __device__ __forceinline__ void Load(int j, bool adds, Chunk& chunk) const {
    const int first = j * kChunk;
    const std::ptrdiff_t band = kRows ? 0 : static_cast<std::ptrdiff_t>(first / kStepBand) * num_words;
    if constexpr (kRows) {
      chunk.left[0] = WordAt(left_steps, num_words, FirstLeft(j) >> 5);
      chunk.left[1] = WordAt(left_steps, num_words, (FirstLeft(j) >> 5) + 1);
    } else {
      chunk.left[0] = reinterpret_cast<const std::uint8_t*>(left_steps + band)[line];
    }
#pragma unroll
    for (int w = 0; w < static_cast<int>(std::size(chunk.right)); ++w)
      chunk.right[w] = WordAt(right_steps + band, num_words, (FirstRight(j) >> (kRows ? 5 : 2)) + w);
    const std::uint32_t* const from = costs + static_cast<std::int64_t>(first) * pixel_words;
    const std::uint32_t* const added = sums + static_cast<std::int64_t>(first) * pixel_words;
    const auto load = [&](int u) {
      LoadWords<K>(from + u * pixel_words, chunk.costs[u]);
      if (adds) {
        LoadWords<K>(added + u * pixel_words, chunk.sums[u]);
      } else {
#pragma unroll
        for (int k = 0; k < K; ++k) chunk.sums[u][k] = 0;
      }
    };
    if (first + kChunk <= length) {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) load(u);
    } else {
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        if (first + u < length) load(u);
      }
    }
  }

  __device__ __forceinline__ void Step(const Chunk& chunk, const Steps& of, int u, std::uint32_t* to) {
    std::uint32_t steps[K];
    if constexpr (kRows) {
      // The partners of the previous pixel, moved by one disparity, and one new partner.
      const std::uint32_t coming = MaskOfBit(of.partners[0], u);
      if constexpr (kForwards) {
#pragma unroll
        for (int k = K - 1; k > 0; --k) mask[k] = __byte_perm(mask[k - 1], mask[k], 0x5432);
        mask[0] = __byte_perm(coming, mask[0], 0x5432);
      } else {
#pragma unroll
        for (int k = 0; k + 1 < K; ++k) mask[k] = __byte_perm(mask[k], mask[k + 1], 0x5432);
        mask[K - 1] = __byte_perm(mask[K - 1], coming, 0x5432);
      }
#pragma unroll
      for (int k = 0; k < K; ++k) steps[k] = mask[k];
    } else {
      std::uint32_t bytes[kStepWords];
#pragma unroll
      for (int w = 0; w < kStepWords; ++w) bytes[w] = of.partners[w] << (7 - u);
        // Byte 2 K - 1 - i is that of disparity i.
#pragma unroll
      for (int k = 0; k < K; ++k) {
        const std::uint32_t of_word = bytes[(2 * K - 1 - 2 * k) / 4];
        steps[k] = (2 * K - 1 - 2 * k) % 4 == 3 ? MaskOfBytes<3, 2>(of_word) : MaskOfBytes<1, 0>(of_word);
      }
    }
    const bool left = (of.left >> u & 1U) != 0;
    const std::uint32_t p1 = left ? a.p1[1] : a.p1[0], p1_more = left ? a.p1_more[1] : a.p1_more[0];
    const std::uint32_t p2 = left ? a.p2[1] : a.p2[0], p2_more = left ? a.p2_more[1] : a.p2_more[0];
    // The words of d - 1 and of d + 1 beyond the lane's own; where there is none, the own on the other side
    // once more, which is what a shuffle gives the first and the last lane where they have one word.
    const std::uint32_t from_below = __shfl_up_sync(kFullWarp, path[K - 1], 1),
                        from_above = __shfl_down_sync(kFullWarp, path[0], 1);
    std::uint32_t next[K], low = 0xFFFFFFFFU;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const std::uint32_t before = k > 0 ? path[k - 1] : K > 1 && is_first_lane ? path[0] : from_below;
      const std::uint32_t behind = k + 1 < K ? path[k + 1] : K > 1 && is_last_lane ? path[K - 1] : from_above;
      const std::uint32_t beside =
          Lower(__byte_perm(before, path[k], 0x5432), __byte_perm(path[k], behind, 0x5432));
      const std::uint32_t near = __viaddmin_u16x2(beside, p1 ^ (p1_more & steps[k]), path[k]);
      const std::uint32_t best = __viaddmin_u16x2(lowest, p2 ^ (p2_more & steps[k]), near);
      next[k] = (chunk.costs[u][k] + best - lowest) | padding[k];
      low = Lower(low, next[k]);
    }
    lowest = WarpMin(Lower(low, __byte_perm(low, 0, 0x1032)));  // of equal halves, the lowest in both
    std::uint32_t stored[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      path[k] = next[k];
      stored[k] = next[k] + chunk.sums[u][k];
    }
    StoreWords<K>(stored, to + u * pixel_words);
  }

  // Chunks begin .. end - 1, in the direction's order.
  __device__ __forceinline__ void Follow(int begin, int end, bool adds) {
    if (begin >= end) return;
    Chunk chunk, next;
    Load(kForwards ? begin : end - 1, adds, next);
#pragma unroll 1
    for (int turn = begin; turn < end; ++turn) {
      const int j = kForwards ? turn : begin + end - 1 - turn, first = j * kChunk;
      chunk = next;
      const Steps steps = StepsOf(j, chunk);
      if (turn + 1 < end) Load(kForwards ? j + 1 : j - 1, adds, next);
      std::uint32_t* const to = sums + static_cast<std::int64_t>(first) * pixel_words;
      if (first + kChunk <= length) {
#pragma unroll
        for (int i = 0; i < kChunk; ++i) Step(chunk, steps, kForwards ? i : kChunk - 1 - i, to);
      } else {
#pragma unroll
        for (int i = 0; i < kChunk; ++i) {
          const int u = kForwards ? i : kChunk - 1 - i;
          if (first + u < length) Step(chunk, steps, u, to);
        }
      }
    }
  }
};

template <int K, bool kRows>
__device__ __forceinline__ void WalkBothWays(const Arguments& a, int line) {
  const int lane = static_cast<int>(threadIdx.x), length = kRows ? a.shape.width : a.shape.height;
  const int num_chunks = (length + ChunkOf(K) - 1) / ChunkOf(K), middle = num_chunks / 2;
  if (threadIdx.y == 0) {
    PathWalk<K, kRows, true> walk(a, line, lane);
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      if (part == 1) __syncthreads();
      walk.Follow(part == 0 ? 0 : middle, part == 0 ? middle : num_chunks, part == 1);
    }
  } else {
    PathWalk<K, kRows, false> walk(a, line, lane);
#pragma unroll 1
    for (int part = 0; part < 2; ++part) {
      if (part == 1) __syncthreads();
      walk.Follow(part == 0 ? middle : 0, part == 0 ? num_chunks : middle, part == 1);
    }
  }
}

template <int K>
__global__ void __launch_bounds__(2 * kWarpSize) ScanlineKernel(const Arguments a) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < a.shape.height) {
    WalkBothWays<K, true>(a, block);
  } else {
    // From the outer columns to the inner ones, as rows go.
    const int i = block - a.shape.height;
    WalkBothWays<K, false>(a, i % 2 == 0 ? i / 2 : a.shape.width - 1 - i / 2);
  }
}

__global__ void AddPathSumsKernel(const PathSums sums, const CostShape shape,
                                  DeviceCostVolumeView<std::uint16_t> to) {
  const std::size_t pixel = blockIdx.x;
  for (int d = static_cast<int>(threadIdx.x); d < shape.num_disparities; d += static_cast<int>(blockDim.x)) {
    const std::size_t at = pixel * static_cast<std::size_t>(shape.padded) + static_cast<std::size_t>(d);
    const int sum = sums.rows[at] + (sums.columns != nullptr ? sums.columns[at] : 0);
    to.data[pixel * static_cast<std::size_t>(shape.num_disparities) + static_cast<std::size_t>(d)] =
        static_cast<std::uint16_t>(sum);
  }
}

}  // namespace

PathSums OptimizeScanlines(const Views& views, const CostShape& shape, const AdCensusTables& tables,
                           const std::uint16_t* costs, std::uint16_t* rows, std::uint16_t* columns,
                           cudaStream_t stream) {
  Arguments a{};
  a.shape = shape;
  a.costs = reinterpret_cast<const std::uint32_t*>(costs);
  a.rows = reinterpret_cast<std::uint32_t*>(rows);
  a.columns = reinterpret_cast<std::uint32_t*>(columns);
  a.left = views.left;
  a.right = views.right;
  for (std::size_t i = 0; i < 2; ++i) {
    a.p1[i] = tables.p1[i] * 0x10001U;
    a.p2[i] = tables.p2[i] * 0x10001U;
    a.p1_more[i] = a.p1[i] ^ tables.p1[i + 1] * 0x10001U;
    a.p2_more[i] = a.p2[i] ^ tables.p2[i + 1] * 0x10001U;
  }
  WithLaneWords(shape.padded, [&](auto words) {
    ScanlineKernel<words()>
        <<<static_cast<unsigned>(shape.height + shape.width), dim3(kWarpSize, 2), 0, stream>>>(a);
  });
  CheckLaunch("ScanlineKernel");
  return {rows, columns};
}

void AddPathSums(const PathSums& sums, const CostShape& shape, DeviceCostVolumeView<std::uint16_t> to,
                 cudaStream_t stream) {
  AddPathSumsKernel<<<static_cast<unsigned>(shape.num_pixels()), 64, 0, stream>>>(sums, shape, to);
  CheckLaunch("AddPathSumsKernel");
}

}  // namespace parallax::cuda::ad_census
