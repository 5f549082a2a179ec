// refinement, planes. Two kernels: sixteen threads fit the plane of a tile, one a column of samples, which they
// hold in registers, while other blocks copy kept pixels and list rejected ones; then one thread a rejected
// pixel chooses.
#include "cuda/filters/cuda_plane_filling.h"

#include <algorithm>

#include "cuda/device/warp.cuh"
#include "cuda/filters/launch_filter.cuh"
#include "parallax/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kFitThreads = 128;
constexpr int kListRows = 8;  // of a block of kFitThreads columns that lists rejected pixels
constexpr int kChoiceThreads = 128, kMostChoiceBlocks = 1024;

struct Tiles {
  int side, step;  // px
  int width, height;

  __device__ int CenterOf(int i) const { return i * side + side / 2; }
};
Tiles TilesOf(const RefinementParameters& parameters, int width, int height) {
  const int side = parameters.plane_tile;
  return {side, parameters.plane_step, (width + side - 1) / side, (height + side - 1) / side};
}

struct FitArguments {
  float lowest, highest;
  int num_halvings;  // that find a whole number among them
  float inverse_reach[kPlaneRounds];
};

// The sum over the sixteen threads of a tile, for each of them, in the order that refinement_math.h states.
template <typename T>
__device__ T SumOverColumns(T value) {
#pragma unroll
  for (int half = kPlaneColumns / 2; half >= 1; half /= 2) {
    value = value + __shfl_xor_sync(kFullWarp, value, half);
  }
  return value;
}

__device__ __forceinline__ void FitPlane(const DeviceDisparityMap& map, const Tiles& tiles,
                                         const FitArguments& fit, DisparityPlane* planes, int thread) {
  const int tile = thread / kPlaneColumns, column = thread % kPlaneColumns;
  const int tile_x = tile % tiles.width, tile_y = tile / tiles.width;  // beyond the last: stores nothing
  const int x = tiles.CenterOf(tile_x) + (column - kPlaneSampleRadius) * tiles.step;
  const int first_y = tiles.CenterOf(tile_y) - kPlaneSampleRadius * tiles.step;
  // All loads are on their way before the first one is used.
  float values[kPlaneSamples];
  std::uint8_t validity[kPlaneSamples];
#pragma unroll
  for (int row = 0; row < kPlaneSamples; ++row) {
    const int y = first_y + row * tiles.step;
    const bool is_inside = column < kPlaneSamples && map.disparity.Contains(x, y);
    values[row] = is_inside ? map.disparity(x, y) : __int_as_float(0x7FC00000);
    validity[row] = is_inside ? map.validity(x, y) : std::uint8_t{0};
  }
  unsigned is_kept = 0;  // one bit per row
  int total = 0;         // twice the weights
#pragma unroll
  for (int row = 0; row < kPlaneSamples; ++row) {
    const bool has_value = !isnan(values[row]), kept = has_value && (validity[row] & kRejected) == 0;
    if (!has_value) values[row] = kNoValue;
    is_kept |= static_cast<unsigned>(kept) << row;
    total += has_value ? (kept ? 2 : 1) : 0;
  }
  total = SumOverColumns(total);
  bool has_plane = total > 0;
  // The lower weighted median: at least half of the weight lies below the next whole number.
  float low = fit.lowest, high = fit.highest;
  for (int i = 0; i < fit.num_halvings; ++i) {
    const float middle = floorf((low + high) * 0.5F);
    int below = 0;
#pragma unroll
    for (int row = 0; row < kPlaneSamples; ++row) {
      const bool counts = values[row] < middle + 1.0F && values[row] != kNoValue;
      below += counts ? 1 + static_cast<int>((is_kept >> row) & 1U) : 0;
    }
    below = SumOverColumns(below);
    if (low < high) {
      if (2 * below >= total) {
        high = middle;
      } else {
        low = middle + 1.0F;
      }
    }
  }
  const float start = low;
#pragma unroll
  for (int row = 0; row < kPlaneSamples; ++row) values[row] -= start;

  const float u = static_cast<float>(column - kPlaneSampleRadius), step = static_cast<float>(tiles.step);
  DisparityPlane plane{0.0F, 0.0F, 0.0F};
#pragma unroll
  for (int round = 0; round < kPlaneRounds; ++round) {
    const float plane_of_column = plane.value + plane.slope_x * u;
    PlaneColumnSums sums{};
#pragma unroll
    for (int row = 0; row < kPlaneSamples; ++row) {
      const float v = static_cast<float>(row - kPlaneSampleRadius);
      const float weight = ((is_kept >> row) & 1U) != 0 ? kKeptWeight : kRejectedWeight;
      sums = AddPlaneSample(sums, weight, values[row], v, plane_of_column + plane.slope_y * v,
                            fit.inverse_reach[round]);
    }
    const PlaneMoments of_column = MomentsOfColumn(sums, u);
    const PlaneMoments moments{
        SumOverColumns(of_column.w),   SumOverColumns(of_column.wu),  SumOverColumns(of_column.wv),
        SumOverColumns(of_column.wuu), SumOverColumns(of_column.wuv), SumOverColumns(of_column.wvv),
        SumOverColumns(of_column.wd),  SumOverColumns(of_column.wud), SumOverColumns(of_column.wvd)};
    if (!(moments.w >= kPlaneLeastWeight)) has_plane = false;
    if (has_plane) plane = SolvePlane(moments, kPlaneLargestSlope * step);
  }
  if (column != 0 || tile_y >= tiles.height) return;
  if (has_plane) {
    planes[tile] = {plane.value + start, plane.slope_x / step, plane.slope_y / step};
  } else {
    planes[tile] = {kNoValue, 0.0F, 0.0F};
  }
}

// Lists the rejected pixels of block number `block`. Each warp reserves places for all of its own at once.
__device__ __forceinline__ void ListRejectedPixels(const DeviceDisparityMap& map,
                                                   const RejectedPixels& rejected,
                                                   DeviceImageView<float> filled, int block) {
  const int blocks_across = (filled.width + kFitThreads - 1) / kFitThreads;
  const int x = block % blocks_across * kFitThreads + static_cast<int>(threadIdx.x);
  const int y_begin = block / blocks_across * kListRows;
  float values[kListRows];
  std::uint8_t validity[kListRows];
#pragma unroll
  for (int row = 0; row < kListRows; ++row) {
    const bool is_inside = filled.Contains(x, y_begin + row);
    values[row] = is_inside ? map.disparity(x, y_begin + row) : 0.0F;
    validity[row] = is_inside ? map.validity(x, y_begin + row) : std::uint8_t{0};
  }
  unsigned masks[kListRows], num_rejected = 0;
#pragma unroll
  for (int row = 0; row < kListRows; ++row) {
    const bool is_rejected = (validity[row] & kRejected) != 0;
    if (!is_rejected && filled.Contains(x, y_begin + row)) filled(x, y_begin + row) = values[row];
    masks[row] = __ballot_sync(kFullWarp, is_rejected);
    num_rejected += static_cast<unsigned>(__popc(masks[row]));
  }
  if (num_rejected == 0) return;
  const unsigned lane = threadIdx.x % kWarpSize;
  unsigned first = 0;
  if (lane == 0) first = atomicAdd(rejected.count, num_rejected);
  first = __shfl_sync(kFullWarp, first, 0);
#pragma unroll
  for (int row = 0; row < kListRows; ++row) {
    if (((masks[row] >> lane) & 1U) != 0) {
      const unsigned place = first + static_cast<unsigned>(__popc(masks[row] & ((1U << lane) - 1U)));
      rejected.x[place] = static_cast<std::uint16_t>(x);
      rejected.y[place] = static_cast<std::uint16_t>(y_begin + row);
    }
    first += static_cast<unsigned>(__popc(masks[row]));
  }
}

// Blocks from num_fit_blocks on list pixels.
__global__ void __launch_bounds__(kFitThreads)
    FitPlanesKernel(DeviceDisparityMap map, Tiles tiles, FitArguments fit, DisparityPlane* planes,
                    unsigned num_fit_blocks, RejectedPixels rejected, DeviceImageView<float> filled) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  if (blockIdx.x < num_fit_blocks) {
    FitPlane(map, tiles, fit, planes, static_cast<int>(blockIdx.x * kFitThreads + threadIdx.x));
  } else {
    ListRejectedPixels(map, rejected, filled, static_cast<int>(blockIdx.x - num_fit_blocks));
  }
}

struct ChoiceArguments {
  float reach, lowest, highest;
};

struct ChoiceInput {
  DeviceDisparityMap map;
  DeviceImageView<const std::uint8_t> guide;
  Tiles tiles;
  ChoiceArguments arguments;
  const DisparityPlane* planes;
};

// A rejected pixel's value on the plane that the pixels around it support most, or its own value.
__device__ __forceinline__ float ChoosePlane(const ChoiceInput& input, int x, int y) {
  const DeviceImageView<const std::uint8_t>& guide = input.guide;
  const Tiles& tiles = input.tiles;
  constexpr int kPlanes = 9;  // of the tiles around
  const int tile_x = x / tiles.side, tile_y = y / tiles.side;
  // All loads are on their way before the first one is used; those beyond the border are of some pixel or
  // plane inside.
  DisparityPlane planes[kPlanes];
#pragma unroll
  for (int i = 0; i < kPlanes; ++i) {
    const int column = min(max(tile_x + i % 3 - 1, 0), tiles.width - 1),
              row = min(max(tile_y + i / 3 - 1, 0), tiles.height - 1);
    planes[i] = input.planes[row * tiles.width + column];
  }
  float values[kSupportPixels], weights[kSupportPixels];
  int grays[kSupportPixels];
  bool are_kept[kSupportPixels];
#pragma unroll
  for (int i = 0; i < kSupportPixels; ++i) {
    const int u = min(max(x + SupportColumn(i) * kSupportStep_px, 0), guide.width - 1),
              v = min(max(y + SupportRow(i) * kSupportStep_px, 0), guide.height - 1);
    values[i] = input.map.disparity(u, v);
    // Other threads set kFilled meanwhile, which is not one of these bits.
    are_kept[i] = (input.map.validity(u, v) & kRejected) == 0;
    grays[i] = guide(u, v);
  }
  constexpr int kCenter = kSupportPixels / 2;  // the pixel itself
  static_assert(SupportColumn(kCenter) == 0 && SupportRow(kCenter) == 0);
  float best = 0.0F, chosen = values[kCenter];
#pragma unroll
  for (int i = 0; i < kSupportPixels; ++i) {
    const bool has_value =
        guide.Contains(x + SupportColumn(i) * kSupportStep_px, y + SupportRow(i) * kSupportStep_px) &&
        !isnan(values[i]);
    values[i] = has_value ? values[i] : kNoValue;
    weights[i] = has_value ? static_cast<float>(SupportWeight(are_kept[i], grays[i], grays[kCenter])) : 0.0F;
  }
  constexpr float kStep = static_cast<float>(kSupportStep_px);
#pragma unroll
  for (int i = 0; i < kPlanes; ++i) {
    const int column = tile_x + i % 3 - 1, row = tile_y + i / 3 - 1;
    const DisparityPlane& plane = planes[i];
    if (column < 0 || column >= tiles.width || row < 0 || row >= tiles.height || plane.value == kNoValue) {
      continue;
    }
    const float at_pixel = (plane.value + plane.slope_x * static_cast<float>(x - tiles.CenterOf(column))) +
                           plane.slope_y * static_cast<float>(y - tiles.CenterOf(row));
    const float step_x = plane.slope_x * kStep, step_y = plane.slope_y * kStep;
    float support = 0.0F;
#pragma unroll
    for (int k = 0; k < kSupportPixels; ++k) {
      const float at_row = at_pixel + static_cast<float>(SupportRow(k)) * step_y;
      const float residual = values[k] - (at_row + static_cast<float>(SupportColumn(k)) * step_x);
      const float left = input.arguments.reach - residual * residual;
      support = support + weights[k] * (left > 0.0F ? left : 0.0F);
    }
    if (support > best) {
      best = support, chosen = ClampTo(at_pixel, input.arguments.lowest, input.arguments.highest);
    }
  }
  return chosen;
}

__global__ void __launch_bounds__(kChoiceThreads)
    ChoosePlanesKernel(const ChoiceInput input, const RejectedPixels rejected, DeviceImageView<float> filled,
                       std::uint32_t* counter) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const unsigned thread = blockIdx.x * kChoiceThreads + threadIdx.x;
  if (counter != nullptr && thread == 0) *counter = 0;
  const unsigned num_rejected = *rejected.count;
  for (unsigned i = thread; i < num_rejected; i += gridDim.x * kChoiceThreads) {
    const int x = rejected.x[i], y = rejected.y[i];
    const float chosen = ChoosePlane(input, x, y);
    if (!isnan(chosen)) {
      std::uint8_t& validity = input.map.validity(x, y);
      validity = static_cast<std::uint8_t>(validity | kFilled);
    }
    filled(x, y) = chosen;
  }
}

// Without filled it lists no pixels.
void LaunchFit(const Parameters& parameters, const DeviceDisparityMap& map, DisparityPlane* planes,
               const RejectedPixels& rejected, DeviceImageView<float> filled, cudaStream_t stream) {
  const RefinementParameters& refinement = parameters.refinement;
  const Tiles tiles = TilesOf(refinement, map.disparity.width, map.disparity.height);
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const float highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1);
  FitArguments fit{lowest, highest, 0, {}};
  while ((1 << fit.num_halvings) < parameters.matching_cost.num_disparities) ++fit.num_halvings;
  for (int i = 0; i < kPlaneRounds; ++i) {
    fit.inverse_reach[i] = 1.0F / PlaneReach(refinement.plane_tolerance, kPlaneRoundTolerances[i]);
  }
  const auto blocks = [](int count, int of_block) {
    return static_cast<unsigned>((count + of_block - 1) / of_block);
  };
  const unsigned num_fit_blocks = blocks(tiles.width * tiles.height * kPlaneColumns, kFitThreads);
  const unsigned num_list_blocks = blocks(filled.width, kFitThreads) * blocks(filled.height, kListRows);
  LaunchFilter("FitPlanesKernel", FitPlanesKernel, num_fit_blocks + num_list_blocks, kFitThreads, 0, stream,
               map, tiles, fit, planes, num_fit_blocks, rejected, filled);
}

}  // namespace

std::size_t LargestNumTiles(const RefinementParameters& parameters, std::size_t num_pixels) {
  // An image one pixel high has the most.
  const auto side = static_cast<std::size_t>(parameters.plane_tile);
  return (num_pixels + side - 1) / side + 1;
}

void FitPlanes(const Parameters& parameters, const DeviceDisparityMap& map, DisparityPlane* planes,
               cudaStream_t stream) {
  LaunchFit(parameters, map, planes, {}, {}, stream);
}

void FillFromPlanes(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                    const DeviceDisparityMap& map, DisparityPlane* planes, const RejectedPixels& rejected,
                    DeviceImageView<float> filled, std::uint32_t* counter, cudaStream_t stream) {
  LaunchFit(parameters, map, planes, rejected, filled, stream);
  const RefinementParameters& refinement = parameters.refinement;
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const float highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1);
  const ChoiceInput choice{map,
                           guide,
                           TilesOf(refinement, guide.width, guide.height),
                           {PlaneReach(refinement.plane_tolerance, 1.0F), lowest, highest},
                           planes};
  const int num_blocks =
      std::min(kMostChoiceBlocks, (guide.width * guide.height + kChoiceThreads - 1) / kChoiceThreads);
  LaunchFilter("ChoosePlanesKernel", ChoosePlanesKernel, static_cast<unsigned>(num_blocks), kChoiceThreads, 0,
               stream, choice, rejected, filled, counter);
}

}  // namespace parallax::cuda
