#include "pipeline/trees/candidate_choice.h"

#include "pipeline/reference/refinement.h"

namespace parallax::reference {

CandidateView ViewOfCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                               const DisparityMap& filled, const HostImage<DisparityPlane>& planes) {
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const HostImageView<const float> disparity = filled.disparity.ConstView();
  return {
      .width = guide.width,
      .height = guide.height,
      .filled = disparity.data,
      .filled_stride = disparity.stride_bytes / static_cast<std::ptrdiff_t>(sizeof(float)),
      .validity = filled.validity.ConstView().data,
      .validity_stride = filled.validity.ConstView().stride_bytes,
      .guide = guide.data,
      .guide_stride = guide.stride_bytes,
      .planes = planes.ConstView().data,
      .planes_stride = planes.ConstView().stride_bytes / static_cast<std::ptrdiff_t>(sizeof(DisparityPlane)),
      .tile_px = parameters.refinement.plane_tile,
      .tiles_x = planes.width(),
      .tiles_y = planes.height(),
      .lowest = lowest,
      .highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1)};
}

void ChooseCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                      const DisparityMap& filled, DisparityMap& map, ThreadPool& threads) {
  const HostImage<DisparityPlane> planes = FitPlanes(parameters, filled, threads);
  const CandidateView view = ViewOfCandidates(parameters, guide, filled, planes);
  const CandidateTrees& trees = CandidateTreesOf(parameters.refinement.trees);
  threads.ParallelFor(guide.height, [&](int y) {
    for (int x = 0; x < guide.width; ++x) {
      Candidates candidates;
      if (!FindCandidates(view, x, y, map.disparity(x, y), candidates)) continue;
      std::uint8_t features[kNumCandidates][kNumCandidateFeatures];
      MakeCandidateFeatures(view, x, y, candidates, [&](CandidateFeature feature, int i, std::uint8_t byte) {
        features[i][static_cast<int>(feature)] = byte;
      });
      int sums[kNumCandidates];
      for (int i = 0; i < kNumCandidates; ++i) {
        sums[i] = trees.bias;
        for (const PixelTree& tree : trees.trees) sums[i] += LeafOf(tree, features[i]);
      }
      map.disparity(x, y) = candidates.values[BestCandidate(sums)];
    }
  });
}

}  // namespace parallax::reference
