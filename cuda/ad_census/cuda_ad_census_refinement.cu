#include "cuda/ad_census/cuda_ad_census_refinement.h"

#include <utility>

#include "cuda/ad_census/index_entry.cuh"
#include "cuda/ad_census/interpolation.h"
#include "cuda/device/check.h"
#include "parallax/disparity_map.h"
#include "pipeline/rules/pixel_math.h"

namespace parallax::cuda::ad_census {
namespace {

constexpr unsigned kThreads = 256;

unsigned BlocksFor(std::size_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void __launch_bounds__(kThreads)
    ReadMapKernel(const float* disparity, std::uint32_t num_pixels, int min_disparity, std::int16_t* index,
                  std::uint32_t* ballots) {
  const std::uint32_t pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= num_pixels) return;
  const float value = disparity[pixel];
  index[pixel] = isnan(value) ? kNoIndex : static_cast<std::int16_t>(static_cast<int>(value) - min_disparity);
  if (ballots != nullptr) ballots[pixel] = 0;
}

// --- discontinuities, sub-pixel ---------------------------------------------
__device__ __forceinline__ int SumAt(const PathSums& sums, std::size_t at) {
  return sums.rows[at] + (sums.columns != nullptr ? sums.columns[at] : 0);
}

__global__ void __launch_bounds__(kThreads)
    DiscontinuityKernel(const PathSums sums, const CostShape shape, const std::int16_t* before,
                        std::int16_t* after) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (x >= shape.width) return;
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.y) * static_cast<std::size_t>(shape.width) + x;
  const auto index_at = [&](std::size_t at) {
    const int entry = before[at];
    return entry == kNoIndex ? kNoIndex : IndexIn(entry);
  };
  const int d = index_at(pixel);
  const int beside[2] = {x > 0 ? index_at(pixel - 1) : kNoIndex,
                         x + 1 < shape.width ? index_at(pixel + 1) : kNoIndex};
  const auto is_edge = [&](int other) { return other != kNoIndex && abs(other - d) > 1; };
  int chosen = d;
  if (d != kNoIndex && (is_edge(beside[0]) || is_edge(beside[1]))) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded);
    int cost = SumAt(sums, cell + static_cast<std::size_t>(d));
    for (const int other : beside) {
      if (other == kNoIndex) continue;
      const int cost_there = SumAt(sums, cell + static_cast<std::size_t>(other));
      if (cost_there < cost) chosen = other, cost = cost_there;
    }
  }
  after[pixel] = static_cast<std::int16_t>(chosen);
}

// kRefined: with the sub-pixel offset.
template <bool kRefined>
__global__ void __launch_bounds__(kThreads)
    WriteKernel(const PathSums sums, const CostShape shape, const std::int16_t* index, Subpixel method,
                float* disparity) {
  const std::size_t pixel = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (pixel >= shape.num_pixels()) return;
  if (index[pixel] == kNoIndex) {
    disparity[pixel] = __int_as_float(0x7FC00000);
    return;
  }
  const int d = IndexIn(index[pixel]);
  float value = static_cast<float>(shape.min_disparity + d);
  if (kRefined && d > 0 && d + 1 < shape.num_disparities) {
    const std::size_t cell = pixel * static_cast<std::size_t>(shape.padded) + static_cast<std::size_t>(d);
    const int lowest = SumAt(sums, cell), before = SumAt(sums, cell - 1) - lowest,
              after = SumAt(sums, cell + 1) - lowest;
    if (before >= 0 && after >= 0) value = __fadd_rn(value, SubpixelOffset(lowest, before, after, method));
  }
  disparity[pixel] = value;
}

}  // namespace

RefinementMemory RefinementMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  RefinementMemory memory;
  memory.index = arena.Take<std::int16_t>(num_pixels);
  memory.adjusted = arena.Take<std::int16_t>(num_pixels);
  memory.voting = VotingMemory::Take(arena, parameters.ad_census.voting_iterations, width, height);
  if (parameters.filter.fill) memory.line_words = arena.Take<std::uint32_t>(NumLineWords(width, height));
  return memory;
}

void Refinement::ReadMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  ReadMapKernel<<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      map.disparity.data, static_cast<std::uint32_t>(shape_.num_pixels()), shape_.min_disparity,
      memory_.index, memory_.voting.ballots);
  CheckLaunch("ReadMapKernel");
}

void Refinement::VoteInRegions(const DeviceDisparityMap& map, cudaStream_t stream) {
  ad_census::VoteInRegions(left_, shape_.width, shape_.height, shape_.num_disparities, parameters_.ad_census,
                           memory_.voting, memory_.index, map.validity.data, stream);
}

void Refinement::Interpolate(const DeviceDisparityMap& map, cudaStream_t stream) {
  ad_census::Interpolate(left_.color, shape_.width, shape_.height, memory_.line_words, memory_.index,
                         map.validity.data, stream);
}

void Refinement::AdjustDiscontinuities(cudaStream_t stream) {
  const dim3 grid(BlocksFor(static_cast<std::size_t>(shape_.width)), static_cast<unsigned>(shape_.height));
  DiscontinuityKernel<<<grid, kThreads, 0, stream>>>(sums_, shape_, memory_.index, memory_.adjusted);
  CheckLaunch("DiscontinuityKernel");
  std::swap(memory_.index, memory_.adjusted);
}

void Refinement::RefineSubpixel(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<true><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, parameters_.selection.subpixel, map.disparity.data);
  CheckLaunch("WriteKernel");
}

void Refinement::WriteMap(const DeviceDisparityMap& map, cudaStream_t stream) {
  WriteKernel<false><<<BlocksFor(shape_.num_pixels()), kThreads, 0, stream>>>(
      sums_, shape_, memory_.index, Subpixel::kNone, map.disparity.data);
  CheckLaunch("WriteKernel");
}

}  // namespace parallax::cuda::ad_census
