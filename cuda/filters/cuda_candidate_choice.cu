// refinement, choice: a block of pixels lists those that have a choice first, so that its warps have few idle
// lanes. A thread then asks the trees about two candidates of a pixel at once, in turns the first two and the
// last two; last, a thread a listed pixel compares the sums.
#include "cuda/filters/cuda_candidate_choice.h"

#include "cuda/device/dependent_launch.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/filters/tree_questions.cuh"
#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/driving_trees.h"
#include "pipeline/trees/general_trees.h"

namespace parallax::cuda {
namespace {

constexpr int kWidth = kWarpSize, kHeight = 4, kThreads = kWidth * kHeight;  // pixels of a block
constexpr int kPairs = kNumCandidates / 2;
static_assert(kNumCandidates == 2 * kPairs);

// Of each TreeSet but kNone; the kernel is made for each of them, as that which judges.
__constant__ constexpr Questions<kNumCandidateTrees> kQuestions[] = {
    QuestionsOf(kDrivingCandidateTrees.trees), QuestionsOf(kGeneralCandidateTrees.trees)};
__device__ constexpr Leaves<kNumCandidateTrees> kLeaves[] = {LeavesOf(kDrivingCandidateTrees.trees),
                                                             LeavesOf(kGeneralCandidateTrees.trees)};

template <TreeSet kSet>
__global__ void __launch_bounds__(kThreads)
    ChooseCandidatesKernel(const CandidateView view, DeviceImageView<float> from_planes, int bias) {
  __shared__ std::uint32_t features[kNumCandidateFeatures][kThreads];
  __shared__ int sums[kNumCandidates][kThreads];
  __shared__ std::uint8_t listed[kThreads];  // numbers of pixels in the block, in any order
  __shared__ int num_listed;
  WaitForKernelBefore();
  LetNextKernelBegin();
  const int lane = static_cast<int>(threadIdx.x), thread = static_cast<int>(threadIdx.y) * kWarpSize + lane;
  const int x_begin = static_cast<int>(blockIdx.x) * kWidth, y_begin = static_cast<int>(blockIdx.y) * kHeight;
  if (thread == 0) num_listed = 0;
  __syncthreads();
  const int x = x_begin + lane, y = y_begin + static_cast<int>(threadIdx.y);
  Candidates candidates;
  const bool has_choice = view.Contains(x, y) && FindCandidates(view, x, y, from_planes(x, y), candidates);
  const unsigned mask = __ballot_sync(kFullWarp, has_choice);
  int place = 0;
  if (lane == 0 && mask != 0) place = atomicAdd(&num_listed, __popc(mask));
  place = __shfl_sync(kFullWarp, place, 0) + __popc(mask & ((1U << lane) - 1U));
  if (has_choice) listed[place] = static_cast<std::uint8_t>(thread);
  __syncthreads();
  const int count = num_listed;
  for (int item = thread; item < kPairs * count; item += kThreads) {
    const int pixel = item % count, first = 2 * (item / count);
    const int at_x = x_begin + listed[pixel] % kWidth, at_y = y_begin + listed[pixel] / kWidth;
    Candidates of_pixel;
    FindCandidates(view, at_x, at_y, from_planes(at_x, at_y), of_pixel);
    // A thread reads only what it has written itself.
    MakeCandidateFeatures<2>(view, at_x, at_y, of_pixel, first,
                             [&](CandidateFeature feature, int i, std::uint8_t byte) {
                               std::uint32_t& word = features[static_cast<int>(feature)][thread];
                               word = i == 0 ? byte : word | static_cast<std::uint32_t>(byte) << 16;
                             });
    int of_pair[2] = {bias, bias};
    AddLeaves(
        kQuestions[static_cast<int>(kSet) - 1], kLeaves[static_cast<int>(kSet) - 1],
        [&](std::uint32_t feature) { return features[feature][thread]; }, of_pair);
    sums[first][pixel] = of_pair[0], sums[first + 1][pixel] = of_pair[1];
  }
  __syncthreads();
  if (!has_choice) return;
  int of_pixel[kNumCandidates];
#pragma unroll
  for (int i = 0; i < kNumCandidates; ++i) of_pixel[i] = sums[i][place];
  const int best = BestCandidate(of_pixel);
#pragma unroll
  for (int i = 1; i < kNumCandidates; ++i) {
    if (best == i) from_planes(x, y) = candidates.values[i];
  }
}

}  // namespace

void ChooseCandidates(const Parameters& parameters, DeviceImageView<const std::uint8_t> guide,
                      const DeviceDisparityMap& map, const DisparityPlane* planes,
                      DeviceImageView<float> from_planes, cudaStream_t stream) {
  const int tile = parameters.refinement.plane_tile;
  const int tiles_x = (guide.width + tile - 1) / tile;
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const CandidateView view{
      .width = guide.width,
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
      .highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1)};
  const dim3 grid(static_cast<unsigned>((guide.width + kWidth - 1) / kWidth),
                  static_cast<unsigned>((guide.height + kHeight - 1) / kHeight));
  const TreeSet set = parameters.refinement.trees;
  LaunchDependent("ChooseCandidatesKernel",
                  set == TreeSet::kDriving ? ChooseCandidatesKernel<TreeSet::kDriving>
                                           : ChooseCandidatesKernel<TreeSet::kGeneral>,
                  grid, dim3(kWidth, kHeight), 0, stream, view, from_planes, CandidateTreesOf(set).bias);
}

}  // namespace parallax::cuda
