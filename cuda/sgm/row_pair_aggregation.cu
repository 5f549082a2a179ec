// aggregation of rows: two warps a pair of neighbouring rows, from both ends; see cuda/sgm/line_walk.cuh.
#include "cuda/device/check.h"
#include "cuda/device/dependent_launch.cuh"
#include "cuda/sgm/line_walk.cuh"
#include "cuda/sgm/progress.cuh"

namespace parallax::cuda {
namespace {

constexpr int BlocksAtOnce(int values_per_lane, std::size_t bytes_per_sum) {
  if (values_per_lane > 8) return 1;
  return values_per_lane == 8 ? 4 : bytes_per_sum == 2 ? 6 : 8;
}

// The sums go to volume 0.
template <typename Shape, typename T, bool kAdaptive>
__global__ void __launch_bounds__(2 * kWarpSize, BlocksAtOnce(Shape::K, sizeof(T)))
    AggregateRowPairsKernel(const AggregationArguments a) {
  using Walk = LineWalk<Shape, T, kAdaptive, true, false>;
  if (a.is_first) LetNextKernelBegin();
  const int y = 2 * static_cast<int>(blockIdx.x), last = a.width - 1;
  const bool has_b = y + 1 < a.height;
  const LinePairPlace line{y * a.width, 1, has_b ? a.width : 0, a.width, 0, last, 0, last, has_b};
  const auto walk = MakeLineWalk<Walk>(
      a, line, 0, a.checkpoints + blockIdx.x * CheckpointBytesOfPair(a.width, Shape::K, sizeof(T)), false);
  const int half = walk.num_segments / 2;
  const auto follow = [&](auto reverse) {
    typename Walk::State state;
    state.Reset();
    walk.template LeaveCheckpoints<reverse()>(state, reverse() ? half : 0,
                                              reverse() ? walk.num_segments : half);
    LetNextKernelBegin();
    BlockBarrier<2 * kWarpSize>();
    walk.template WriteSums<reverse()>(state, reverse() ? 0 : half, reverse() ? half : walk.num_segments,
                                       [](int) {});
  };
  threadIdx.y == 0 ? follow(std::false_type{}) : follow(std::true_type{});
  if (a.bands_done != nullptr) RaiseBands(a.bands_done, y / kBandRows, y / kBandRows + 1, walk.lane);
  EndAggregation(a);
}

}  // namespace

void AggregateRowPairs(const AggregationInput& input, const SgmVolumes& volumes, cudaStream_t stream) {
  const VolumeLayout& layout = volumes.layout;
  AggregationArguments a = MakeAggregationArguments(input, volumes);
  a.is_first = !layout.columns_first;
  const auto grid = static_cast<unsigned>(NumPairs(layout.height));
  WithLayout(layout, [&](auto shape, auto value) {
    using T = decltype(value);
    WithP2<T>(input.tables, [&](auto adaptive) {
      LaunchAggregation("AggregateRowPairsKernel", AggregateRowPairsKernel<decltype(shape), T, adaptive()>,
                        grid, dim3(kWarpSize, 2), stream, a);
    });
  });
}

}  // namespace parallax::cuda
