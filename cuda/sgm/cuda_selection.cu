// selection, and consistency if the caller wants no result between the two: one block per row. A warp takes a
// tile of neighbouring pixels at a time and adds up their path costs into shared memory, 16 bits per
// disparity. There
//   - a lane or a few look through the disparities of a pixel: the winner, its neighbours for the sub-pixel
//     step and, after these three are crossed out, the rival;
//   - lane i follows the diagonals on which x - d is the same: those are the sums of one right pixel. What
//     the tile holds of it is joined with what other tiles hold in shared memory by an atomic minimum of
//     keys (sum, d), which gives the same value in any order.
#include "cuda/sgm/cuda_selection.h"

#include <algorithm>
#include <string>

#include "cuda/device/dependent_launch.cuh"
#include "cuda/device/device_code.h"
#include "cuda/filters/cuda_consistency.cuh"
#include "cuda/sgm/aggregation.h"
#include "cuda/sgm/progress.cuh"
#include "cuda/sgm/selection_packed_tile.cuh"
#include "parallax/disparity_map.h"
#include "parallax/error.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::cuda {
namespace {

// Warps of a block that runs at the same time as aggregation, which with 4 paths needs fewer warps itself.
constexpr int MostWarps(int num_volumes) { return num_volumes == 2 ? 20 : 16; }

struct Arguments {
  const std::uint8_t* volumes;
  std::size_t sum_bytes;    // of one volume
  std::ptrdiff_t to_costs;  // from volumes to the matching costs
  int width, num_disparities, min_disparity;
  SelectionParameters parameters;
  std::uint16_t *winner_left, *winner_right;  // null if consistency is checked here
  float* disparity;
  std::uint8_t *validity, *confidence;
  int max_difference;               // of the consistency check; -1: not here
  const std::uint32_t* bands_done;  // null: the kernel before must end first
  std::uint32_t raises_of_columns;
  bool pairs_rows;
};

// All but the validity: returns whether the winner is unique.
template <typename T>
__device__ __forceinline__ bool StoreWinner(const Arguments& a, int pixel, const Winner& w) {
  const bool has_rival = w.rival < kNoSum<T>;
  const bool unique = !has_rival || IsUnique(w.best, w.rival, a.parameters.uniqueness_percent);
  float disparity = static_cast<float>(a.min_disparity + static_cast<int>(w.d));
  if (w.d != 0 && static_cast<int>(w.d) + 1 != a.num_disparities) {
    disparity += SubpixelOffset(static_cast<int>(w.best), static_cast<int>(w.before - w.best),
                                static_cast<int>(w.after - w.best), a.parameters.subpixel);
  }
  a.confidence[pixel] = has_rival ? Confidence(w.best, w.rival) : std::uint8_t{255};
  a.disparity[pixel] = unique ? disparity : __int_as_float(0x7FC00000);
  return unique;
}

constexpr std::uint32_t kNotUniqueBit = 0x8000;  // beside a winner, which is below 1024

// Sets the number of registers a thread, 64, so that two blocks of 16 warps fit on a multiprocessor.
constexpr int kMostThreads = 1024;

template <typename Work>
__global__ void __launch_bounds__(kMostThreads) SelectDisparitiesKernel(const Arguments a) {
  using Sums = typename Work::Sums;
  constexpr int kPixels = Sums::kPixels;
  extern __shared__ uint4 shared[];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  const int num_warps = static_cast<int>(blockDim.y), num_threads = num_warps * kWarpSize;
  const int thread = warp * kWarpSize + lane;
  // Rows in the order of their progress; else the last first, whose sums the second-level cache still has.
  const int height = static_cast<int>(gridDim.x);
  const int y =
      a.bands_done != nullptr ? static_cast<int>(blockIdx.x) : height - 1 - static_cast<int>(blockIdx.x);
  const int row = y * a.width;
  const bool check_here = a.max_difference >= 0;
  // Behind the tiles, of each right pixel: sum << 16 | x of the left pixel, and one value for all that are
  // none; behind them what consistency needs.
  auto* const right_keys = reinterpret_cast<std::uint32_t*>(reinterpret_cast<Sums*>(shared) + num_warps);
  auto* const row_winners = reinterpret_cast<std::uint16_t*>(right_keys + a.width + 1);
  auto* const claimed = reinterpret_cast<std::uint8_t*>(row_winners + a.width);
  for (int i = thread; i <= a.width; i += num_threads) {
    right_keys[i] = kNoKey;
    if (check_here && i < a.width) claimed[i] = 0;
  }
  const Work work{{}, a.num_disparities, reinterpret_cast<Sums*>(shared)[warp].words, lane};
  work.MarkEnds();
  if (a.bands_done == nullptr) {
    WaitForKernelBefore();
  } else if (thread == 0) {
    const int band = y / kBandRows, rows = min(kBandRows, height - band * kBandRows);
    WaitForBand(a.bands_done, band, a.raises_of_columns + RaisesOfRows(rows, a.pairs_rows));
  }
  LetNextKernelBegin();
  __syncthreads();

  const std::uint8_t* const row_volumes =
      a.volumes + static_cast<std::size_t>(row) * static_cast<std::size_t>(Work::kPixelBytes) + lane * 16;
  const int stride = num_warps * kPixels;  // from a warp's tile to its next
  const auto load = [&](int x_begin, int turn, typename Work::Pieces& piece) {
    if (x_begin + Work::PixelOf(turn, lane) >= a.width) return;
    piece.Load(
        row_volumes + static_cast<std::ptrdiff_t>(x_begin) * Work::kPixelBytes + turn * (16 * kWarpSize),
        a.sum_bytes, a.to_costs);
  };
  // Two turns are on their way, also while the warp looks through a tile.
  typename Work::Pieces pieces[2]{};
  for (int turn = 0; turn < 2; ++turn) load(warp * kPixels, turn, pieces[turn]);
  for (int x_begin = warp * kPixels; x_begin < a.width; x_begin += stride) {
    const int count = min(kPixels, a.width - x_begin);
    __syncwarp();  // the last tile has been read
#pragma unroll(Work::kTurns % 4 == 0 ? 4 : Work::kTurns)
    for (int turn = 0; turn < Work::kTurns; ++turn) {
      work.AddUp(pieces[turn % 2], turn, count);
      const int ahead = turn + 2;
      const bool here = ahead < Work::kTurns;
      load(here ? x_begin : x_begin + stride, here ? ahead : ahead - Work::kTurns, pieces[turn % 2]);
    }
    __syncwarp();
    const int right_begin = x_begin - a.min_disparity;
    work.FollowDiagonals(x_begin, [&](int from_begin, std::uint32_t key) {
      const auto x_right = static_cast<std::uint32_t>(right_begin + from_begin);
      atomicMin(&right_keys[min(x_right, static_cast<std::uint32_t>(a.width))], key);
    });
    __syncwarp();
    const Winner winner = work.FindWinner();
    if (lane < count) {
      const int x = x_begin + lane;
      const bool unique = StoreWinner<typename Work::Value>(a, row + x, winner);
      if (check_here) {
        row_winners[x] = static_cast<std::uint16_t>(unique ? winner.d : winner.d | kNotUniqueBit);
      } else {
        a.winner_left[row + x] = static_cast<std::uint16_t>(winner.d);
        a.validity[row + x] = unique ? kValid : kNotUnique;
      }
    }
  }
  __syncthreads();
  const auto winner_right = [&](int x) -> int {
    const std::uint32_t key = right_keys[x];
    const bool found = key >> 16 < kNoSum<typename Work::Value>;
    return found ? static_cast<int>(key & 0xFFFFU) - a.min_disparity - x : kNoWinner;
  };
  if (check_here) {
    CheckRow(
        {a.width, a.min_disparity, a.num_disparities, a.max_difference, claimed}, thread, num_threads,
        [&](int x) -> int { return static_cast<int>(row_winners[x] & ~kNotUniqueBit); }, winner_right,
        [&](int x, std::uint8_t fault) {
          const bool unique = (row_winners[x] & kNotUniqueBit) == 0;
          a.validity[row + x] = static_cast<std::uint8_t>(fault | (unique ? kValid : kNotUnique));
          if (fault != kValid) a.disparity[row + x] = __int_as_float(0x7FC00000);
        });
  } else {
    for (int x = thread; x < a.width; x += num_threads) {
      a.winner_right[row + x] = static_cast<std::uint16_t>(winner_right(x));
    }
  }
  // Aggregation is about to end: when this kernel has ended, so has that.
  if (a.bands_done != nullptr) EndAfterKernelBefore();
}

// Bytes that a block keeps for a row: every right pixel's key, and for consistency also its winner and
// whether it is claimed.
std::size_t RowBytes(int width, bool checks) {
  return 4 + static_cast<std::size_t>(width) * (checks ? 7 : 4);
}

int SharedBytesOfBlock(const VolumeLayout& layout) {
  return layout.shared_bytes > 0 ? layout.shared_bytes : MostSharedBytes();
}

template <typename Work>
void Launch(const Arguments& a, const VolumeLayout& layout, cudaStream_t stream) {
  // With this many warps two or three blocks fit on a multiprocessor of 227 KB, and all warps take equally
  // many tiles. While aggregation runs there is room for one block. It should be large, so that the last row
  // is done soon.
  const bool overlaps = a.bands_done != nullptr;  // with aggregation
  const std::size_t tile_bytes = sizeof(typename Work::Sums);
  const auto block_bytes =
      static_cast<std::size_t>(std::min((overlaps ? 113 : 74) * 1024, SharedBytesOfBlock(layout)));
  static_assert(sizeof(typename Work::Sums) <= kMostTileBytes);
  const int most_warps = overlaps ? MostWarps(Work::kNumVolumes) : 10;
  const std::size_t row_bytes = RowBytes(a.width, a.max_difference >= 0);
  const int fitting =
      row_bytes + tile_bytes > block_bytes ? 1 : static_cast<int>((block_bytes - row_bytes) / tile_bytes);
  const int tiles = (a.width + Work::Sums::kPixels - 1) / Work::Sums::kPixels;
  const int most = std::min({fitting, most_warps, tiles}), turns = (tiles + most - 1) / most;
  const int warps = (tiles + turns - 1) / turns;
  const std::size_t shared_bytes = row_bytes + static_cast<std::size_t>(warps) * tile_bytes;
  if (shared_bytes > static_cast<std::size_t>(SharedBytesOfBlock(layout)))
    throw Error("selection: a row of " + std::to_string(a.width) + " pixels is too long for this device");
  const auto kernel = SelectDisparitiesKernel<Work>;
  ShareMultiprocessors(kernel);
  Check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  LaunchDependent("SelectDisparitiesKernel", kernel, static_cast<unsigned>(layout.height),
                  dim3(kWarpSize, static_cast<unsigned>(warps)), shared_bytes, stream, a);
}

Arguments MakeArguments(const SgmVolumes& volumes, const SelectionParameters& parameters,
                        const DeviceDisparityMap& map) {
  const VolumeLayout& layout = volumes.layout;
  Arguments a{};
  a.volumes = volumes.sums_memory;
  a.to_costs = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(volumes.Costs().data) -
                                           reinterpret_cast<std::uintptr_t>(volumes.sums_memory));
  a.sum_bytes = layout.sum_bytes();
  a.width = layout.width;
  a.num_disparities = layout.num_disparities;
  a.min_disparity = layout.min_disparity;
  a.parameters = parameters;
  a.disparity = map.disparity.data;
  a.validity = map.validity.data;
  a.confidence = map.confidence.data;
  a.max_difference = -1;
  a.bands_done = volumes.bands_done;
  a.raises_of_columns = RaisesOfColumns(layout);
  a.pairs_rows = layout.pairs_rows;
  return a;
}

void Launch(const Arguments& a, const VolumeLayout& layout, cudaStream_t stream) {
  WithLayout(layout, [&](auto shape, auto value) {
    using Shape = decltype(shape);
    using T = decltype(value);
    const auto launch = [&](auto num_volumes) {
      if constexpr (sizeof(T) == 1 && Shape::K >= 4) {
        Launch<PackedTileWork<Shape, T, num_volumes()>>(a, layout, stream);
      } else {
        Launch<TileWork<Shape, T, num_volumes()>>(a, layout, stream);
      }
    };
    layout.num_volumes == 2 ? launch(std::integral_constant<int, 2>{})
                            : launch(std::integral_constant<int, 4>{});
  });
}

}  // namespace

void SelectDisparities(const SgmVolumes& volumes, const SelectionParameters& parameters,
                       const WinnerImages& winners, const DeviceDisparityMap& selected, cudaStream_t stream) {
  Arguments a = MakeArguments(volumes, parameters, selected);
  a.winner_left = winners.left.data;
  a.winner_right = winners.right.data;
  Launch(a, volumes.layout, stream);
}

bool FitsSelectAndCheck(const VolumeLayout& layout) {
  const auto most = static_cast<std::size_t>(std::min(SharedBytesOfBlock(layout), 132 * 1024));
  return RowBytes(layout.width, true) + kMostTileBytes <= most;
}

void SelectAndCheck(const SgmVolumes& volumes, const SelectionParameters& selection,
                    const ConsistencyParameters& consistency, const DeviceDisparityMap& map,
                    cudaStream_t stream) {
  Arguments a = MakeArguments(volumes, selection, map);
  a.max_difference = consistency.max_difference;
  Launch(a, volumes.layout, stream);
}

}  // namespace parallax::cuda
