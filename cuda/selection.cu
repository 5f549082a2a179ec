// selection, and consistency where the caller wants no result between the two: one block a row. A warp takes
// a tile of neighbouring pixels at a time and adds up their path costs into shared memory, 16 bits a
// disparity. From there
//   - a lane or a few look through the disparities of a pixel: the winner, its neighbours for the sub-pixel
//   step, and,
//     after these three are crossed out, the rival;
//   - lane i follows the diagonals on which x - d is the same: those are the sums of one right pixel. What
//   the tile
//     holds of it is joined with what other tiles hold in shared memory by an atomic minimum of keys (sum,
//     d), which gives the same value in any order.
#include <algorithm>

#include "cuda/check.h"
#include "cuda/consistency.cuh"
#include "cuda/lane_costs.cuh"
#include "cuda/stages.h"
#include "pipeline/disparity_map.h"
#include "pipeline/pixel_math.h"

namespace parallax::cuda {
namespace {

constexpr std::uint32_t kNoKey = 0xFFFFFFFFU;
constexpr int kMostWarps = 10;

struct Arguments {
  const std::uint8_t* volumes;
  std::size_t sum_bytes;  // of one volume
  int width, num_disparities, min_disparity;
  SelectionParameters parameters;
  std::uint16_t *winner_left, *winner_right;  // null where consistency is checked here
  float* disparity;
  std::uint8_t *validity, *confidence;
  int max_difference;  // of the consistency check; -1: not here
};

// Stands where there is no disparity. Sums of four 8-bit values are below 1021, those of 16-bit ones below
// 65535.
template <typename T>
constexpr std::uint32_t kNoSum = sizeof(T) == 1 ? 0x3FFU : 0xFFFFU;

// The sums of a tile. Rows of pixels stand so far apart that neither neighbouring rows' nor neighbouring
// disparities' values wait for one bank; before and after each row are 32 places without a sum.
template <int K>
struct Tile {
  static constexpr int kPadded = 32 * K;
  static constexpr int kPixels = K == 2 ? 32 : K == 4 ? 16 : 8;
  static constexpr int kPitch = kPadded / 2 + 17, kFirst = 16;  // in words of two sums
  std::uint32_t words[(kPixels + 1) * kPitch];
};

// What is known of a pixel's winner.
struct Winner {
  std::uint32_t best, d;        // lowest sum and its index
  std::uint32_t rival;          // lowest sum not beside it, kNoSum or more where there is none
  std::uint32_t before, after;  // the sums at d - 1 and d + 1
};

template <typename T>
__device__ __forceinline__ void StoreWinner(const Arguments& a, int pixel, const Winner& w) {
  const bool has_rival = w.rival < kNoSum<T>;
  const bool unique = !has_rival || IsUnique(w.best, w.rival, a.parameters.uniqueness_percent);
  float disparity = static_cast<float>(a.min_disparity + static_cast<int>(w.d));
  if (w.d != 0 && static_cast<int>(w.d) + 1 != a.num_disparities) {
    disparity += SubpixelOffset(static_cast<int>(w.best), static_cast<int>(w.before - w.best),
                                static_cast<int>(w.after - w.best), a.parameters.subpixel);
  }
  a.validity[pixel] = unique ? kValid : kNotUnique;
  a.confidence[pixel] = has_rival ? Confidence(w.best, w.rival) : std::uint8_t{255};
  a.disparity[pixel] = unique ? disparity : __int_as_float(0x7FC00000);
}

// One piece of 16 bytes of the volumes' sums of a tile.
template <int kVolumes>
struct Piece {
  uint4 of[kVolumes];
  __device__ __forceinline__ void Load(const std::uint8_t* from, std::size_t sum_bytes) {
#pragma unroll
    for (int v = 0; v < kVolumes; ++v) {
      of[v] = __ldcs(reinterpret_cast<const uint4*>(from + static_cast<std::size_t>(v) * sum_bytes));
    }
  }
};

template <int K, typename T, int kVolumes>
struct TileWork {
  using Sums = Tile<K>;
  static constexpr int kPixelBytes = 32 * K * static_cast<int>(sizeof(T));
  static constexpr int kPieces = kPixelBytes / 16;                    // of a pixel
  static constexpr int kTurns = kPieces * Sums::kPixels / kWarpSize;  // of a tile
  static_assert(kTurns % 2 == 0);
  static constexpr int kPieceWords = 16 / static_cast<int>(sizeof(T)) / 2;

  const Arguments& a;
  std::uint32_t* words;
  int lane;

  __device__ __forceinline__ void MarkEnds() const {
    for (int i = lane; i < (Sums::kPixels + 1) * (Sums::kPitch - Sums::kPadded / 2); i += kWarpSize) {
      constexpr int kBetween = Sums::kPitch - Sums::kPadded / 2;
      // The place after the last sum belongs to the pad of the next row.
      const int row = i / kBetween, place = i % kBetween;
      words[place < Sums::kFirst ? row * Sums::kPitch + place
                                 : row * Sums::kPitch + Sums::kFirst + Sums::kPadded / 2] = Twice(kNoSum<T>);
    }
  }

  // Sums of the piece's values, in the order of d, into the tile. inside: of a pixel of the row.
  __device__ __forceinline__ void AddUp(const Piece<kVolumes>& piece, int turn, bool inside) const {
    const int index = turn * kWarpSize + lane, pixel = index / kPieces, place = index % kPieces;
    std::uint32_t sums[kPieceWords];
    const auto add = [&](int i, auto part) {  // word i of each volume
      if constexpr (sizeof(T) == 1) {
        std::uint32_t even = 0, odd = 0;
#pragma unroll
        for (int v = 0; v < kVolumes; ++v) {
          even += part(v) & 0x00FF00FFU;
          odd += __byte_perm(part(v), 0, 0x4341);
        }
        sums[2 * i] = __byte_perm(even, odd, 0x5410);
        sums[2 * i + 1] = __byte_perm(even, odd, 0x7632);
      } else {
        sums[i] = 0;
#pragma unroll
        for (int v = 0; v < kVolumes; ++v) sums[i] += part(v);  // no carry, but from padded places
      }
    };
    add(0, [&](int v) { return piece.of[v].x; });
    add(1, [&](int v) { return piece.of[v].y; });
    add(2, [&](int v) { return piece.of[v].z; });
    add(3, [&](int v) { return piece.of[v].w; });
    const int d = place * 2 * kPieceWords, valid = inside ? a.num_disparities - d : 0;
    if (valid < 2 * kPieceWords) {
#pragma unroll
      for (int i = 0; i < kPieceWords; ++i) {
        sums[i] = 2 * i + 1 < valid ? sums[i]
                  : 2 * i < valid   ? (sums[i] & 0xFFFFU) | kNoSum<T> << 16
                                    : Twice(kNoSum<T>);
      }
    }
    std::uint32_t* const to = words + pixel * Sums::kPitch + Sums::kFirst + place * kPieceWords;
#pragma unroll
    for (int i = 0; i < kPieceWords; ++i) to[i] = sums[i];
  }

  // Calls join(x - d, key) for the tile's right pixels, x counted from the tile's first.
  template <typename Join>
  __device__ __forceinline__ void FollowDiagonals(const Join& join) const {
    // Of the diagonal x - d = lane - 32 j: lowest sum << 16 | x.
    std::uint32_t keys[K + 1];
#pragma unroll
    for (int j = 0; j <= K; ++j) keys[j] = kNoKey;
    const auto* const sums = reinterpret_cast<const std::uint16_t*>(words + Sums::kFirst) - lane;
#pragma unroll 8
    for (int x = 0; x < Sums::kPixels; ++x) {
#pragma unroll
      for (int j = 0; j <= K; ++j) {
        const std::uint32_t sum = sums[x * (2 * Sums::kPitch + 1) + 32 * j];
        keys[j] = min(keys[j], sum * 65536U + static_cast<std::uint32_t>(x));
      }
    }
#pragma unroll
    for (int j = 0; j <= K; ++j) {
      if (keys[j] >> 16 < kNoSum<T>) join(lane - 32 * j, keys[j] - static_cast<std::uint32_t>(lane - 32 * j));
    }
  }

  // Of pixel lane % kPixels of the tile; the lanes of a pixel share its disparities. Crosses out the winner.
  __device__ __forceinline__ Winner FindWinner() const {
    constexpr int kWords = Sums::kPadded / 2 / (kWarpSize / Sums::kPixels);  // of a lane
    const auto least_of_pixel = [](std::uint32_t value) {
#pragma unroll
      for (int i = Sums::kPixels; i < kWarpSize; i *= 2)
        value = min(value, __shfl_xor_sync(kFullWarp, value, i));
      return value;
    };
    const int first = lane / Sums::kPixels * kWords;
    std::uint32_t* const row = words + lane % Sums::kPixels * Sums::kPitch + Sums::kFirst;
    const std::uint32_t* const part = row + first;
    std::uint32_t key = kNoKey;  // sum << 16 | d
    if constexpr (sizeof(T) == 1) {
      constexpr int kRun = kWords < 64 ? kWords : 64;  // words whose number fits below a sum in 16 bits
#pragma unroll 1
      for (int run = 0; run < kWords; run += kRun) {
        std::uint32_t least = 0xFFFFFFFFU;  // in each half sum << 6 | number of the word
#pragma unroll
        for (int i = 0; i < kRun; ++i) {
          least = __viaddmin_u16x2(part[run + i] * 64U, static_cast<std::uint32_t>(i) * 0x10001U, least);
        }
        const std::uint32_t even = least & 0xFFFFU, odd = least >> 16,
                            d = 2U * static_cast<std::uint32_t>(first + run);
        key = min(key, (even >> 6 << 16) + d + 2U * (even & 63U));
        key = min(key, (odd >> 6 << 16) + d + 2U * (odd & 63U) + 1U);
      }
    } else {
#pragma unroll 8
      for (int i = 0; i < kWords; ++i) {
        const std::uint32_t both = part[i], d = 2U * static_cast<std::uint32_t>(first + i);
        key = min(key, min(both << 16 | d, (both & 0xFFFF0000U) | (d + 1U)));
      }
    }
    key = least_of_pixel(key);
    Winner w{};
    w.best = key >> 16;
    w.d = key & 0xFFFFU;
    __syncwarp();
    if (lane < Sums::kPixels && w.best < kNoSum<T>) {
      auto* const around = reinterpret_cast<std::uint16_t*>(row) + w.d;
      w.before = around[-1];
      w.after = around[1];
      around[-1] = around[0] = around[1] = kNoSum<T>;
    }
    __syncwarp();
    std::uint32_t least = 0xFFFFFFFFU;
#pragma unroll
    for (int i = 0; i < kWords; i += 2) least = __vimin3_u16x2(least, part[i], part[i + 1]);
    w.rival = least_of_pixel(min(least & 0xFFFFU, least >> 16));
    return w;
  }
};

template <int K, typename T, int kVolumes>
__global__ void __launch_bounds__(kMostWarps* kWarpSize, 3) SelectDisparitiesKernel(const Arguments a) {
  using Work = TileWork<K, T, kVolumes>;
  constexpr int kPixels = Tile<K>::kPixels;
  extern __shared__ uint4 shared[];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int num_warps = static_cast<int>(blockDim.y), num_threads = num_warps * kWarpSize;
  const int thread = warp * kWarpSize + lane;
  // The last rows first: the second-level cache still has their sums.
  const int row = static_cast<int>(gridDim.x - 1 - blockIdx.x) * a.width;
  const bool check_here = a.max_difference >= 0;
  // Behind the tiles, of the row's right pixels; behind them what consistency needs.
  auto* const right_keys = reinterpret_cast<std::uint32_t*>(reinterpret_cast<Tile<K>*>(shared) + num_warps);
  auto* const row_winners = reinterpret_cast<std::uint16_t*>(right_keys + a.width);
  for (int i = thread; i < a.width; i += num_threads) right_keys[i] = kNoKey;
  const Work work{a, reinterpret_cast<Tile<K>*>(shared)[warp].words, lane};
  work.MarkEnds();
  __syncthreads();

  const std::uint8_t* const row_volumes =
      a.volumes + static_cast<std::size_t>(row) * static_cast<std::size_t>(Work::kPixelBytes) + lane * 16;
  const int row_bytes = a.width * Work::kPixelBytes;
  const auto load = [&](int x_begin, int turn, Piece<kVolumes>& piece) {
    // Beyond the row's end something else is read and not used.
    const int offset = x_begin * Work::kPixelBytes + turn * (16 * kWarpSize);
    if (offset + lane * 16 < row_bytes) piece.Load(row_volumes + offset, a.sum_bytes);
  };
  // Two turns are on their way, also while the warp looks through a tile.
  Piece<kVolumes> pieces[2]{};
  for (int turn = 0; turn < 2; ++turn) load(warp * kPixels, turn, pieces[turn]);
  for (int x_begin = warp * kPixels; x_begin < a.width; x_begin += num_warps * kPixels) {
    const int count = min(kPixels, a.width - x_begin);
    __syncwarp();  // the last tile has been read
#pragma unroll 2
    for (int turn = 0; turn < Work::kTurns; ++turn) {
      work.AddUp(pieces[turn % 2], turn, (turn * kWarpSize + lane) / Work::kPieces < count);
      const int ahead = turn + 2;
      const bool here = ahead < Work::kTurns;
      load(here ? x_begin : x_begin + num_warps * kPixels, here ? ahead : ahead - Work::kTurns,
           pieces[turn % 2]);
    }
    __syncwarp();
    work.FollowDiagonals([&](int from_begin, std::uint32_t key) {
      const int x_right = x_begin - a.min_disparity + from_begin;
      if (static_cast<unsigned>(x_right) < static_cast<unsigned>(a.width))
        atomicMin(&right_keys[x_right], key);
    });
    __syncwarp();
    const Winner winner = work.FindWinner();
    if (lane < count) {
      StoreWinner<T>(a, row + x_begin + lane, winner);
      if (check_here) {
        row_winners[x_begin + lane] = static_cast<std::uint16_t>(winner.d);
      } else {
        a.winner_left[row + x_begin + lane] = static_cast<std::uint16_t>(winner.d);
      }
    }
  }
  __syncthreads();
  const auto winner_right = [&](int x) -> int {
    return right_keys[x] != kNoKey ? static_cast<int>(right_keys[x] & 0xFFFFU) : kNoWinner;
  };
  if (check_here) {
    CheckRow(
        {a.width, a.min_disparity, a.num_disparities, a.max_difference, a.disparity + row, a.validity + row,
         reinterpret_cast<std::uint8_t*>(row_winners + a.width)},
        thread, num_threads, [&](int x) -> int { return row_winners[x]; }, winner_right);
  } else {
    for (int x = thread; x < a.width; x += num_threads) {
      a.winner_right[row + x] = static_cast<std::uint16_t>(winner_right(x));
    }
  }
}

template <int K, typename T, int kVolumes>
void Launch(const Arguments& a, int height, cudaStream_t stream) {
  // So many warps that three blocks fit on a multiprocessor of 227 KB, and no more than make all take as many
  // tiles.
  constexpr std::size_t kBlockBytes = 74 * 1024, kTileBytes = sizeof(Tile<K>);
  const std::size_t row_bytes = static_cast<std::size_t>(a.width) * (a.max_difference >= 0 ? 7 : 4);
  const int fitting =
      row_bytes + kTileBytes > kBlockBytes ? 1 : static_cast<int>((kBlockBytes - row_bytes) / kTileBytes);
  const int tiles = (a.width + Tile<K>::kPixels - 1) / Tile<K>::kPixels;
  const int most = std::min({fitting, kMostWarps, tiles}), turns = (tiles + most - 1) / most;
  const int warps = (tiles + turns - 1) / turns;
  const std::size_t shared_bytes = row_bytes + static_cast<std::size_t>(warps) * kTileBytes;
  const auto kernel = SelectDisparitiesKernel<K, T, kVolumes>;
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  kernel<<<static_cast<unsigned>(height), dim3(kWarpSize, static_cast<unsigned>(warps)), shared_bytes,
           stream>>>(a);
  CheckLaunch("SelectDisparitiesKernel");
}

Arguments MakeArguments(const std::uint8_t* volumes, const VolumeLayout& layout,
                        const SelectionParameters& parameters, const DeviceDisparityMap& map) {
  Arguments a{};
  a.volumes = volumes;
  a.sum_bytes = layout.sum_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.min_disparity = layout.min_disparity;
  a.parameters = parameters;
  a.disparity = map.disparity.data;
  a.validity = map.validity.data;
  a.confidence = map.confidence.data;
  a.max_difference = -1;
  return a;
}

void Launch(const Arguments& a, const VolumeLayout& layout, cudaStream_t stream) {
  WithLayout(layout, [&](auto k, auto value) {
    using T = decltype(value);
    layout.num_volumes == 2 ? Launch<k(), T, 2>(a, layout.height, stream)
                            : Launch<k(), T, 4>(a, layout.height, stream);
  });
}

}  // namespace

void SelectDisparities(const std::uint8_t* volumes, const VolumeLayout& layout,
                       const SelectionParameters& parameters, DeviceImageView<std::uint16_t> winner_left,
                       DeviceImageView<std::uint16_t> winner_right, const DeviceDisparityMap& selected,
                       cudaStream_t stream) {
  Arguments a = MakeArguments(volumes, layout, parameters, selected);
  a.winner_left = winner_left.data;
  a.winner_right = winner_right.data;
  Launch(a, layout, stream);
}

bool FitsSelectAndCheck(const VolumeLayout& layout) { return layout.width <= 16000; }

void SelectAndCheck(const std::uint8_t* volumes, const VolumeLayout& layout,
                    const SelectionParameters& selection, const ConsistencyParameters& consistency,
                    const DeviceDisparityMap& map, cudaStream_t stream) {
  Arguments a = MakeArguments(volumes, layout, selection, map);
  a.max_difference = consistency.max_difference;
  Launch(a, layout, stream);
}

}  // namespace parallax::cuda
