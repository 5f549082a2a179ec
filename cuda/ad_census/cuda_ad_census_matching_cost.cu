// A warp follows a row of left pixels; a lane has two successive disparities, so that the partner at the
// second one is that at the first one of the pixel before.
#include "cuda/ad_census/cuda_ad_census_matching_cost.h"

#include "cuda/ad_census/color.cuh"
#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"

namespace parallax::cuda::ad_census {
namespace {

constexpr int kWarps = 8, kSegment = 32;
constexpr int kNumColors = static_cast<int>(kNumColorCosts), kNumBits = static_cast<int>(kNumCensusCosts);

template <typename Code>
struct Arguments {
  const std::uint32_t *color_left, *color_right;
  const Code *census_left, *census_right;
  DeviceTables tables;
  std::uint32_t* costs;  // words of two
  CostShape shape;
  int num_segments;
};

__device__ __forceinline__ int CountBits(std::uint32_t code) { return __popc(code); }
__device__ __forceinline__ int CountBits(std::uint64_t code) { return __popcll(code); }

template <typename Code, bool kMaximum>
__global__ void __launch_bounds__(kWarpSize* kWarps) MatchingCostKernel(const Arguments<Code> a) {
  __shared__ std::uint16_t color_cost[kNumColors], census_cost[kNumBits];
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  for (int i = warp * kWarpSize + lane; i < kNumColors + kNumBits; i += kWarpSize * kWarps)
    (i < kNumColors ? color_cost[i] : census_cost[i - kNumColors]) = a.tables.costs[i];
  __syncthreads();
  const int item = static_cast<int>(blockIdx.x) * kWarps + warp, num_groups = a.shape.num_groups();
  const int segment = item / num_groups, group = item % num_groups, y = static_cast<int>(blockIdx.y);
  if (segment >= a.num_segments) return;
  const int width = a.shape.width;
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(y) * width;
  const std::uint32_t *const left = a.color_left + row, *const right = a.color_right + row;
  const Code *const codes_left = a.census_left + row, *const codes_right = a.census_right + row;
  const int begin = segment * kSegment, end = min(begin + kSegment, width);
  int x_right = begin - a.shape.min_disparity - group * kGroup - 2 * lane;  // at the lane's first disparity

  struct Partner {
    std::uint32_t color;
    Code code;
    bool is_inside;
  };
  const auto partner_at = [&](int x) -> Partner {
    if (static_cast<unsigned>(x) >= static_cast<unsigned>(width)) return {0, 0, false};
    return {right[x], codes_right[x], true};
  };
  const auto cost_of = [&](std::uint32_t color, Code code, const Partner& partner) -> std::uint32_t {
    if (!partner.is_inside) return a.tables.outside_cost;
    const int difference =
        kMaximum ? 3 * ColorDistance(color, partner.color) : static_cast<int>(__vsadu4(color, partner.color));
    return static_cast<std::uint32_t>(color_cost[difference]) + census_cost[CountBits(code ^ partner.code)];
  };
  Partner second = partner_at(x_right - 1);
  std::uint32_t* to = a.costs + (row + begin) * (a.shape.padded / 2) + group * kWarpSize + lane;
#pragma unroll 4
  for (int x = begin; x < end; ++x, ++x_right, to += a.shape.padded / 2) {
    const std::uint32_t color = left[x];
    const Code code = codes_left[x];
    const Partner first = partner_at(x_right);
    *to = cost_of(color, code, first) | cost_of(color, code, second) << 16;
    second = first;
  }
}

template <typename Code>
void Launch(const Views& views, const Code* census_left, const Code* census_right, const CostShape& shape,
            ColorDifference difference, const DeviceTables& tables, std::uint16_t* costs,
            cudaStream_t stream) {
  const int num_segments = (shape.width + kSegment - 1) / kSegment;
  const Arguments<Code> a{views.left.color,
                          views.right.color,
                          census_left,
                          census_right,
                          tables,
                          reinterpret_cast<std::uint32_t*>(costs),
                          shape,
                          num_segments};
  const dim3 grid(static_cast<unsigned>((num_segments * shape.num_groups() + kWarps - 1) / kWarps),
                  static_cast<unsigned>(shape.height));
  const dim3 block(kWarpSize, kWarps);
  if (difference == ColorDifference::kMaximum) {
    MatchingCostKernel<Code, true><<<grid, block, 0, stream>>>(a);
  } else {
    MatchingCostKernel<Code, false><<<grid, block, 0, stream>>>(a);
  }
  CheckLaunch("MatchingCostKernel");
}

}  // namespace

void MatchingCost(const Views& views, const CostShape& shape, ColorDifference difference,
                  const DeviceTables& tables, std::uint16_t* costs, cudaStream_t stream) {
  const CensusImages& census = views.census;
  if (census.left32.data != nullptr) {
    Launch(views, census.left32.data, census.right32.data, shape, difference, tables, costs, stream);
  } else {
    Launch(views, census.left64.data, census.right64.data, shape, difference, tables, costs, stream);
  }
}

}  // namespace parallax::cuda::ad_census
