// refinement, planes: sixteen threads fit the plane of a tile, one a column of samples, which they hold in
// registers; then one thread a pixel chooses.
#include "cuda/filters/plane_filling.h"

#include "cuda/device/dependent_launch.cuh"
#include "cuda/device/warp.cuh"
#include "pipeline/disparity_map.h"

namespace parallax::cuda {
namespace {

constexpr int kFitThreads = 128;
constexpr dim3 kChoiceBlock(32, 8);

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

// Of the sixteen threads of a tile, each of which gets it; added up as refinement_math.h states.
template <typename T>
__device__ T SumOverColumns(T value) {
#pragma unroll
  for (int half = kPlaneColumns / 2; half >= 1; half /= 2) {
    value = value + __shfl_xor_sync(kFullWarp, value, half);
  }
  return value;
}

__global__ void __launch_bounds__(kFitThreads)
    FitPlanesKernel(DeviceDisparityMap map, Tiles tiles, FitArguments fit, DisparityPlane* planes) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int tile = thread / kPlaneColumns, column = thread % kPlaneColumns;
  const int tile_x = tile % tiles.width, tile_y = tile / tiles.width;  // beyond the last: stores nothing
  const int x = tiles.CenterOf(tile_x) + (column - kPlaneSampleRadius) * tiles.step;
  const int first_y = tiles.CenterOf(tile_y) - kPlaneSampleRadius * tiles.step;
  float values[kPlaneSamples];
  unsigned is_kept = 0;  // a bit a row
  int total = 0;         // twice the weights
#pragma unroll
  for (int row = 0; row < kPlaneSamples; ++row) {
    const int y = first_y + row * tiles.step;
    const bool is_inside = column < kPlaneSamples && map.disparity.Contains(x, y);
    const float value = is_inside ? map.disparity(x, y) : kNoValue;
    const bool has_value = is_inside && !isnan(value);
    values[row] = has_value ? value : kNoValue;
    if (has_value) {
      const bool kept = (map.validity(x, y) & kRejected) == 0;
      is_kept |= static_cast<unsigned>(kept) << row;
      total += kept ? 2 : 1;
    }
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

struct ChoiceArguments {
  float reach, lowest, highest;
};

__global__ void ChoosePlanesKernel(DeviceDisparityMap map, DeviceImageView<const std::uint8_t> guide,
                                   Tiles tiles, ChoiceArguments arguments, const DisparityPlane* planes,
                                   DeviceImageView<float> filled) {
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (!guide.Contains(x, y)) return;
  float chosen = map.disparity(x, y);
  const std::uint8_t validity = map.validity(x, y);
  if ((validity & kRejected) != 0) {
    float values[kSupportPixels], weights[kSupportPixels];
    const int gray = guide(x, y);
#pragma unroll
    for (int i = 0; i < kSupportPixels; ++i) {
      const int u = x + SupportColumn(i) * kSupportStep_px, v = y + SupportRow(i) * kSupportStep_px;
      values[i] = kNoValue, weights[i] = 0.0F;
      if (!guide.Contains(u, v)) continue;
      const float value = map.disparity(u, v);
      if (isnan(value)) continue;
      values[i] = value;
      // Other threads set kFilled meanwhile, which is none of these bits.
      const bool is_kept = (map.validity(u, v) & kRejected) == 0;
      weights[i] = static_cast<float>(SupportWeight(is_kept, guide(u, v), gray));
    }
    constexpr float kStep = static_cast<float>(kSupportStep_px);
    const int tile_x = x / tiles.side, tile_y = y / tiles.side;
    float best = 0.0F;
    for (int row = max(tile_y - 1, 0); row <= min(tile_y + 1, tiles.height - 1); ++row) {
      for (int column = max(tile_x - 1, 0); column <= min(tile_x + 1, tiles.width - 1); ++column) {
        const DisparityPlane plane = planes[row * tiles.width + column];
        if (plane.value == kNoValue) continue;
        const float at_pixel =
            (plane.value + plane.slope_x * static_cast<float>(x - tiles.CenterOf(column))) +
            plane.slope_y * static_cast<float>(y - tiles.CenterOf(row));
        const float step_x = plane.slope_x * kStep, step_y = plane.slope_y * kStep;
        float support = 0.0F;
#pragma unroll
        for (int i = 0; i < kSupportPixels; ++i) {
          const float at_row = at_pixel + static_cast<float>(SupportRow(i)) * step_y;
          const float residual = values[i] - (at_row + static_cast<float>(SupportColumn(i)) * step_x);
          const float left = arguments.reach - residual * residual;
          support = support + weights[i] * (left > 0.0F ? left : 0.0F);
        }
        if (support > best) best = support, chosen = ClampTo(at_pixel, arguments.lowest, arguments.highest);
      }
    }
    if (!isnan(chosen)) map.validity(x, y) = static_cast<std::uint8_t>(validity | kFilled);
  }
  filled(x, y) = chosen;
}

}  // namespace

std::size_t LargestNumTiles(const RefinementParameters& parameters, std::size_t num_pixels) {
  // An image one pixel high has the most.
  const auto side = static_cast<std::size_t>(parameters.plane_tile);
  return (num_pixels + side - 1) / side + 1;
}

void FillFromPlanes(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                    const DeviceDisparityMap& map, DisparityPlane* planes, DeviceImageView<float> filled,
                    cudaStream_t stream) {
  const RefinementParameters& refinement = parameters.refinement;
  const Tiles tiles = TilesOf(refinement, guide.width, guide.height);
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const float highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1);
  FitArguments fit{lowest, highest, 0, {}};
  while ((1 << fit.num_halvings) < parameters.matching_cost.num_disparities) ++fit.num_halvings;
  for (int i = 0; i < kPlaneRounds; ++i) {
    fit.inverse_reach[i] = 1.0F / PlaneReach(refinement.plane_tolerance, kPlaneRoundTolerances[i]);
  }
  const int num_threads = tiles.width * tiles.height * kPlaneColumns;
  LaunchDependent("FitPlanesKernel", FitPlanesKernel,
                  dim3(static_cast<unsigned>((num_threads + kFitThreads - 1) / kFitThreads)),
                  dim3(kFitThreads), 0, stream, map, tiles, fit, planes);
  const dim3 grid(static_cast<unsigned>((guide.width + 31) / 32),
                  static_cast<unsigned>((guide.height + 7) / 8));
  const ChoiceArguments choice{PlaneReach(refinement.plane_tolerance, 1.0F), lowest, highest};
  LaunchDependent("ChoosePlanesKernel", ChoosePlanesKernel, grid, kChoiceBlock, 0, stream, map, guide, tiles,
                  choice, planes, filled);
}

}  // namespace parallax::cuda
