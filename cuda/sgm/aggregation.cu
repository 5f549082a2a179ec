// aggregation of columns and diagonals: a warp a pair of neighbouring lines; see cuda/sgm/line_walk.cuh.
// The two directions of a line end up in one volume, so selection adds up two volumes or four.
#include "cuda/sgm/aggregation.h"

#include <algorithm>

#include "cuda/device/check.h"
#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/line_walk.cuh"
#include "cuda/sgm/progress.cuh"

namespace parallax::cuda {
namespace {

__device__ LinePairPlace ColumnsPlace(int pair, int width, int height) {
  const int x = 2 * pair;
  const bool has_b = x + 1 < width;
  return {x, width, 1, height, 0, height - 1, 0, height - 1, has_b};
}
// Diagonals x = c + y, or mirrored; the longest come first. Where a line's neighbour has a pixel and the line
// itself has none, its pixel is the one beyond the row's end.
__device__ LinePairPlace DiagonalsPlace(int pair, bool mirrored, int width, int height) {
  const int num_from_above = NumPairs(width);
  int a = pair < num_from_above ? 2 * pair : -2 * (pair - num_from_above + 1), b = a + 1;
  const bool has_b = b < width && a > -height;
  if (!has_b) a = b = a > -height ? a : b;
  if (mirrored) {  // the first line is the left one
    const int right = a;
    a = b;
    b = right;
  }
  const int first_a = max(0, -a), last_a = min(height, width - a) - 1;
  const int first_b = max(0, -b), last_b = min(height, width - b) - 1;
  const int y = min(first_a, first_b), count = max(last_a, last_b) - y + 1;
  const auto pixel = [&](int c) { return y * width + (mirrored ? width - 1 - c - y : c + y); };
  return {
      pixel(a), mirrored ? width - 1 : width + 1, 1, count, first_a - y, last_a - y, first_b - y, last_b - y,
      has_b};
}

// A block of diagonals whose pair leaves the image by its side goes on with the pair that enters by the other
// side, in the next row or the same: a piece more. So all blocks have as many rows to go, and those of a
// small image can be followed at once.
//
// Pair of diagonals of a block's piece, by the first one.
constexpr int PairOfPiece(int first_pair, int piece, int width) {
  return piece == 0 ? first_pair : (width - 1) / 2 - first_pair + piece * NumPairs(width);
}
constexpr int NumPieces(int first_pair, int width, int height) {
  const int from_side = PairOfPiece(first_pair, 1, width) - NumPairs(width);
  return from_side >= height / 2 ? 1 : 2 + (height / 2 - 1 - from_side) / NumPairs(width);
}

// What a block follows. Found anew where it is needed, since registers are short: hence the asm, which the
// compiler leaves where it is.
template <bool kDiagonals>
struct BlockLines {
  int volume = 1;  // 1: columns; 2, 3: diagonals, mirrored ones
  int first_pair;
  __device__ __forceinline__ explicit BlockLines(int width) {
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(first_pair));
    if constexpr (kDiagonals) {
#pragma unroll
      for (int more = 0; more < 2; ++more) {
        if (first_pair >= NumPairs(width)) first_pair -= NumPairs(width), ++volume;
      }
    }
  }
  __device__ __forceinline__ int NumPieces(int width, int height) const {
    return volume == 1 ? 1 : cuda::NumPieces(first_pair, width, height);
  }
  __device__ __forceinline__ LinePairPlace Place(int piece, int width, int height) const {
    if (volume == 1) return ColumnsPlace(first_pair, width, height);
    return DiagonalsPlace(PairOfPiece(first_pair, piece, width), volume == 3, width, height);
  }
  __device__ __forceinline__ int FirstRow(int piece, int width) const {
    return piece == 0 ? 0 : 2 * (PairOfPiece(first_pair, piece, width) - NumPairs(width)) + 1;
  }
};

// Warps on a multiprocessor, as many as registers allow. All pairs of a small image are then followed at
// once, which keeps them in step.
constexpr int WarpsAtOnce(int values_per_lane, std::size_t bytes_per_sum) {
  if (values_per_lane > 8) return 1;
  if (bytes_per_sum == 2) return values_per_lane == 8 ? 8 : 12;
  return values_per_lane == 8 ? 16 : 20;
}

// Volume 1 holds the columns, 2 and 3 the diagonals. Up first: the lower rows' costs were written last, the
// second-level cache still has them. The way down finds those that the way up has read last.
// kOwnColumns: columns have penalties of their own.
template <typename Shape, typename T, bool kAdaptive, bool kDiagonals, bool kOwnColumns>
__global__ void __launch_bounds__(kWarpSize, WarpsAtOnce(Shape::K, sizeof(T)))
    AggregateColumnsKernel(const AggregationArguments a) {
  using Walk = LineWalk<Shape, T, kAdaptive, false, kOwnColumns>;
  const auto lines = [&] { return BlockLines<kDiagonals>(a.width); };
  if (a.is_first) LetNextKernelBegin();
  const auto num_pieces = [&] { return lines().NumPieces(a.width, a.height); };
  const auto first_band = [&](int piece) { return lines().FirstRow(piece, a.width) / kBandRows; };
  const auto follow = [&](int piece, const auto& visit) {
    const LinePairPlace line = lines().Place(piece, a.width, a.height);
    const int place = lines().FirstRow(piece, a.width) / Walk::kSegment + piece;
    visit(MakeLineWalk<Walk>(a, line, lines().volume,
                             a.checkpoints + blockIdx.x * a.checkpoint_bytes + place * Walk::kCheckpointBytes,
                             kOwnColumns && lines().volume == 1));
  };
#pragma unroll 1
  for (int piece = num_pieces() - 1; piece >= 0; --piece) {
    follow(piece, [&](const Walk& walk) {
      typename Walk::State state;
      state.Reset();
      walk.template LeaveCheckpoints<true>(state, 0, walk.num_segments);
    });
  }
  LetNextKernelBegin();
  __syncwarp();
  int raised = 0;  // bands
  const auto raise = [&](int end) {
    RaiseBands(a.bands_done, raised, end, static_cast<int>(threadIdx.x));
    raised = end;
  };
#pragma unroll 1
  for (int piece = 0; piece < num_pieces(); ++piece) {
    follow(piece, [&](const Walk& walk) {
      typename Walk::State state;
      state.Reset();
      // Once in kBandRows rows, one more band has been passed. A raise waits for all that has been written,
      // and selection does not begin with the first rows: a quarter of the bands are raised at once.
      walk.template WriteSums<false>(state, 0, walk.num_segments, [&](int g) {
        constexpr int kSegments = kBandRows / Walk::kSegment;
        if (a.bands_done == nullptr || (g + 1) % kSegments != 0 || g + 1 == walk.num_segments) return;
        const int passed = first_band(piece) + (g + 1) / kSegments;
        if (4 * passed * kBandRows >= a.height) raise(passed);
      });
      if (a.bands_done != nullptr)
        raise(piece + 1 < num_pieces() ? first_band(piece + 1) : NumBands(a.height));
    });
  }
  EndAggregation(a);
}

// One thread for each value.
template <typename T>
__global__ void SumPathsKernel(const std::uint8_t* volumes, const std::uint8_t* costs, std::size_t sum_bytes,
                               int num_volumes, int padded, int num_disparities, std::size_t num_values,
                               std::uint16_t* sums) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= num_values) return;
  const std::size_t pixel = i / static_cast<std::size_t>(num_disparities);
  const std::size_t place =
      pixel * static_cast<std::size_t>(padded) + i % static_cast<std::size_t>(num_disparities);
  std::uint32_t sum = costs == nullptr ? 0U : 2U * static_cast<std::uint32_t>(num_volumes) * costs[place];
  for (int v = 0; v < num_volumes; ++v) {
    sum += reinterpret_cast<const T*>(volumes + static_cast<std::size_t>(v) * sum_bytes)[place];
  }
  sums[i] = static_cast<std::uint16_t>(sum);
}

std::size_t NumBlocks(const VolumeLayout& layout) {
  return static_cast<std::size_t>((layout.num_volumes - 1) * NumPairs(layout.width));
}
std::size_t CheckpointBytesOfBlock(const VolumeLayout& layout) {
  const int most_pieces =
      layout.num_volumes == 4 ? NumPieces(NumPairs(layout.width) - 1, layout.width, layout.height) : 1;
  // Each further piece needs another row's place, since it may share a row with the piece before it.
  const int more = (most_pieces - 1) * SegmentLength(layout.values_per_lane);
  return CheckpointBytesOfPair(layout.height + more, layout.values_per_lane, layout.bytes_per_sum);
}

}  // namespace

std::size_t CheckpointBytes(const VolumeLayout& layout) {
  return RowCheckpointBytes(layout) + NumBlocks(layout) * CheckpointBytesOfBlock(layout);
}

// Narrow images have more pieces; fewer rows never need more.
std::size_t MostCheckpointBytes(const VolumeLayout& largest) {
  std::size_t most = 0;
  VolumeLayout layout = largest;
  for (layout.width = 1; layout.width <= largest.width; ++layout.width) {
    most = std::max(most, NumBlocks(layout) * CheckpointBytesOfBlock(layout));
  }
  return RowCheckpointBytes(largest) + most;
}

void AggregateColumns(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream) {
  const VolumeLayout& layout = volumes.layout;
  AggregationArguments a = MakeAggregationArguments(input, volumes);
  a.checkpoints += RowCheckpointBytes(layout);
  a.checkpoint_bytes = CheckpointBytesOfBlock(layout);
  a.is_first = layout.columns_first;
  const auto grid = static_cast<unsigned>(NumBlocks(layout));
  WithLayout(layout, [&](auto shape, auto value) {
    using Shape = decltype(shape);
    using T = decltype(value);
    const auto launch = [&](auto adaptive, auto own_columns) {
      const auto kernel = layout.num_volumes == 4
                              ? AggregateColumnsKernel<Shape, T, adaptive(), true, own_columns()>
                              : AggregateColumnsKernel<Shape, T, adaptive(), false, own_columns()>;
      LaunchAggregation("AggregateColumnsKernel", kernel, grid, kWarpSize, stream, a);
    };
    if (HasOwnColumns(input.tables)) {
      launch(std::true_type{}, std::true_type{});
    } else {
      WithP2<T>(input.tables, [&](auto adaptive) { launch(adaptive, std::false_type{}); });
    }
  });
}

std::uint32_t RaisesOfColumns(const VolumeLayout& layout) {
  return static_cast<std::uint32_t>(NumBlocks(layout));
}

void SumPaths(const SgmVolumes& volumes, DeviceCostVolumeView<std::uint16_t> sums, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const VolumeLayout& layout = volumes.layout;
  const std::size_t num_values = layout.num_pixels() * static_cast<std::size_t>(layout.num_disparities);
  const auto blocks = static_cast<unsigned>((num_values + kThreads - 1) / kThreads);
  const std::uint8_t* const costs = layout.leaves_costs_out ? volumes.Costs().data : nullptr;
  const auto kernel =
      layout.bytes_per_sum == 1 ? SumPathsKernel<std::uint8_t> : SumPathsKernel<std::uint16_t>;
  kernel<<<blocks, kThreads, 0, stream>>>(volumes.sums_memory, costs, layout.sum_bytes(), layout.num_volumes,
                                          layout.padded(), layout.num_disparities, num_values, sums.data);
  CheckLaunch("SumPathsKernel");
}

}  // namespace parallax::cuda
