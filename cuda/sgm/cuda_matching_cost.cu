// matching_cost: one warp four neighbouring pixels at a time, K disparities a lane (cuda/sgm/lane_costs.cuh):
// those that a lane meets at one pixel are all but one those it meets at the next. A block takes a part of a
// row; its codes and those of the right pixels that it meets lie in shared memory.
#include "cuda/sgm/cuda_matching_cost.h"

#include <algorithm>

#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/lane_costs.cuh"

namespace parallax::cuda {
namespace {

constexpr int kWarps = 8;
constexpr int kTogether = 4;      // pixels of a warp at a time
constexpr int kMostPixels = 320;  // of a block

__device__ __forceinline__ std::uint32_t BitCount(std::uint32_t code) {
  return static_cast<std::uint32_t>(__popc(code));
}
__device__ __forceinline__ std::uint32_t BitCount(std::uint64_t code) {
  return static_cast<std::uint32_t>(__popcll(code));
}

// The same by additions and bit operations: a multiprocessor does 64 of these a cycle, but counts the bits of
// 16 words only.
__device__ __forceinline__ std::uint32_t BitCountsOfFour(std::uint32_t word) {
  const std::uint32_t of_two = word - (word >> 1 & 0x55555555U);
  return (of_two & 0x33333333U) + (of_two >> 2 & 0x33333333U);
}
__device__ __forceinline__ std::uint32_t BitCountByArithmetic(std::uint32_t code) {
  const std::uint32_t of_four = BitCountsOfFour(code);
  return ((of_four + (of_four >> 4)) & 0x0F0F0F0FU) * 0x01010101U >> 24;
}
__device__ __forceinline__ std::uint32_t BitCountByArithmetic(std::uint64_t code) {
  const std::uint32_t of_both = BitCountsOfFour(static_cast<std::uint32_t>(code)) +
                                BitCountsOfFour(static_cast<std::uint32_t>(code >> 32));
  return ((of_both & 0x0F0F0F0FU) + (of_both >> 4 & 0x0F0F0F0FU)) * 0x01010101U >> 24;
}
// Whether disparity j of a lane, at the pixel u of those that a warp takes together, is counted so: it is
// done soonest with one code in 16 of 32 bits, one in 8 of 64 bits, and none where gradients are compared
// too.
template <typename Code, bool kGradient>
constexpr bool IsByArithmetic(int u, int j) {
  if (sizeof(Code) == 8) return !kGradient && u % 2 == 0 && j % 4 == 3;
  return u == 0 && j % 4 == 3;
}

// Codes that are read at once.
template <typename Code, int kCount>
struct alignas(sizeof(Code) * kCount) Codes {
  Code of[kCount];
};

// The gradient term; see GradientImages.
struct GradientTerm {
  DeviceImageView<const std::uint32_t> left, right;
  std::uint32_t weight, cap;  // cap: in both halves
};
// The interval and own value of two right pixels, a half each: its lowest and its own; 255 less its highest and
// less its own.
struct alignas(16) RightGradients {
  std::uint32_t lowest, own, less_highest, less_own;
  __device__ __forceinline__ static RightGradients Of(std::uint32_t first, std::uint32_t second) {
    const std::uint32_t low = __byte_perm(first, second, 0x5410), high = __byte_perm(first, second, 0x7632);
    return {low & 0x00FF00FFU, low >> 8 & 0x00FF00FFU, high & 0x00FF00FFU, high >> 8 & 0x00FF00FFU};
  }
};
// The values of a left pixel in both halves, less the same numbers.
struct alignas(16) LeftGradient {
  std::uint32_t less_own, less_highest, own, lowest;
  __device__ __forceinline__ static LeftGradient Of(std::uint32_t packed) {
    const auto both = [](std::uint32_t value) { return InBothHalves(value & 0xFFFFU); };
    const std::uint32_t own_value = packed >> 8 & 255U;
    return {both(0U - own_value), both((packed >> 16 & 255U) - 255U), both(own_value - 255U),
            both((packed & 255U) - 255U)};
  }
  // How far the left pixel lies from each right one's interval, or, if less, the other way round; at most cap.
  __device__ __forceinline__ std::uint32_t DifferencesFrom(const RightGradients& right,
                                                           std::uint32_t cap) const {
    const std::uint32_t left_above = __viaddmax_s16x2_relu(right.lowest, less_own, 0U),
                        right_above = __viaddmax_s16x2_relu(right.own, less_highest, 0U);
    return __vimin3_u16x2(__viaddmax_s16x2(right.less_highest, own, left_above),
                          __viaddmax_s16x2(right.less_own, lowest, right_above), cap);
  }
};

// Makes the weights of tiles.
struct TileWeights {
  const std::uint32_t* differences;  // null if all costs count whole
  WeightRule rule;
  __device__ __forceinline__ std::uint32_t Of(int tile_x, int tile_y, const VolumeLayout& layout) const {
    const int columns = NumWeightTiles(layout.width), rows = NumWeightTiles(layout.height);
    std::uint32_t sum = 0;
#pragma unroll
    for (int j = -kWeightTilesAround; j <= kWeightTilesAround; ++j) {
#pragma unroll
      for (int i = -kWeightTilesAround; i <= kWeightTilesAround; ++i) {
        const int u = tile_x + i, v = tile_y + j;
        if (u >= 0 && u < columns && v >= 0 && v < rows) sum += differences[v * columns + u];
      }
    }
    return CostWeight(rule, sum,
                      static_cast<std::uint32_t>(PixelsAroundTile(tile_x, layout.width) *
                                                 PixelsAroundTile(tile_y, layout.height)));
  }
};

// kMayWeigh: costs may be weighed; the question takes a tenth of the kernel's time.
template <typename Shape, typename Code, bool kPadded, bool kGradient, bool kMayWeigh>
__global__ void __launch_bounds__(kWarps* kWarpSize)
    MatchingCostKernel(DeviceImageView<const Code> left, DeviceImageView<const Code> right,
                       GradientTerm gradient, VolumeLayout layout, int pixels, std::uint32_t outside_cost,
                       TileWeights tile_weights, std::uint8_t* costs, std::uint32_t* bands_done) {
  constexpr int K = Shape::K;
  constexpr int kPaddedCount = kWarpSize * K;  // of all lanes
  constexpr int kAtOnce = std::min(K, 16 / static_cast<int>(sizeof(Code)));
  using Vector = Codes<Code, kAtOnce>;
  // One lane's codes lie kStride vectors after the previous lane's. Those that lanes read together stand side
  // by side: they would otherwise wait for each other's banks of shared memory.
  constexpr int kStride = K / kAtOnce, kPerStride = (kMostPixels + kPaddedCount) / K;
  const auto place_of = [](int vector) { return vector % kStride * kPerStride + vector / kStride; };
  __shared__ Vector right_codes[kStride * kPerStride];  // of right pixels first_right + i
  __shared__ Codes<Code, kTogether> left_codes[kMostPixels / kTogether];
  // Two costs a word, of j and j + kApart.
  constexpr int kApart = K >= 4 ? 2 : 1;
  // The gradients of right pixel number i, which a lane meets with one cost, and of i - kApart, which it meets
  // with the other; of every fourth or second pixel together, placed as the codes are.
  constexpr int kEvery = std::min(K, 4), kGradientStride = K / kEvery;
  const auto gradient_place_of = [](int vector) {
    return vector % kGradientStride * kPerStride + vector / kGradientStride;
  };
  __shared__ RightGradients right_gradients[kEvery][kGradient ? kGradientStride * kPerStride : 1];
  __shared__ LeftGradient left_gradients[kGradient ? kMostPixels : 1];
  __shared__ std::uint16_t weights[kMostPixels / kWeightTile_px];
  const int y = static_cast<int>(blockIdx.y);
  const int x_begin = static_cast<int>(blockIdx.x) * pixels;
  const int x_end = min(x_begin + pixels, layout.width), count = x_end - x_begin;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int thread = warp * kWarpSize + lane;
  const int first_right = x_begin - layout.min_disparity - (kPaddedCount - 1);
  const bool weighs = kMayWeigh && tile_weights.differences != nullptr;
  const KeptShare kept;
  WaitForKernelBefore();
  LetNextKernelBegin();
  if (bands_done != nullptr && x_begin == 0 && y % kBandRows == 0 && thread == 0) {
    bands_done[y / kBandRows] = 0;
  }
  const Code* const right_row = right.Row(y);
  const Code* const left_row = left.Row(y) + x_begin;
  for (int i = thread; i < count + kPaddedCount; i += kWarps * kWarpSize) {
    const int x_right = first_right + i;
    const bool inside = static_cast<unsigned>(x_right) < static_cast<unsigned>(layout.width);
    right_codes[place_of(i / kAtOnce)].of[i % kAtOnce] = inside ? right_row[x_right] : Code{0};
    if constexpr (kGradient) {
      const auto at = [&](int x) {
        return static_cast<unsigned>(x) < static_cast<unsigned>(layout.width) ? gradient.right(x, y) : 0U;
      };
      right_gradients[i % kEvery][gradient_place_of(i / kEvery)] =
          RightGradients::Of(at(x_right), at(x_right - kApart));
    }
  }
  if (weighs && thread * kWeightTile_px < count) {
    weights[thread] = static_cast<std::uint16_t>(
        tile_weights.Of(x_begin / kWeightTile_px + thread, y / kWeightTile_px, layout));
  }
  for (int i = thread; i < count; i += kWarps * kWarpSize) {
    left_codes[i / kTogether].of[i % kTogether] = left_row[i];
    if constexpr (kGradient) left_gradients[i] = LeftGradient::Of(gradient.left(x_begin + i, y));
  }
  __syncthreads();

  const auto visit = [&](int i, auto checked) {  // pixels x_begin + i ..
    // Element K - 1 - j + u belongs to disparity lane * K + j at pixel i + u.
    constexpr int kVectors = (K + kTogether) / kAtOnce;
    Vector met[kVectors];
    const int first = (i + kPaddedCount - K - lane * K) / kAtOnce;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) met[v] = right_codes[place_of(first + v)];
    [[maybe_unused]] RightGradients met_gradients[kGradient ? K + kTogether : 1];
    if constexpr (kGradient) {
      const int first_gradient = (i + kPaddedCount - K - lane * K) / kEvery;
#pragma unroll
      for (int n = 0; n < K + kTogether; ++n)
        met_gradients[n] = right_gradients[n % kEvery][gradient_place_of(first_gradient + n / kEvery)];
    }
    const Codes<Code, kTogether> here = left_codes[i / kTogether];
    // The costs of kTogether pixels, which lie in one tile.
    const std::uint32_t weight = weighs ? weights[i / kWeightTile_px] : kWholeWeight;
    std::uint8_t* const to =
        costs + (static_cast<std::ptrdiff_t>(y) * layout.width + x_begin + i) * Shape::kPadded + lane * K;
#pragma unroll
    for (int u = 0; u < kTogether; ++u) {
      if (decltype(checked)::value && i + u >= count) break;
      std::uint32_t cost[K];
#pragma unroll
      for (int j = 0; j < K; ++j) {
        const int number = K - 1 - j + u;
        const Code differs = here.of[u] ^ met[number / kAtOnce].of[number % kAtOnce];
        cost[j] = IsByArithmetic<Code, kGradient>(u, j) ? BitCountByArithmetic(differs) : BitCount(differs);
      }
      // Put together by the units that multiply, as those that count bits have enough to do.
      std::uint32_t pairs[K / 2];
#pragma unroll
      for (int k = 0; k < K / 2; ++k) {
        const int j = k / kApart * 2 * kApart + k % kApart;
        pairs[k] = MultiplyAdd(cost[j + kApart], 0x10000U, cost[j]);
        if constexpr (kGradient) {
          pairs[k] =
              MultiplyAdd(left_gradients[i + u].DifferencesFrom(met_gradients[K - 1 - j + u], gradient.cap),
                          gradient.weight, pairs[k]);
        }
      }
      if (weight < kWholeWeight) {
#pragma unroll
        for (int k = 0; k < K / 2; ++k) pairs[k] = __byte_perm(pairs[k] * weight, 0, 0x4341);
      }
#pragma unroll
      for (int k = 0; k < K / 2; ++k) {
        const int j = k / kApart * 2 * kApart + k % kApart;
        const auto replace = [&](int at, std::uint32_t low_mask, int shift) {
          const int d = lane * K + at;
          const auto set = [&](std::uint32_t value) { pairs[k] = (pairs[k] & low_mask) | value << shift; };
          if constexpr (checked()) {
            const int x_right = x_begin + i + u - layout.min_disparity - d;
            if (static_cast<unsigned>(x_right) >= static_cast<unsigned>(layout.width))
              set(outside_cost * weight / kWholeWeight);
          }
          if constexpr (kPadded) {
            if (d >= layout.num_disparities) set(static_cast<std::uint32_t>(layout.padding_cost));
          }
        };
        replace(j, 0xFFFF0000U, 0);
        replace(j + kApart, 0xFFFFU, 16);
      }
      LaneValues<K, std::uint8_t> packed;
#pragma unroll
      for (int w = 0; w < LaneValues<K, std::uint8_t>::kWords; ++w) {
        packed.words[w] = K >= 4
                              ? MultiplyAdd(pairs[K >= 4 ? 2 * w + 1 : 0], 0x100U, pairs[K >= 4 ? 2 * w : 0])
                              : __byte_perm(pairs[w], 0, 0x4420);
      }
      if (Shape::HasValues(lane)) packed.StoreToKeep(to + u * Shape::kPadded, 0, kept);
    }
  };
#pragma unroll 1
  for (int i = warp * kTogether; i < count; i += kWarps * kTogether) {
    const int first_met = x_begin + i - layout.min_disparity;  // by d = 0
    const bool inside = first_met - (layout.num_disparities - 1) >= 0 &&
                        first_met + kTogether <= layout.width && i + kTogether <= count;
    inside ? visit(i, std::false_type{}) : visit(i, std::true_type{});
  }
}

}  // namespace

void MatchingCost(const MatchingCostInput& input, const SgmVolumes& volumes, cudaStream_t stream) {
  const VolumeLayout& layout = volumes.layout;
  const CensusImages& census = input.census;
  std::uint8_t* const costs = volumes.Costs().data;
  // Equal parts, whole warps long.
  const int parts = (layout.width + kMostPixels - 1) / kMostPixels;
  const int pixels = ((layout.width + parts - 1) / parts + kWarpSize - 1) / kWarpSize * kWarpSize;
  const dim3 grid(static_cast<unsigned>((layout.width + pixels - 1) / pixels),
                  static_cast<unsigned>(layout.height));
  const dim3 block(kWarpSize, kWarps);
  const auto outside = static_cast<std::uint32_t>(input.tables.outside_cost);
  const GradientTerm gradient{AsConst(input.gradients.left), AsConst(input.gradients.right),
                              input.tables.gradient_cost[1],
                              InBothHalves(static_cast<std::uint32_t>(input.gradient_cap))};
  const TileWeights weights{input.tile_differences, input.tables.weights};
  const auto launch = [&](auto shape, auto padded, auto with_gradient, auto may_weigh) {
    using Shape = decltype(shape);
    if (HasCode32(input.window)) {
      LaunchDependent("MatchingCostKernel",
                      MatchingCostKernel<Shape, std::uint32_t, padded(), with_gradient(), may_weigh()>, grid,
                      block, 0, stream, AsConst(census.left32), AsConst(census.right32), gradient, layout,
                      pixels, outside, weights, costs, volumes.bands_done);
    } else {
      LaunchDependent("MatchingCostKernel",
                      MatchingCostKernel<Shape, std::uint64_t, padded(), with_gradient(), may_weigh()>, grid,
                      block, 0, stream, AsConst(census.left64), AsConst(census.right64), gradient, layout,
                      pixels, outside, weights, costs, volumes.bands_done);
    }
  };
  WithShape(layout, [&](auto shape) {
    const auto with_padding = [&](auto with_gradient) {
      constexpr std::true_type kTrue;
      constexpr std::false_type kFalse;
      if (layout.padded() != layout.num_disparities) return launch(shape, kTrue, with_gradient, kTrue);
      input.tile_differences != nullptr ? launch(shape, kFalse, with_gradient, kTrue)
                                        : launch(shape, kFalse, with_gradient, kFalse);
    };
    input.tables.has_gradient ? with_padding(std::true_type{}) : with_padding(std::false_type{});
  });
}

}  // namespace parallax::cuda
