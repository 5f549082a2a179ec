// Pixels are gathered until their candidates fill a row of features, of which many are summed at a time.
#include "pipeline/cpu/filters/cpu_candidate_choice.h"

#include <cstddef>
#include <vector>

#include "pipeline/cpu/filters/judgement_kernels.h"
#include "pipeline/simd/row_tasks.h"
#include "pipeline/trees/candidate_choice.h"

namespace parallax::cpu {
namespace {

constexpr int kPixels = 64;  // of a batch
constexpr int kVector = 64;  // elements that a kernel may reach past a row
constexpr int kWidth = kNumCandidates * kPixels;
constexpr std::ptrdiff_t kStride = kWidth + kVector;

class Batch {
 public:
  Batch(const CandidateView& view, const CandidateTrees& trees)
      : view_(view),
        trees_(trees),
        features_(static_cast<std::size_t>(kNumCandidateFeatures * kStride), 0),
        sums_(static_cast<std::size_t>(kStride)) {}

  // value: the pixel's, which is changed by the next Decide at the latest.
  void Consider(int x, int y, float& value) {
    Candidates& candidates = candidates_[count_];
    if (!FindCandidates(view_, x, y, value, candidates)) return;
    MakeCandidateFeatures<kNumCandidates>(
        view_, x, y, candidates, 0, [&](CandidateFeature feature, int i, std::uint8_t byte) {
          features_[static_cast<std::size_t>(static_cast<int>(feature) * kStride + i * kPixels + count_)] =
              byte;
        });
    values_[count_] = &value;
    if (++count_ == kPixels) Decide();
  }
  void Decide() {
    if (count_ == 0) return;
    SumLeavesRow(trees_.bias, trees_.trees, kNumCandidateTrees, features_.data(), kStride, kWidth,
                 sums_.data());
    for (int pixel = 0; pixel < count_; ++pixel) {
      int sums[kNumCandidates];
      for (int i = 0; i < kNumCandidates; ++i) sums[i] = sums_[static_cast<std::size_t>(i * kPixels + pixel)];
      *values_[pixel] = candidates_[pixel].values[BestCandidate(sums)];
    }
    count_ = 0;
  }

 private:
  const CandidateView& view_;
  const CandidateTrees& trees_;
  std::vector<std::uint8_t> features_;  // rows of kStride, each candidate's pixels together
  std::vector<std::int16_t> sums_;
  Candidates candidates_[kPixels];
  float* values_[kPixels];
  int count_ = 0;
};

}  // namespace

void ChooseCandidates(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
                      const FramedMap& filled, const HostImage<std::uint8_t>& validity,
                      const TilePlanes& tiles, const FramedMap& from_planes, ThreadPool& threads) {
  const float lowest = static_cast<float>(parameters.matching_cost.min_disparity);
  const CandidateView view{
      .width = guide.width,
      .height = guide.height,
      .filled = filled.Row(0),
      .filled_stride = filled.stride(),
      .validity = validity.ConstView().data,
      .validity_stride = validity.ConstView().stride_bytes,
      .guide = guide.data,
      .guide_stride = guide.stride_bytes,
      .planes = tiles.planes,
      .planes_stride = tiles.tiles_x,
      .tile_px = tiles.tile_px,
      .tiles_x = tiles.tiles_x,
      .tiles_y = tiles.tiles_y,
      .lowest = lowest,
      .highest = lowest + static_cast<float>(parameters.matching_cost.num_disparities - 1)};
  constexpr int kRowsPerBlock = 16;
  ForRowBlocks(guide.height, kRowsPerBlock, threads, [&](int begin, int end) {
    Batch batch(view, CandidateTreesOf(parameters.refinement.trees));
    for (int y = begin; y < end; ++y) {
      float* const row = from_planes.Row(y);
      for (int x = 0; x < guide.width; ++x) batch.Consider(x, y, row[x]);
    }
    batch.Decide();
  });
}

}  // namespace parallax::cpu
