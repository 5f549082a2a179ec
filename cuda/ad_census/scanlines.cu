// A block of two warps has a row or a column. One warp follows it forwards, the other backwards; each writes
// its path costs up to the middle, and from there on adds its own to what the other has written. Rows are the
// first blocks, as they take longest; columns run beside them.
//
// A lane has K words of two successive disparities. Path costs are kept less the lowest of their pixel:
// N = L - min L. Then L' = C + min(N(d), min(N(d-1), N(d+1)) + P1, P2), which is the formula of
// docs/matching.md, and N = 0 at a line's begin gives L = C.
#include "cuda/ad_census/scanlines.h"

#include <algorithm>
#include <cstdint>
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
  const std::uint32_t *row_steps_left, *row_steps_right, *column_steps_left, *column_steps_right;
  std::uint32_t p1[3], p2[3];  // in both halves, by the number of steps
};

constexpr std::uint32_t kPadding = 0x7FFF;  // above all path costs, and with P1 below 2^16

__device__ __forceinline__ std::uint32_t Lower(std::uint32_t a, std::uint32_t b) { return __vminu2(a, b); }

// 32 bits of a row from bit n on, which may lie outside: 0 there.
__device__ __forceinline__ std::uint32_t BitsAt(const std::uint32_t* row, int num_words, int n) {
  const int word = n >> 5;
  const std::uint32_t low = static_cast<unsigned>(word) < static_cast<unsigned>(num_words) ? row[word] : 0;
  const std::uint32_t high =
      static_cast<unsigned>(word + 1) < static_cast<unsigned>(num_words) ? row[word + 1] : 0;
  return __funnelshift_r(low, high, static_cast<unsigned>(n) & 31U);
}
__device__ __forceinline__ std::uint32_t MaskOf(std::uint32_t bits, int low, int high) {
  const std::uint32_t of_low =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << (31 - low)) >> 31);
  const std::uint32_t of_high =
      static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << (31 - high)) >> 31);
  return __byte_perm(of_low, of_high, 0x5410);
}

template <int K, bool kRows, bool kForwards>
struct PathWalk {
  static constexpr int kChunk = K <= 2 ? 8 : K <= 4 ? 4 : K <= 8 ? 2 : 1;
  static_assert(2 * K <= 32);

  const Arguments& a;
  int line, lane, length, d;
  std::ptrdiff_t origin, step;  // pixels
  int num_words;                // of a row of steps
  std::uint32_t padding[K], before[K];
  std::uint32_t mask[K];  // of the cells whose partners step; along rows
  bool is_first_lane, is_last_lane;

  __device__ __forceinline__ PathWalk(const Arguments& arguments, int line_, int lane_)
      : a(arguments),
        line(line_),
        lane(lane_),
        length(kRows ? arguments.shape.width : arguments.shape.height),
        d(2 * K * lane_),
        origin(kRows ? static_cast<std::ptrdiff_t>(line_) * arguments.shape.width : line_),
        step(kRows ? 1 : arguments.shape.width),
        num_words(StepWords(arguments.shape.width)),
        is_first_lane(lane_ == 0),
        is_last_lane(lane_ == kWarpSize - 1) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int past = d + 2 * k - a.shape.num_disparities;
      padding[k] = (past >= 0 ? kPadding : 0U) | (past + 1 >= 0 ? kPadding << 16 : 0U);
      before[k] = 0;
    }
    if constexpr (kRows) {
      const std::uint32_t bits = PartnerBits(kForwards ? 0 : length - 1);
#pragma unroll
      for (int k = 0; k < K; ++k) mask[k] = MaskOf(bits, 2 * K - 1 - 2 * k, 2 * K - 2 - 2 * k);
    }
  }

  // Bit t: whether the partner at the lane's disparity 2 K - 1 - t steps, at pixel i.
  __device__ __forceinline__ std::uint32_t PartnerBits(int i) const {
    const int x = (kRows ? i : line) - a.shape.min_disparity - d - (2 * K - 1);
    if constexpr (kRows) {
      return BitsAt(a.row_steps_right + static_cast<std::ptrdiff_t>(line) * num_words, num_words,
                    x + (kForwards ? 0 : 1));
    } else {
      const int y = kForwards ? i : i + 1;
      if (y >= length) return 0;
      return BitsAt(a.column_steps_right + static_cast<std::ptrdiff_t>(y) * num_words, num_words, x);
    }
  }
  // Bit u: whether left pixel i + u (kForwards) or i - u steps.
  __device__ __forceinline__ bool LeftStep(int i) const {
    const int x = kRows ? i + (kForwards ? 0 : 1) : line, y = kRows ? line : i + (kForwards ? 0 : 1);
    if (x >= a.shape.width || y >= a.shape.height) return false;
    const std::uint32_t* const steps = kRows ? a.row_steps_left : a.column_steps_left;
    return (steps[static_cast<std::ptrdiff_t>(y) * num_words + (x >> 5)] >> (x & 31) & 1U) != 0;
  }

  struct Chunk {
    std::uint32_t costs[kChunk][K], sums[kChunk][K];
    std::uint32_t bits[kRows ? 1 : kChunk];  // columns: of each pixel; rows: of those that come in
    bool left[kChunk];
  };
  // Pixels from turn t on; turn t is pixel t forwards, length - 1 - t backwards.
  template <bool kAdds>
  __device__ __forceinline__ void Load(int t, int end, Chunk& chunk) const {
    const std::uint32_t* const volume = kRows ? a.rows : a.columns;
    if constexpr (kRows) {
      if (t < end) {
        // Bit u forwards: the first disparity's partner of turn t + u. Backwards: the last one's.
        const int x = kForwards ? t - a.shape.min_disparity - d
                                : length - 1 - t - a.shape.min_disparity - d - (2 * K - 1) + 1 - (kChunk - 1);
        chunk.bits[0] =
            BitsAt(a.row_steps_right + static_cast<std::ptrdiff_t>(line) * num_words, num_words, x);
      }
    }
#pragma unroll
    for (int u = 0; u < kChunk; ++u) {
      if (t + u >= end) continue;
      const int i = kForwards ? t + u : length - 1 - t - u;
      const std::ptrdiff_t at = (origin + i * step) * (a.shape.padded / 2) + K * lane;
      LoadWords<K>(a.costs + at, chunk.costs[u]);
      if constexpr (kAdds) LoadWords<K>(volume + at, chunk.sums[u]);
      if constexpr (!kRows) chunk.bits[u] = PartnerBits(i);
      chunk.left[u] = LeftStep(i);
    }
  }

  // Turns begin .. end - 1.
  template <bool kAdds>
  __device__ __forceinline__ void Follow(int begin, int end) {
    std::uint32_t* const volume = kRows ? a.rows : a.columns;
    Chunk chunk, next;
    Load<kAdds>(begin, end, next);
    for (int t = begin; t < end; t += kChunk) {
      chunk = next;
      Load<kAdds>(t + kChunk, end, next);
#pragma unroll
      for (int u = 0; u < kChunk; ++u) {
        if (t + u >= end) break;
        const int i = kForwards ? t + u : length - 1 - t - u;
        if constexpr (kRows) {
          // The pixel's partners are the last one's, one disparity on.
          const int bit = kForwards ? u : kChunk - 1 - u;
          const std::uint32_t coming =
              static_cast<std::uint32_t>(static_cast<std::int32_t>(chunk.bits[0] << (31 - bit)) >> 31);
          if (t + u > 0) {
            if constexpr (kForwards) {
#pragma unroll
              for (int k = K - 1; k > 0; --k) mask[k] = __byte_perm(mask[k - 1], mask[k], 0x5432);
              mask[0] = __byte_perm(coming, mask[0], 0x5432);
            } else {
#pragma unroll
              for (int k = 0; k + 1 < K; ++k) mask[k] = __byte_perm(mask[k], mask[k + 1], 0x5432);
              mask[K - 1] = __byte_perm(mask[K - 1], coming, 0x5432);
            }
          }
        } else {
#pragma unroll
          for (int k = 0; k < K; ++k) mask[k] = MaskOf(chunk.bits[u], 2 * K - 1 - 2 * k, 2 * K - 2 - 2 * k);
        }
        const bool left = chunk.left[u];
        const std::uint32_t p1 = left ? a.p1[1] : a.p1[0], p1_more = left ? a.p1[2] : a.p1[1];
        const std::uint32_t p2 = left ? a.p2[1] : a.p2[0], p2_more = left ? a.p2[2] : a.p2[1];
        // Words of d - 1 and d + 1 beyond the lane's own; where there is none, the own on the other side once
        // more.
        const std::uint32_t from_below = __shfl_up_sync(kFullWarp, before[K - 1], 1),
                            from_above = __shfl_down_sync(kFullWarp, before[0], 1);
        std::uint32_t path[K], lowest = 0xFFFFFFFFU;
#pragma unroll
        for (int k = 0; k < K; ++k) {
          std::uint32_t below, above;
          if (k > 0) {
            below = __byte_perm(before[k - 1], before[k], 0x5432);
          } else {
            below = is_first_lane ? __byte_perm(before[0], before[0], 0x5432)
                                  : __byte_perm(from_below, before[0], 0x5432);
          }
          if (k + 1 < K) {
            above = __byte_perm(before[k], before[k + 1], 0x5432);
          } else {
            above = is_last_lane ? __byte_perm(before[k], before[k], 0x5432)
                                 : __byte_perm(before[k], from_above, 0x5432);
          }
          const std::uint32_t p1_here = p1 ^ ((p1 ^ p1_more) & mask[k]);
          const std::uint32_t p2_here = p2 ^ ((p2 ^ p2_more) & mask[k]);
          const std::uint32_t best = Lower(Lower(before[k], p2_here), Lower(below, above) + p1_here);
          path[k] = (chunk.costs[u][k] + best) | padding[k];
          lowest = Lower(lowest, path[k]);
        }
        const std::uint32_t of_warp = WarpMin(min(lowest & 0xFFFFU, lowest >> 16)) * 0x10001U;
        std::uint32_t sums[K];
#pragma unroll
        for (int k = 0; k < K; ++k) {
          before[k] = path[k] - of_warp;
          sums[k] = kAdds ? path[k] + chunk.sums[u][k] : path[k];
        }
        StoreWords<K>(sums, volume + (origin + i * step) * (a.shape.padded / 2) + K * lane);
      }
    }
  }
};

template <int K, bool kRows>
__device__ __forceinline__ void WalkBothWays(const Arguments& a, int line) {
  const int lane = static_cast<int>(threadIdx.x), length = kRows ? a.shape.width : a.shape.height;
  const int middle = length / 2;
  if (threadIdx.y == 0) {
    PathWalk<K, kRows, true> walk(a, line, lane);
    walk.template Follow<false>(0, middle);
    __syncthreads();
    walk.template Follow<true>(middle, length);
  } else {
    PathWalk<K, kRows, false> walk(a, line, lane);
    walk.template Follow<false>(0, length - middle);
    __syncthreads();
    walk.template Follow<true>(length - middle, length);
  }
}

template <int K>
__global__ void __launch_bounds__(2 * kWarpSize) ScanlineKernel(const Arguments a) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < a.shape.height) {
    WalkBothWays<K, true>(a, block);
  } else {
    WalkBothWays<K, false>(a, block - a.shape.height);
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
  a.row_steps_left = views.left.row_steps;
  a.row_steps_right = views.right.row_steps;
  a.column_steps_left = views.left.column_steps;
  a.column_steps_right = views.right.column_steps;
  for (std::size_t i = 0; i < 3; ++i) a.p1[i] = tables.p1[i] * 0x10001U, a.p2[i] = tables.p2[i] * 0x10001U;
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
