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
constexpr std::uint32_t kNoSum = 0xFFFFU;

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
  std::uint32_t rival;          // lowest sum not beside it, kNoSum where there is none
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

// Sum at index d, held by the lane that owns it; the same in all lanes. d in 0 .. 64 K - 1.
template <int K>
__device__ __forceinline__ std::uint32_t SumAt(const std::uint32_t (&sum)[K], int d) {
  const int place = d & (32 * K - 1);
  std::uint32_t word = sum[0];
#pragma unroll
  for (int j = 1; j < K; ++j) word = (place & (K - 1)) == j ? sum[j] : word;
  word = __shfl_sync(kFullWarp, word, place / K);
  return d >= 32 * K ? word >> 16 : word & 0xFFFFU;
}

template <int K>
__device__ __forceinline__ Winner FindWinner(const std::uint32_t (&sum)[K], std::uint32_t lane_key,
                                             int lane) {
  Winner w;
  const std::uint32_t key = __reduce_min_sync(kFullWarp, lane_key);
  w.best = key >> 16;
  w.d = key & 0xFFFFU;
  std::uint32_t rival = kNoSum;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int d = static_cast<int>(w.d);
    const bool low_near = static_cast<unsigned>(LowDisparity<K>(lane, j) - d + 1) <= 2U;
    const bool high_near = static_cast<unsigned>(HighDisparity<K>(lane, j) - d + 1) <= 2U;
    rival = min(rival, low_near ? kNoSum : sum[j] & 0xFFFFU);
    rival = min(rival, high_near ? kNoSum : sum[j] >> 16);
  }
  w.rival = __reduce_min_sync(kFullWarp, rival);
  w.before = SumAt<K>(sum, max(static_cast<int>(w.d) - 1, 0));
  w.after = SumAt<K>(sum, min(static_cast<int>(w.d) + 1, 64 * K - 1));
  return w;
}

__device__ __forceinline__ void StoreWinner(const Arguments& a, int pixel, const Winner& w) {
  const bool has_rival = w.rival != kNoSum;
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
__global__ void __launch_bounds__(kWarps* kWarpSize) SelectDisparitiesKernel(Arguments a) {
  extern __shared__ std::uint32_t right_keys[];  // of the row's right pixels
  constexpr int kPadded = 64 * K;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.x) * a.width;
  for (int i = warp * kWarpSize + lane; i < a.width; i += kWarps * kWarpSize) right_keys[i] = kNoKey;
  __syncthreads();

  std::uint32_t padding[K];
  FillPadding<K>(lane, a.num_disparities, kNoSum, padding);
  const int run = (a.width + kWarps - 1) / kWarps;
  const int x_begin = warp * run, x_end = min(x_begin + run, a.width);
  std::uint32_t low_keys[K], high_keys[K];
#pragma unroll
  for (int j = 0; j < K; ++j) low_keys[j] = high_keys[j] = kNoKey;
  const auto join = [&](int x_right, std::uint32_t key) {
    if (key != kNoKey && x_right >= 0 && x_right < a.width) atomicMin(&right_keys[x_right], key);
  };

  Winner mine{};
  PackedLane<K, T> packed[kPaths];
  if (x_begin < x_end) LoadPaths<K, T, kPaths>(a, row + x_begin, lane, packed);
  for (int x = x_begin; x < x_end; ++x) {
    std::uint32_t sum[K];
    AddPaths<K, T, kPaths>(packed, sum);
    if (x + 1 < x_end) LoadPaths<K, T, kPaths>(a, row + x + 1, lane, packed);
#pragma unroll
    for (int j = 0; j < K; ++j) sum[j] |= padding[j];

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
    if (lane == kWarpSize - 1) {
      // Right pixel that has met its last disparity. Padding is no disparity.
      const std::uint32_t key = high_keys[K - 1];
      if (key < kNoSum << 16) join(x - a.min_disparity - (kPadded - 1), key);
    }

    const Winner w = FindWinner<K>(sum, lane_key, lane);
    const int turn = (x - x_begin) & (kWarpSize - 1);
    if (lane == turn) mine = w;
    if (turn == kWarpSize - 1 || x + 1 == x_end) {
      if (lane <= turn) StoreWinner(a, row + x - turn + lane, mine);
    }
  }
  // Right pixels that meet more disparities in the next run.
  if (x_begin < x_end) {
#pragma unroll
    for (int j = 0; j < K; ++j) {
      const int x_last = x_end - 1 - a.min_disparity;
      if (low_keys[j] < kNoSum << 16) join(x_last - LowDisparity<K>(lane, j), low_keys[j]);
      if (high_keys[j] < kNoSum << 16) join(x_last - HighDisparity<K>(lane, j), high_keys[j]);
    }
  }
  __syncthreads();
  for (int i = warp * kWarpSize + lane; i < a.width; i += kWarps * kWarpSize) {
    a.winner_right[row + i] =
        static_cast<std::uint16_t>(right_keys[i]);  // the key's low half; kNoKey gives kNoWinner
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
