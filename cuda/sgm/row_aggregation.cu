// aggregation of rows: one warp a row and direction, a step at a time (cuda/sgm/row_path.cuh). Costs are
// copied ahead into shared memory, a group of pixels at a time.
//
// The two directions of a row start at its ends and go out to the middle, each leaving its path costs at a
// checkpoint after every group. Then each comes across the other's half: for each group it makes the other's
// path costs again from the checkpoint, beside its own step, and writes the sum of both. So a row's costs are
// read twice and its volume is written once; see also cuda/sgm/line_walk.cuh.
#include "cuda/device/check.h"
#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/aggregation_arguments.cuh"
#include "cuda/sgm/progress.cuh"
#include "cuda/sgm/row_copies.cuh"
#include "cuda/sgm/row_path.cuh"

namespace parallax::cuda {
namespace {

template <typename Shape, typename T, bool kAdaptive, int kDx>
struct RowWalk {
  static constexpr int K = Shape::K;
  static constexpr int kGroup = RowGroup(K);
  static constexpr int kPixelBytes = Shape::kPadded, kSumBytes = kPixelBytes * static_cast<int>(sizeof(T));
  static constexpr int kCheckpointBytes = kWarpSize * K * static_cast<int>(sizeof(T));  // of all lanes
  static constexpr int kWords = K / 2;
  using Copies = RowCopies<Shape, T, kAdaptive, kDx>;
  using CostValues = LaneValues<K, std::uint8_t>;
  using SumValues = LaneValues<K, T>;
  using State = RowPath<K, Shape::kLanes>;

  const AggregationArguments& a;
  std::uint32_t shared;              // Copies::Bytes()
  const std::uint8_t* costs;         // of the row
  const std::uint32_t* jumps;        // of the row
  std::uint8_t *checkpoints, *sums;  // of the row; a checkpoint after each group
  int lane;
  RowConstants constants;
  std::uint32_t padding[kWords];
  State state;

  // P2 - P1 on the way to pixel i of the group.
  template <int kOfDx>
  __device__ __forceinline__ std::uint32_t JumpTo(std::uint32_t group, int i) const {
    if constexpr (!kAdaptive) return constants.jump;
    std::uint32_t jump;
    LoadShared<4>(group - lane * K + Copies::kJumps + 4 * (kOfDx > 0 ? i : i + 1), &jump);
    return jump;
  }
  __device__ __forceinline__ void LoadCosts(std::uint32_t pixel, std::uint32_t (&cost)[kWords]) const {
    CostValues values;
    LoadShared<CostValues::kBytes>(pixel, values.words);
    State::Unpack(values, cost);
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int j = 0; j < kWords; ++j) cost[j] |= padding[j];
    }
  }
  __device__ __forceinline__ void LoadGroup(std::uint32_t group,
                                            std::uint32_t (&cost)[kGroup][kWords]) const {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) LoadCosts(group + i * kPixelBytes, cost[i]);
  }
  __device__ __forceinline__ void Step(State& path, const std::uint32_t (&cost)[kWords],
                                       std::uint32_t jump) const {
    path.FindLowest(path.Advance(path.Look(), cost, jump, constants), constants);
  }

  // Groups begin .. end - 1 in the direction's order.
  __device__ __forceinline__ void LeaveCheckpoints(int begin, int end) {
    if (begin >= end) return;
    int g = kDx > 0 ? begin : end - 1;
    Copies copies(shared, lane, costs + static_cast<std::ptrdiff_t>(g) * (kGroup * kPixelBytes), nullptr,
                  jumps + g * kGroup, end - begin);
    std::uint8_t* to =
        checkpoints + static_cast<std::ptrdiff_t>(g) * kCheckpointBytes + lane * SumValues::kBytes;
    const auto leave_group = [&] {
      state.template Normalized<T>().Store(to, 0);
      state.Normalize();
      to += kDx * kCheckpointBytes;
      g += kDx;
    };
    if (kDx < 0 && end * kGroup > a.width) {  // the row ends within the group
      const std::uint32_t from = copies.Next();
#pragma unroll 1
      for (int i = a.width - 1 - g * kGroup; i >= 0; --i) {
        std::uint32_t cost[kWords];
        LoadCosts(from + i * kPixelBytes, cost);
        Step(state, cost, JumpTo<kDx>(from, i));
      }
      leave_group();
    }
    const int beyond = kDx > 0 ? end : begin - 1;
#pragma unroll 1
    while (g != beyond) {
      const std::uint32_t from = copies.Next();
      std::uint32_t cost[kGroup][kWords];
      LoadGroup(from, cost);
#pragma unroll
      for (int turn = 0; turn < kGroup; ++turn) {
        const int i = kDx > 0 ? turn : kGroup - 1 - turn;
        Step(state, cost[i], JumpTo<kDx>(from, i));
      }
      leave_group();
    }
    __syncwarp();
  }

  // The same where the other direction has been: writes the sums of both.
  __device__ __forceinline__ void WriteSums(int begin, int end) {
    if (begin >= end) return;
    int g = kDx > 0 ? begin : end - 1;
    Copies copies(shared, lane, costs + static_cast<std::ptrdiff_t>(g) * (kGroup * kPixelBytes),
                  checkpoints + static_cast<std::ptrdiff_t>(g + kDx) * kCheckpointBytes, jumps + g * kGroup,
                  end - begin);
    std::uint8_t* to =
        sums + static_cast<std::ptrdiff_t>(g) * (kGroup * kSumBytes) + lane * SumValues::kBytes;
    SumValues saved[kGroup];  // of the direction that has come to a pixel first
    const auto store = [&](const SumValues& values, int i) {
      SumValues sum;
#pragma unroll
      for (int j = 0; j < SumValues::kWords; ++j) sum.words[j] = values.words[j] + saved[i].words[j];
      if (Shape::HasValues(lane)) sum.StoreOnce(to + i * kSumBytes, 0);
    };
    const auto other_at = [&](std::uint32_t from) {
      SumValues entry;
      LoadShared<SumValues::kBytes>(from + Copies::kEntry + lane * (SumValues::kBytes - K), entry.words);
      State other;
      other.Restore(entry);
      return other;
    };
    const bool ends_within = kDx > 0 && end * kGroup > a.width;
    const int beyond = kDx > 0 ? (ends_within ? end - 1 : end) : begin - 1;
#pragma unroll 1
    while (g != beyond) {
      const std::uint32_t from = copies.Next();
      State other = other_at(from);
      std::uint32_t cost[kGroup][kWords];
      LoadGroup(from, cost);
      // Both directions at once: they meet in the middle, and from there on each finds the other's costs.
#pragma unroll
      for (int turn = 0; turn < kGroup; ++turn) {
        const int i = kDx > 0 ? turn : kGroup - 1 - turn, i_of_other = kGroup - 1 - i;
        const auto look = state.Look(), look_of_other = other.Look();
        const std::uint32_t least = state.Advance(look, cost[i], JumpTo<kDx>(from, i), constants);
        const std::uint32_t least_of_other =
            other.Advance(look_of_other, cost[i_of_other], JumpTo<-kDx>(from, i_of_other), constants);
        state.FindLowest(least, constants);
        if (turn + 1 < kGroup) other.FindLowest(least_of_other, constants);
        const SumValues here = state.template Packed<T>(), there = other.template Packed<T>();
        if (turn < kGroup / 2) {
          saved[i] = here;
          saved[i_of_other] = there;
        } else {
          store(here, i);
          store(there, i_of_other);
        }
      }
      state.Normalize();
      to += kDx * kGroup * kSumBytes;
      g += kDx;
    }
    if (ends_within) {
      const std::uint32_t from = copies.Next();
      State other = other_at(from);
      const int places = a.width - g * kGroup;
      const auto step = [&](State& path, int i, std::uint32_t jump) {
        std::uint32_t cost[kWords];
        LoadCosts(from + i * kPixelBytes, cost);
        Step(path, cost, jump);
        return path.template Packed<T>();
      };
#pragma unroll
      for (int i = kGroup - 1; i >= 0; --i) {
        if (i < places) saved[i] = step(other, i, JumpTo<-kDx>(from, i));
      }
#pragma unroll
      for (int i = 0; i < kGroup; ++i) {
        if (i < places) store(step(state, i, JumpTo<kDx>(from, i)), i);
      }
    }
    __syncwarp();
  }
};

// With an adaptive P2 a thread has 80 registers. A quarter of a multiprocessor then holds two warps of rows and
// three pairs of columns, or one and four, which spreads the work evenly.
constexpr int BlocksAtOnce(int values_per_lane, bool adaptive) {
  return values_per_lane > 4 ? 1 : adaptive ? 12 : 8;
}

template <typename Shape, typename T, bool kAdaptive>
__global__ void __launch_bounds__(2 * kWarpSize, BlocksAtOnce(Shape::K, kAdaptive))
    AggregateRowsKernel(const AggregationArguments a) {
  constexpr int K = Shape::K;
  __shared__ __align__(16) std::uint8_t shared[2][RowCopies<Shape, T, kAdaptive, 1>::Bytes()];
  const int lane = static_cast<int>(threadIdx.x);
  if (a.is_first) LetNextKernelBegin();
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(a.width);
  const auto follow = [&](auto dx) {
    using Walk = RowWalk<Shape, T, kAdaptive, dx()>;
    const int groups = (a.width + Walk::kGroup - 1) / Walk::kGroup, half = groups / 2;
    Walk walk{a,
              SharedAddress(shared[dx() > 0 ? 0 : 1]),
              a.costs + row * Walk::kPixelBytes,
              a.jumps + row,
              a.checkpoints + blockIdx.x * CheckpointBytesOfRow(a.width, K, sizeof(T)),
              a.sums + row * Walk::kSumBytes,
              lane,
              RowConstants(lane, Shape::kLanes, K, a)};
    if constexpr (sizeof(T) == 2) {
      const auto padding = [&](int i) { return lane * K + i >= a.num_disparities ? kPaddingCost : 0U; };
#pragma unroll
      for (int j = 0; j < Walk::kWords; ++j) {
        const int low = K == 2 ? 0 : j / 2 * 4 + j % 2;
        walk.padding[j] = padding(low) | padding(K == 2 ? 1 : low + 2) << 16;
      }
    }
    walk.state.Reset();
    dx() > 0 ? walk.LeaveCheckpoints(0, half) : walk.LeaveCheckpoints(half, groups);
    LetNextKernelBegin();
    BlockBarrier<2 * kWarpSize>();
    dx() > 0 ? walk.WriteSums(half, groups) : walk.WriteSums(0, half);
  };
  if (threadIdx.y == 0) {
    follow(std::integral_constant<int, 1>{});
  } else {
    follow(std::integral_constant<int, -1>{});
  }
  if (a.bands_done != nullptr) {
    const int band = static_cast<int>(blockIdx.x) / kBandRows;
    RaiseBands(a.bands_done, band, band + 1, lane);
  }
  EndAggregation(a);
}

}  // namespace

void AggregateRows(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream) {
  const VolumeLayout& layout = volumes.layout;
  if (layout.pairs_rows) {
    AggregateRowPairs(input, volumes, stream);
    return;
  }
  AggregationArguments a = MakeAggregationArguments(input, volumes);
  a.is_first = !layout.columns_first;
  const auto grid = static_cast<unsigned>(layout.height);
  WithLayout(layout, [&](auto shape, auto value) {
    using T = decltype(value);
    WithP2<T>(input.tables, [&](auto adaptive) {
      LaunchAggregation("AggregateRowsKernel", AggregateRowsKernel<decltype(shape), T, adaptive()>, grid,
                        dim3(kWarpSize, 2), stream, a);
    });
  });
}

}  // namespace parallax::cuda
