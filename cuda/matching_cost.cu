// matching_cost: one warp a pixel at a time, two disparities a word (cuda/warp_costs.cuh). A block takes
// kPixels pixels of one row; their codes and those of the right pixels that they meet lie in shared memory.
#include "cuda/check.h"
#include "cuda/stages.h"
#include "cuda/warp_costs.cuh"

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
  return (i & (K - 1)) * ((kPixels + 64 * K) / K) + i / K;
}

template <int K, typename Code>
__global__ void MatchingCostKernel(DeviceImageView<const Code> left, DeviceImageView<const Code> right,
                                   VolumeLayout layout, std::uint32_t outside_cost, std::uint8_t* costs) {
  constexpr int kPadded = 64 * K;
  constexpr int kCodes = kPixels + kPadded;  // one more than needed: a multiple of K
  __shared__ Code codes[kCodes];             // of right pixels first_right + i, at PlaceOfCode(i)
  __shared__ Code left_codes[kPixels];
  const int y = static_cast<int>(blockIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * kPixels;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int first_right = x_begin - layout.min_disparity - (kPadded - 1);
  for (int i = warp * kWarpSize + lane; i < kCodes; i += kWarps * kWarpSize) {
    const int x_right = first_right + i;
    codes[PlaceOfCode<K>(i)] = x_right >= 0 && x_right < layout.width ? right(x_right, y) : Code{0};
  }
  const int x_end = min(x_begin + kPixels, layout.width);
  for (int x = x_begin + warp * kWarpSize + lane; x < x_end; x += kWarps * kWarpSize)
    left_codes[x - x_begin] = left(x, y);
  __syncthreads();

  std::uint8_t* const row_costs =
      costs + (static_cast<std::size_t>(y) * static_cast<std::size_t>(layout.width)) * kPadded;
  // Whether all right pixels of the block are inside the image.
  const bool inside = x_begin - layout.min_disparity - (layout.num_disparities - 1) >= 0 &&
                      x_end - 1 - layout.min_disparity < layout.width;
  const auto visit = [&](int x, auto checked) {
    const Code code = left_codes[x - x_begin];
    const int zero = x - x_begin + kPadded - 1;  // d = 0
    std::uint32_t words[K];
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const int low = LowDisparity<K>(lane, j), high = HighDisparity<K>(lane, j);
      const Code* const at_zero = codes + PlaceOfCode<K>(zero - j);  // minus lane K codes: minus lane places
      std::uint32_t cost_low = BitCount(static_cast<Code>(code ^ at_zero[-lane]));
      std::uint32_t cost_high = BitCount(static_cast<Code>(code ^ at_zero[-lane - 32]));
      if constexpr (checked()) {
        const int x_right = x - layout.min_disparity;
        if (static_cast<unsigned>(x_right - low) >= static_cast<unsigned>(layout.width))
          cost_low = outside_cost;
        if (static_cast<unsigned>(x_right - high) >= static_cast<unsigned>(layout.width))
          cost_high = outside_cost;
      }
      words[j] = cost_low + cost_high * 0x10000U;
    }
    PackedLane<K, std::uint8_t> packed;
    Pack<K>(words, packed);
    packed.Store(row_costs + static_cast<std::ptrdiff_t>(x) * kPadded, lane);
  };
  if (inside) {
#pragma unroll 2
    for (int x = x_begin + warp; x < x_end; x += kWarps) visit(x, std::false_type{});
  } else {
    for (int x = x_begin + warp; x < x_end; x += kWarps) visit(x, std::true_type{});
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
  layout.words = 1;
  while (layout.padded() < layout.num_disparities) layout.words *= 2;
  layout.bytes_per_path_cost = tables.census_bits + tables.largest_p2 <= 255 ? 1 : 2;
  return layout;
}

void MatchingCost(const CensusImages& census, CensusWindow window, const VolumeLayout& layout,
                  int outside_cost, std::uint8_t* costs, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((layout.width + kPixels - 1) / kPixels),
                  static_cast<unsigned>(layout.height));
  const dim3 block(kWarpSize, kWarps);
  const auto outside = static_cast<std::uint32_t>(outside_cost);
  WithWords(layout.words, [&](auto k) {
    if (HasCode32(window)) {
      MatchingCostKernel<k(), std::uint32_t><<<grid, block, 0, stream>>>(
          AsConst(census.left32), AsConst(census.right32), layout, outside, costs);
    } else {
      MatchingCostKernel<k(), std::uint64_t><<<grid, block, 0, stream>>>(
          AsConst(census.left64), AsConst(census.right64), layout, outside, costs);
    }
  });
  CheckLaunch("MatchingCostKernel");
}

}  // namespace parallax::cuda
