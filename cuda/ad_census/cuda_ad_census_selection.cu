// A block has a row. Its warps take pixels in turns, some at a time; a lane has words of two successive
// disparities. The lowest sum so far of each right pixel stands in shared memory, with its disparity.
#include "cuda/ad_census/cuda_ad_census_selection.h"

#include <cstdint>

#include "cuda/ad_census/lane_words.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "parallax/disparity_map.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr int kWarps = 16, kPixels = 8;  // of a block; that a warp takes at a time
constexpr std::uint32_t kNone = 0xFFFFFFFF;

enum class Wanted { kBoth, kLeft, kMirrored };

struct Arguments {
  const std::uint32_t *rows, *columns;  // words of two; columns may be null
  CostShape shape;
  int uniqueness_percent;
  std::uint16_t *winner_left, *winner_right;
  DeviceDisparityMap map;
};

template <int K, Wanted kWanted>
__global__ void __launch_bounds__(kWarpSize* kWarps, K <= 2 ? 3 : 1) SelectionKernel(const Arguments a) {
  constexpr int kAhead = K <= 2 ? 4 : K <= 4 ? 2 : 1;  // pixels that are loaded together
  extern __shared__ std::uint32_t right_keys[];        // kBoth: sum and disparity, of each right pixel
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int thread = warp * kWarpSize + lane, width = a.shape.width;
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(blockIdx.x) * width;
  if constexpr (kWanted == Wanted::kBoth) {
    for (int x = thread; x < width; x += kWarpSize * kWarps) right_keys[x] = kNone;
    __syncthreads();
  }
  std::uint32_t padding[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const int past = k * kGroup + 2 * lane - a.shape.num_disparities;
    padding[k] = (past >= 0 ? 0xFFFFU : 0U) | (past + 1 >= 0 ? 0xFFFF0000U : 0U);
  }
  for (int begin = warp * kPixels; begin < width; begin += kWarps * kPixels) {
    std::uint32_t best_key = 0, rival = 0;  // of pixel begin + lane
    // Selects for pixel begin + i.
    const auto select = [&](int i, const std::uint32_t(&of_rows)[K], const std::uint32_t(&of_columns)[K]) {
      const int x = begin + i;
      std::uint32_t sums[K], lowest = kNone;
#pragma unroll
      for (int k = 0; k < K; ++k) {
        sums[k] = (of_rows[k] + of_columns[k]) | padding[k];
        const auto d = static_cast<std::uint32_t>(k * kGroup + 2 * lane);
        const std::uint32_t first = sums[k] << 16 | d, second = (sums[k] & 0xFFFF0000U) | (d + 1);
        lowest = min(lowest, min(first, second));
        if constexpr (kWanted == Wanted::kBoth) {
          const int x_right = x - a.shape.min_disparity - static_cast<int>(d);
          const auto offer = [&](int to, std::uint32_t key, bool is_disparity) {
            if (static_cast<unsigned>(to) < static_cast<unsigned>(width) && is_disparity &&
                key < right_keys[to])
              atomicMin(&right_keys[to], key);
          };
          offer(x_right, first, (padding[k] & 1U) == 0);
          offer(x_right - 1, second, (padding[k] >> 31) == 0);
        }
      }
      const std::uint32_t key = WarpMin(lowest);
      std::uint32_t lowest_rival = 0xFFFF;
      if constexpr (kWanted != Wanted::kMirrored) {
        const auto winner = static_cast<int>(key & 0xFFFFU);
#pragma unroll
        for (int k = 0; k < K; ++k) {
          const int apart = k * kGroup + 2 * lane - winner + 1;
          if (static_cast<unsigned>(apart) > 2) lowest_rival = min(lowest_rival, sums[k] & 0xFFFFU);
          if (static_cast<unsigned>(apart + 1) > 2) lowest_rival = min(lowest_rival, sums[k] >> 16);
        }
        lowest_rival = WarpMin(lowest_rival);
      }
      if (lane == i) best_key = key, rival = lowest_rival;
    };
#pragma unroll 1
    for (int next = 0; next < kPixels; next += kAhead) {
      std::uint32_t of_rows[kAhead][K], of_columns[kAhead][K];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const int x = begin + next + i;
        const std::ptrdiff_t at = (row + x) * (a.shape.padded / 2) + lane;
#pragma unroll
        for (int k = 0; k < K; ++k) {
          of_rows[i][k] = x < width ? a.rows[at + k * kWarpSize] : 0;
          of_columns[i][k] = x < width && a.columns != nullptr ? a.columns[at + k * kWarpSize] : 0;
        }
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        if (begin + next + i < width) select(next + i, of_rows[i], of_columns[i]);
      }
    }
    const int x = begin + lane;
    if (lane >= kPixels || x >= width) continue;
    const std::uint32_t best = best_key >> 16, winner = best_key & 0xFFFFU;
    if constexpr (kWanted == Wanted::kMirrored) {
      a.winner_right[row + width - 1 - x] = static_cast<std::uint16_t>(winner);
    } else {
      const bool has_rival = rival != 0xFFFF;
      const bool is_unique = !has_rival || IsUnique(best, rival, a.uniqueness_percent);
      a.winner_left[row + x] = static_cast<std::uint16_t>(winner);
      a.map.validity.data[row + x] = is_unique ? kValid : kNotUnique;
      a.map.confidence.data[row + x] = has_rival ? Confidence(best, rival) : std::uint8_t{255};
      a.map.disparity.data[row + x] =
          is_unique ? static_cast<float>(a.shape.min_disparity + static_cast<int>(winner))
                    : __int_as_float(0x7FC00000);
    }
  }
  if constexpr (kWanted == Wanted::kBoth) {
    __syncthreads();
    for (int x = thread; x < width; x += kWarpSize * kWarps) {
      const std::uint32_t key = right_keys[x];
      a.winner_right[row + x] = key == kNone ? kNoWinner : static_cast<std::uint16_t>(key & 0xFFFFU);
    }
  }
}

template <Wanted kWanted>
void Launch(const Arguments& a, cudaStream_t stream) {
  const std::size_t shared_bytes =
      kWanted == Wanted::kBoth ? static_cast<std::size_t>(a.shape.width) * sizeof(std::uint32_t) : 0;
  WithLaneWords(a.shape.padded, [&](auto words) {
    if (shared_bytes > 48 * 1024) {
      Check(cudaFuncSetAttribute(SelectionKernel<words(), kWanted>,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
            "cudaFuncSetAttribute");
    }
    SelectionKernel<words(), kWanted>
        <<<static_cast<unsigned>(a.shape.height), dim3(kWarpSize, kWarps), shared_bytes, stream>>>(a);
  });
  CheckLaunch("SelectionKernel");
}

Arguments MakeArguments(const PathSums& sums, const CostShape& shape, int uniqueness_percent) {
  Arguments a{};
  a.rows = reinterpret_cast<const std::uint32_t*>(sums.rows);
  a.columns = reinterpret_cast<const std::uint32_t*>(sums.columns);
  a.shape = shape;
  a.uniqueness_percent = uniqueness_percent;
  return a;
}

}  // namespace

void SelectDisparities(const PathSums& sums, const CostShape& shape, int uniqueness_percent,
                       const WinnerImages& winners, const DeviceDisparityMap& selected, cudaStream_t stream) {
  Arguments a = MakeArguments(sums, shape, uniqueness_percent);
  a.winner_left = winners.left.data;
  a.winner_right = winners.right.data;
  a.map = selected;
  Launch<Wanted::kBoth>(a, stream);
}

void SelectLeftDisparities(const PathSums& sums, const CostShape& shape, int uniqueness_percent,
                           DeviceImageView<std::uint16_t> winner_left, const DeviceDisparityMap& selected,
                           cudaStream_t stream) {
  Arguments a = MakeArguments(sums, shape, uniqueness_percent);
  a.winner_left = winner_left.data;
  a.map = selected;
  Launch<Wanted::kLeft>(a, stream);
}

void SelectMirrored(const PathSums& sums, const CostShape& shape, DeviceImageView<std::uint16_t> winners,
                    cudaStream_t stream) {
  Arguments a = MakeArguments(sums, shape, 0);
  a.winner_right = winners.data;
  Launch<Wanted::kMirrored>(a, stream);
}

}  // namespace parallax::cuda::ad_census
