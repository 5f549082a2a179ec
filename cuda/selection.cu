// selection: one block a row, one warp a run of neighbouring pixels, taken one after the other from left to
// right. The warp adds up the path costs of a pixel (two disparities a word). Of the sums come
//   - the left winner and its rival (two reductions over the warp); lane i keeps what pixel i needs for the
//     sub-pixel step, which 32 lanes then do at once;
//   - the right winners: slot d holds the best key (sum, d) so far of the right pixel that sees this pixel
//   with
//     disparity d. From one pixel to the next all keys move up by one slot, so a right pixel's key meets each
//     of its disparities once and leaves at the last slot. Rows of keys are joined in shared memory by an
//     atomic minimum, which gives the same value in any order.
#include "cuda/check.h"
#include "cuda/stages.h"
#include "cuda/warp_costs.cuh"
#include "pipeline/disparity_map.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda {
namespace {

constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;

struct Arguments {
  const std::uint8_t* path_costs;
  std::size_t path_bytes;
  int width, num_disparities, min_disparity;
  SelectionParameters parameters;
  std::uint16_t *winner_left, *winner_right;
  float* disparity;
  std::uint8_t *validity, *confidence;
};

// What lane i remembers of pixel i.
struct Winner {
  std::uint32_t best, d;        // lowest sum, its index
  std::uint32_t rival;          // lowest sum not beside it, kNoSum or more where there is none
  std::uint32_t before, after;  // sums at d - 1, d + 1
};

template <int K, typename T, int kPaths>
__device__ __forceinline__ void LoadPaths(const Arguments& a, int pixel, int lane,
                                          PackedLane<K, T> (&packed)[kPaths]) {
  const std::uint8_t* const first = a.path_costs + static_cast<std::size_t>(pixel) * (64 * K * sizeof(T));
#pragma unroll
  for (int r = 0; r < kPaths; ++r) packed[r].Load(first + static_cast<std::size_t>(r) * a.path_bytes, lane);
}

template <int K, typename T, int kPaths>
__device__ __forceinline__ void AddPaths(const PackedLane<K, T> (&packed)[kPaths], std::uint32_t (&sum)[K]) {
#pragma unroll
  for (int j = 0; j < K; ++j) sum[j] = 0;
#pragma unroll
  for (int r = 0; r < kPaths; ++r) {
    std::uint32_t words[K];
    Unpack<K>(packed[r], words);
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] += words[j];  // sums stay below 65536 except in padding
  }
}

// Sums of 8-bit path costs stay below this, which stands where there is no disparity; of 16-bit ones below
// 65535.
template <typename T>
constexpr std::uint32_t kNoSum = sizeof(T) == 1 ? 0x2000U : 0xFFFFU;

// Lowest sum that is not beside d: what the warp's lane finds among its own.
template <int K, typename T>
__device__ __forceinline__ std::uint32_t LaneRival(const std::uint32_t (&sum)[K], std::uint32_t d, int lane) {
  if constexpr (sizeof(T) == 1) {
    // Both halves at once: n = min(d' - d + 1, 3) is 3 for those not beside d; the others rise by 0x4000 or
    // more.
    std::uint32_t least = 0xFFFFFFFFU;
    const std::uint32_t shift = Twice((1U - d) & 0xFFFFU);
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const std::uint32_t places = static_cast<std::uint32_t>(LowDisparity<K>(lane, j)) |
                                   static_cast<std::uint32_t>(HighDisparity<K>(lane, j)) << 16;
      const std::uint32_t n = __viaddmin_u16x2(places, shift, 0x00030003U);
      least = __vminu2(least, sum[j] + 0xC000C000U - n * 0x4000U);
    }
    return min(least & 0xFFFFU, least >> 16);
  } else {
    std::uint32_t least = kNoSum<T>;
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const bool low_near = static_cast<std::uint32_t>(LowDisparity<K>(lane, j)) - d + 1U <= 2U;
      const bool high_near = static_cast<std::uint32_t>(HighDisparity<K>(lane, j)) - d + 1U <= 2U;
      least = min(least, low_near ? kNoSum<T> : sum[j] & 0xFFFFU);
      least = min(least, high_near ? kNoSum<T> : sum[j] >> 16);
    }
    return least;
  }
}

// A pixel's sums in shared memory, from which the lane that keeps the pixel takes the winner's neighbours.
template <int K>
struct SumRow {
  std::uint32_t words[32 * K];
  __device__ __forceinline__ void Store(const std::uint32_t (&sum)[K], int lane) {
#pragma unroll
    for (int j = 0; j < K; ++j) words[lane * K + j] = sum[j];
  }
  // d in 0 .. 64 K - 1.
  __device__ __forceinline__ std::uint32_t At(std::uint32_t d) const {
    const std::uint32_t word = words[d & (32U * K - 1U)];
    return d >= 32U * K ? word >> 16 : word & 0xFFFFU;
  }
};

__device__ __forceinline__ void StoreWinner(const Arguments& a, int pixel, const Winner& w, bool has_rival) {
  const bool unique = !has_rival || IsUnique(w.best, w.rival, a.parameters.uniqueness_percent);
  float disparity = static_cast<float>(a.min_disparity + static_cast<int>(w.d));
  if (w.d != 0 && static_cast<int>(w.d) + 1 != a.num_disparities) {
    disparity += SubpixelOffset(static_cast<int>(w.before - w.best), static_cast<int>(w.after - w.best),
                                a.parameters.subpixel);
  }
  a.winner_left[pixel] = static_cast<std::uint16_t>(w.d);
  a.validity[pixel] = unique ? kValid : kNotUnique;
  a.confidence[pixel] = has_rival ? Confidence(w.best, w.rival) : std::uint8_t{255};
  a.disparity[pixel] = unique ? disparity : __int_as_float(0x7FC00000);
}

template <int K, typename T, int kPaths, int kWarps>
__global__ void __launch_bounds__(kWarps* kWarpSize, K <= 2   ? 3
                                                     : K == 4 ? 2
                                                              : 1)
    SelectDisparitiesKernel(const Arguments a) {
  extern __shared__ std::uint32_t right_keys[];  // of the row's right pixels
  __shared__ SumRow<K> sum_rows[kWarps];
  constexpr int kPadded = 64 * K, kAhead = K <= 2 ? 2 : 1;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.x) * a.width;
  for (int i = warp * kWarpSize + lane; i < a.width; i += kWarps * kWarpSize) right_keys[i] = kNoKey;
  __syncthreads();

  std::uint32_t padding[K];
  FillPadding<K>(lane, a.num_disparities, kNoSum<T>, padding);
  const int run = (a.width + kWarps - 1) / kWarps;
  const int x_begin = warp * run, x_end = min(x_begin + run, a.width);
  std::uint32_t low_keys[K], high_keys[K];
#pragma unroll
  for (int j = 0; j < K; ++j) low_keys[j] = high_keys[j] = kNoKey;
  const auto join = [&](int x_right, std::uint32_t key) {
    if (key < kNoSum<T> << 16 && x_right >= 0 && x_right < a.width) atomicMin(&right_keys[x_right], key);
  };

  Winner mine{};
  PackedLane<K, T> packed[kAhead][kPaths];
#pragma unroll
  for (int u = 0; u < kAhead; ++u) {
    if (x_begin + u < x_end) LoadPaths<K, T, kPaths>(a, row + x_begin + u, lane, packed[u]);
  }
  for (int x_group = x_begin; x_group < x_end; x_group += kAhead) {
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const int x = x_group + u;
      if (x >= x_end) break;
      std::uint32_t sum[K];
      AddPaths<K, T, kPaths>(packed[u], sum);
      if (x + kAhead < x_end) LoadPaths<K, T, kPaths>(a, row + x + kAhead, lane, packed[u]);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[j] |= padding[j];
      __syncwarp();
      sum_rows[warp].Store(sum, lane);

      // All right keys move up one slot and meet this pixel's sums.
      const std::uint32_t low_carry = __shfl_sync(kFullWarp, low_keys[K - 1], (lane + 31) & 31);
      const std::uint32_t high_carry = __shfl_sync(kFullWarp, high_keys[K - 1], (lane + 31) & 31);
      std::uint32_t lane_key = kNoKey;
#pragma unroll
      for (int j = K - 1; j >= 0; --j) {
        const std::uint32_t low = sum[j] << 16 | static_cast<std::uint32_t>(LowDisparity<K>(lane, j));
        const std::uint32_t high =
            (sum[j] & 0xFFFF0000U) | static_cast<std::uint32_t>(HighDisparity<K>(lane, j));
        lane_key = min(lane_key, min(low, high));
        low_keys[j] = min(low, j > 0 ? low_keys[j - 1] : lane == 0 ? kNoKey : low_carry);
        high_keys[j] = min(high, j > 0 ? high_keys[j - 1] : lane == 0 ? low_carry : high_carry);
      }
      // The right pixel that has met its last disparity.
      if (lane == kWarpSize - 1) join(x - a.min_disparity - (kPadded - 1), high_keys[K - 1]);

      const std::uint32_t key = __reduce_min_sync(kFullWarp, lane_key), d = key & 0xFFFFU;
      const std::uint32_t rival = __reduce_min_sync(kFullWarp, LaneRival<K, T>(sum, d, lane));
      const int turn = (x - x_begin) & (kWarpSize - 1);
      if (lane == turn) {
        mine = {key >> 16, d, rival, sum_rows[warp].At(max(d, 1U) - 1U),
                sum_rows[warp].At(min(d + 1U, kPadded - 1U))};
      }
      if (turn == kWarpSize - 1 || x + 1 == x_end) {
        if (lane <= turn) StoreWinner(a, row + x - turn + lane, mine, mine.rival < kNoSum<T>);
      }
    }
  }
  // Right pixels that meet more disparities in the next run.
  if (x_begin < x_end) {
    const int x_last = x_end - 1 - a.min_disparity;
#pragma unroll
    for (int j = 0; j < K; ++j) {
      join(x_last - LowDisparity<K>(lane, j), low_keys[j]);
      join(x_last - HighDisparity<K>(lane, j), high_keys[j]);
    }
  }
  __syncthreads();
  for (int i = warp * kWarpSize + lane; i < a.width; i += kWarps * kWarpSize) {
    a.winner_right[row + i] =
        static_cast<std::uint16_t>(right_keys[i]);  // the key's low half; kNoKey: kNoWinner
  }
}

template <int K, typename T, int kPaths>
void Launch(const Arguments& a, int height, cudaStream_t stream) {
  constexpr int kWarps = 12;
  const std::size_t shared_bytes = static_cast<std::size_t>(a.width) * sizeof(std::uint32_t);
  const auto kernel = SelectDisparitiesKernel<K, T, kPaths, kWarps>;
  if (shared_bytes > 48 * 1024) {
    Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "cudaFuncSetAttribute");
  }
  kernel<<<static_cast<unsigned>(height), dim3(kWarpSize, kWarps), shared_bytes, stream>>>(a);
  CheckLaunch("SelectDisparitiesKernel");
}

}  // namespace

void SelectDisparities(const std::uint8_t* path_costs, int num_paths, const VolumeLayout& layout,
                       const SelectionParameters& parameters, DeviceImageView<std::uint16_t> winner_left,
                       DeviceImageView<std::uint16_t> winner_right, const DeviceDisparityMap& selected,
                       cudaStream_t stream) {
  Arguments a{};
  a.path_costs = path_costs;
  a.path_bytes = layout.path_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.min_disparity = layout.min_disparity;
  a.parameters = parameters;
  a.winner_left = winner_left.data;
  a.winner_right = winner_right.data;
  a.disparity = selected.disparity.data;
  a.validity = selected.validity.data;
  a.confidence = selected.confidence.data;
  WithWords(layout.words, [&](auto k) {
    const bool narrow = layout.bytes_per_path_cost == 1;
    if (num_paths == 4) {
      narrow ? Launch<k(), std::uint8_t, 4>(a, layout.height, stream)
             : Launch<k(), std::uint16_t, 4>(a, layout.height, stream);
    } else {
      narrow ? Launch<k(), std::uint8_t, 8>(a, layout.height, stream)
             : Launch<k(), std::uint16_t, 8>(a, layout.height, stream);
    }
  });
}

}  // namespace parallax::cuda
