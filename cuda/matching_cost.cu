// matching_cost: one warp a few neighbouring pixels at a time, K disparities a lane (cuda/lane_costs.cuh):
// those that a lane meets at one pixel are all but one those it meets at the next. A block takes kPixels
// pixels of one row; their codes and those of the right pixels that they meet lie in shared memory.
#include "cuda/dependent_launch.cuh"
#include "cuda/lane_costs.cuh"
#include "cuda/stages.h"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kPixels = 256;

__device__ __forceinline__ std::uint32_t BitCount(std::uint32_t code) {
  return static_cast<std::uint32_t>(__popc(code));
}
__device__ __forceinline__ std::uint32_t BitCount(std::uint64_t code) {
  return static_cast<std::uint32_t>(__popcll(code));
}

// Where code i of a block lies. The lanes read every K-th code: those stand side by side, since 32 lanes
// would otherwise wait for one bank of shared memory.
template <int K>
__device__ __forceinline__ int PlaceOfCode(int i) {
  return (i & (K - 1)) * ((kPixels + 32 * K) / K) + i / K;
}

template <int K, typename Code, bool kPadded>
__global__ void __launch_bounds__(kWarps* kWarpSize)
    MatchingCostKernel(DeviceImageView<const Code> left, DeviceImageView<const Code> right,
                       VolumeLayout layout, std::uint32_t outside_cost, std::uint8_t* costs,
                       std::uint32_t* bands_done) {
  constexpr int kPaddedCount = 32 * K;
  constexpr int kCodes = kPixels + kPaddedCount;  // one more than needed: a multiple of K
  constexpr int kTogether = K <= 8 ? K : 2;       // pixels at a time
  __shared__ Code codes[kCodes];                  // of right pixels first_right + i, at PlaceOfCode(i)
  __shared__ Code left_codes[kPixels];
  const int y = static_cast<int>(blockIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * kPixels;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int first_right = x_begin - layout.min_disparity - (kPaddedCount - 1);
  WaitForKernelBefore();
  if (bands_done != nullptr && x_begin == 0 && y % kBandRows == 0 && warp == 0 && lane == 0) {
    bands_done[y / kBandRows] = 0;
  }
  for (int i = warp * kWarpSize + lane; i < kCodes; i += kWarps * kWarpSize) {
    const int x_right = first_right + i;
    codes[PlaceOfCode<K>(i)] = x_right >= 0 && x_right < layout.width ? right(x_right, y) : Code{0};
  }
  const int x_end = min(x_begin + kPixels, layout.width);
  for (int i = warp * kWarpSize + lane; i < kPixels; i += kWarps * kWarpSize) {
    left_codes[i] = left(min(x_begin + i, layout.width - 1), y);
  }
  __syncthreads();

  // Whether all right pixels of the block are inside the image.
  const bool inside = x_begin - layout.min_disparity - (layout.num_disparities - 1) >= 0 &&
                      x_end - 1 - layout.min_disparity < layout.width;
  const auto visit = [&](int x, auto checked) {
    // Right pixels by falling x: d = 0 of the first pixel is code x - x_begin + kPaddedCount - 1.
    Code met[K + kTogether - 1];
#pragma unroll
    for (int m = 0; m < K + kTogether - 1; ++m) {
      const int from_x = kPaddedCount - 1 + kTogether - 1 - m;
      // x - x_begin is a multiple of kTogether: where that is K, all but one addition is done at compile
      // time.
      met[m] = kTogether == K ? codes[PlaceOfCode<K>(from_x) + (x - x_begin) / K - lane]
                              : codes[PlaceOfCode<K>(x - x_begin + from_x) - lane];
    }
    std::uint8_t* const to =
        costs + (static_cast<std::ptrdiff_t>(y) * layout.width + x) * kPaddedCount + lane * K;
#pragma unroll
    for (int u = 0; u < kTogether; ++u) {
      if (decltype(checked)::value && x + u >= x_end) break;
      const Code code = left_codes[x - x_begin + u];
      std::uint32_t cost[K];
#pragma unroll
      for (int j = 0; j < K; ++j) {
        cost[j] = BitCount(static_cast<Code>(code ^ met[kTogether - 1 - u + j]));
        const int d = lane * K + j;
        if constexpr (checked()) {
          const int x_right = x + u - layout.min_disparity - d;
          if (static_cast<unsigned>(x_right) >= static_cast<unsigned>(layout.width)) cost[j] = outside_cost;
        }
        if constexpr (kPadded) {
          if (d >= layout.num_disparities) cost[j] = static_cast<std::uint32_t>(layout.padding_cost);
        }
      }
      LaneValues<K, std::uint8_t> packed;
#pragma unroll
      for (int i = 0; i < LaneValues<K, std::uint8_t>::kWords; ++i) {
        packed.words[i] = cost[4 * i] + cost[4 * i + 1] * 0x100U;
        if constexpr (K >= 4) packed.words[i] += cost[4 * i + 2] * 0x10000U + cost[4 * i + 3] * 0x1000000U;
      }
      packed.Store(to + u * kPaddedCount, 0);
    }
  };
#pragma unroll 1
  for (int x = x_begin + warp * kTogether; x < x_end; x += kWarps * kTogether) {
    inside&& x + kTogether <= x_end ? visit(x, std::false_type{}) : visit(x, std::true_type{});
  }
}

}  // namespace

VolumeLayout MakeVolumeLayout(const Parameters& parameters, const MatchingTables& tables, int width,
                              int height) {
  VolumeLayout layout;
  layout.width = width;
  layout.height = height;
  layout.num_disparities = parameters.matching_cost.num_disparities;
  layout.min_disparity = parameters.matching_cost.min_disparity;
  layout.values_per_lane = 2;
  while (layout.padded() < layout.num_disparities) layout.values_per_lane *= 2;
  layout.num_volumes = tables.num_paths / 2;
  layout.pairs_rows = NumPairs(height) >= pairs_rows_from;
  // D even: a word of 8-bit sums holds two disparities, and only the last one's carry is lost (AddUp).
  const int largest_path_cost = tables.census_bits + tables.largest_p2;
  layout.bytes_per_sum = 2 * largest_path_cost <= 255 && layout.num_disparities % 2 == 0 ? 1 : 2;
  layout.padding_cost = layout.bytes_per_sum == 1 ? largest_path_cost : 0;
  return layout;
}

void MatchingCost(const CensusImages& census, CensusWindow window, const VolumeLayout& layout,
                  int outside_cost, std::uint8_t* costs, std::uint32_t* bands_done, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((layout.width + kPixels - 1) / kPixels),
                  static_cast<unsigned>(layout.height));
  const dim3 block(kWarpSize, kWarps);
  const auto outside = static_cast<std::uint32_t>(outside_cost);
  const auto launch = [&](auto k, auto padded) {
    if (HasCode32(window)) {
      LaunchDependent("MatchingCostKernel", MatchingCostKernel<k(), std::uint32_t, padded()>, grid, block, 0,
                      stream, AsConst(census.left32), AsConst(census.right32), layout, outside, costs,
                      bands_done);
    } else {
      LaunchDependent("MatchingCostKernel", MatchingCostKernel<k(), std::uint64_t, padded()>, grid, block, 0,
                      stream, AsConst(census.left64), AsConst(census.right64), layout, outside, costs,
                      bands_done);
    }
  };
  WithValuesPerLane(layout, [&](auto k) {
    layout.padded() == layout.num_disparities ? launch(k, std::false_type{}) : launch(k, std::true_type{});
  });
}

}  // namespace parallax::cuda
