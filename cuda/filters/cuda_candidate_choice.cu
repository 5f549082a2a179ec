// refinement, choice. Two kernels: a list of the pixels that have a choice, with a bit for each kept pixel; then a
// block takes 32 of them, all four candidates of a pixel at once. Its warps share out the features, each ring and
// the others, and then the trees.
#include "cuda/filters/cuda_candidate_choice.h"

#include <algorithm>

#include "cuda/device/check.h"
#include "cuda/device/warp.cuh"
#include "cuda/filters/launch_filter.cuh"
#include "cuda/filters/tree_questions.cuh"
#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"

namespace parallax::cuda {
namespace {

constexpr int kListRows = 8;       // of a block of the first kernel, which is a warp wide
constexpr int kMostBlocks = 2048;  // of the second one
constexpr int kWarps = kNumCandidateRings + 1;
constexpr int kTreesOfWarp = kNumCandidateTrees / kNumCandidateRings;  // the last warp has none
static_assert(kNumCandidates == kExamples);

// One entry for each TreeSet but kNone.
__device__ constexpr Questions<kNumCandidateFeatures, kNumCandidateTrees> kQuestions[] = {
    QuestionsOf<kNumCandidateFeatures>(kDrivingCandidateTrees.trees),
    QuestionsOf<kNumCandidateFeatures>(kGeneralCandidateTrees.trees)};
__device__ constexpr Leaves<kNumCandidateTrees> kLeaves[] = {LeavesOf(kDrivingCandidateTrees.trees),
                                                             LeavesOf(kGeneralCandidateTrees.trees)};
__device__ constexpr Ranks<kNumCandidateFeatures> kRanks[] = {
    RanksOf<kNumCandidateFeatures>(kDrivingCandidateTrees.trees),
    RanksOf<kNumCandidateFeatures>(kGeneralCandidateTrees.trees)};

constexpr int RowWords(int width) { return (width + kWarpSize - 1) / kWarpSize; }

struct ListedView : CandidateView {
  ChoiceMemory memory;
  int row_words;

  __device__ int DistanceToKept(int x, int y, int step) const {
    const int word = x / kWarpSize, bit = x % kWarpSize;
    const std::uint32_t* const row = memory.kept + static_cast<std::ptrdiff_t>(y) * row_words;
    const auto at = [&](int i) { return i >= 0 && i < row_words ? row[i] : 0U; };
    static_assert(kNearestKept_px == 2 * kWarpSize);
    const std::uint32_t here = at(word), next = at(word + step), after_next = at(word + 2 * step);
    if (step < 0) {
      const std::uint32_t near = __funnelshift_r(next, here, bit),
                          far = __funnelshift_r(after_next, next, bit);
      if (near != 0) return 1 + __clz(static_cast<int>(near));
      return far != 0 ? 1 + kWarpSize + __clz(static_cast<int>(far)) : 0;
    }
    const std::uint32_t near = __funnelshift_rc(here, next, bit + 1),
                        far = __funnelshift_rc(next, after_next, bit + 1);
    if (near != 0) return __ffs(static_cast<int>(near));
    return far != 0 ? kWarpSize + __ffs(static_cast<int>(far)) : 0;
  }
};

__global__ void __launch_bounds__(kWarpSize* kListRows)
    ListPixelsKernel(const ListedView view, DeviceImageView<const float> from_planes) {
  __shared__ unsigned num_listed, first;
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int lane = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * kWarpSize + lane,
            y = static_cast<int>(blockIdx.y) * kListRows + static_cast<int>(threadIdx.y);
  const bool is_first = lane == 0 && threadIdx.y == 0;
  if (is_first) num_listed = 0;
  __syncthreads();
  const bool is_inside = view.Contains(x, y), is_kept = is_inside && view.IsKept(x, y);
  const unsigned kept = __ballot_sync(kFullWarp, is_kept);
  if (lane == 0 && y < view.height)
    view.memory.kept[static_cast<std::ptrdiff_t>(y) * view.row_words + blockIdx.x] = kept;
  Candidates candidates;
  const bool has_choice = is_inside && !is_kept && FindCandidates(view, x, y, from_planes(x, y), candidates);
  const unsigned mask = __ballot_sync(kFullWarp, has_choice);
  unsigned place = 0;
  if (lane == 0 && mask != 0) place = atomicAdd(&num_listed, static_cast<unsigned>(__popc(mask)));
  place = __shfl_sync(kFullWarp, place, 0) + static_cast<unsigned>(__popc(mask & ((1U << lane) - 1U)));
  __syncthreads();
  if (is_first && num_listed > 0) first = atomicAdd(view.memory.num_listed, num_listed);
  __syncthreads();
  if (!has_choice) return;
  view.memory.listed[first + place] = static_cast<std::uint32_t>(y) << 16 | static_cast<std::uint32_t>(x);
  view.memory.values[first + place] = {candidates.values[0], candidates.values[1], candidates.values[2],
                                       candidates.values[3]};
}

// set: number of the trees.
__global__ void __launch_bounds__(kWarpSize* kWarps, 6)
    ChooseCandidatesKernel(const ListedView view, DeviceImageView<float> from_planes, int set, int bias) {
  __shared__ std::uint32_t ranks[kNumCandidateFeatures][kWarpSize];  // a byte a candidate
  __shared__ int sums[kNumCandidateRings][kNumCandidates][kWarpSize];
  __shared__ Leaves<kNumCandidateTrees> leaves;
  __shared__ Questions<kNumCandidateFeatures, kNumCandidateTrees> questions;
  const int lane = static_cast<int>(threadIdx.x), warp = static_cast<int>(threadIdx.y);
  WaitForKernelBefore();
  LetNextKernelBegin();
  const unsigned num_listed = *view.memory.num_listed;
  if (blockIdx.x * kWarpSize >= num_listed) return;
  CopyTable<kWarpSize * kWarps>(kLeaves[set], leaves, warp * kWarpSize + lane);
  CopyTable<kWarpSize * kWarps>(kQuestions[set], questions, warp * kWarpSize + lane);
  for (unsigned first = blockIdx.x * kWarpSize; first < num_listed; first += gridDim.x * kWarpSize) {
    const unsigned i = min(first + threadIdx.x, num_listed - 1);  // some lanes may have the last pixel, too
    const std::uint32_t listed = view.memory.listed[i];
    const int x = static_cast<int>(listed & 0xFFFFU), y = static_cast<int>(listed >> 16);
    const float4 all = view.memory.values[i];
    const float values[kNumCandidates] = {all.x, all.y, all.z, all.w};
    const auto put = [&](CandidateFeature feature, int candidate, std::uint8_t byte) {
      const int number = static_cast<int>(feature);
      reinterpret_cast<std::uint8_t*>(&ranks[number][lane])[candidate] = kRanks[set].of_value[number][byte];
    };
    if (warp < kNumCandidateRings) {
      MakeRingFeatures(view, x, y, warp, values, put);
    } else {
      Candidates candidates;
      FindCandidates(view, x, y, values[0], candidates);
      MakePointFeatures(view, x, y, candidates, put);
    }
    __syncthreads();
    if (warp < kNumCandidateRings) {
      int of_warp[kNumCandidates] = {};
      AddLeaves(
          questions, leaves, warp * kTreesOfWarp, kTreesOfWarp,
          [&](int feature) { return ranks[feature][lane]; }, of_warp);
#pragma unroll
      for (int k = 0; k < kNumCandidates; ++k) sums[warp][k][lane] = of_warp[k];
    }
    __syncthreads();
    if (warp > 0) continue;
    int of_pixel[kNumCandidates];
#pragma unroll
    for (int k = 0; k < kNumCandidates; ++k) {
      of_pixel[k] = bias;
      for (int w = 0; w < kNumCandidateRings; ++w) of_pixel[k] += sums[w][k][lane];
    }
    const int best = BestCandidate(of_pixel);
#pragma unroll
    for (int k = 1; k < kNumCandidates; ++k) {
      if (best == k) from_planes(x, y) = values[k];
    }
  }
}

}  // namespace

ChoiceMemory ChoiceMemory::Take(Arena& arena, int width, int height) {
  const auto rows = static_cast<std::size_t>(height);
  ChoiceMemory memory;
  memory.listed = arena.Take<std::uint32_t>(static_cast<std::size_t>(width) * rows);
  memory.values = arena.Take<float4>(static_cast<std::size_t>(width) * rows);
  memory.num_listed = arena.Take<std::uint32_t>(1);
  memory.kept = arena.Take<std::uint32_t>(static_cast<std::size_t>(RowWords(width)) * rows);
  return memory;
}

void ChooseCandidates(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                      const DeviceDisparityMap& map, const DisparityPlane* planes, const ChoiceMemory& memory,
                      DeviceImageView<float> from_planes, cudaStream_t stream) {
  const int tile = parameters.refinement.plane_tile;
  const int tiles_x = (guide.width + tile - 1) / tile;
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const ListedView view{
      {.width = guide.width,
       .height = guide.height,
       .filled = map.disparity.data,
       .filled_stride = map.disparity.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(float)),
       .validity = map.validity.data,
       .validity_stride = map.validity.stride_bytes,
       .guide = guide.data,
       .guide_stride = guide.stride_bytes,
       .planes = planes,
       .planes_stride = tiles_x,
       .tile_px = tile,
       .tiles_x = tiles_x,
       .tiles_y = (guide.height + tile - 1) / tile,
       .lowest = lowest,
       .highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1)},
      memory,
      RowWords(guide.width)};
  LaunchFilter("ListPixelsKernel", ListPixelsKernel,
               dim3(static_cast<unsigned>(view.row_words),
                    static_cast<unsigned>((guide.height + kListRows - 1) / kListRows)),
               dim3(kWarpSize, kListRows), 0, stream, view, AsConst(from_planes));
  const TreeSet set = parameters.refinement.trees;
  const int blocks = std::min(kMostBlocks, (guide.width * guide.height + kWarpSize - 1) / kWarpSize);
  LaunchFilter("ChooseCandidatesKernel", ChooseCandidatesKernel, dim3(static_cast<unsigned>(blocks)),
               dim3(kWarpSize, kWarps), 0, stream, view, from_planes, static_cast<int>(set) - 1,
               CandidateTreesOf(set).bias);
}

}  // namespace parallax::cuda
