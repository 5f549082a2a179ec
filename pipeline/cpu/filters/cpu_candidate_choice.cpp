// Pixels are gathered until they fill vectors: what MakeCandidateFeatures() does for one of them is done for many
// at a time, operation by operation.
#include "pipeline/cpu/filters/cpu_candidate_choice.h"

#include "pipeline/simd/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pipeline/cpu/filters/cpu_candidate_choice.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "pipeline/cpu/filters/judgement_kernels.h"
#include "pipeline/simd/row_tasks.h"
#include "pipeline/trees/candidate_choice.h"

#ifndef PARALLAX_CPU_CANDIDATE_CHOICE_BATCH_
#define PARALLAX_CPU_CANDIDATE_CHOICE_BATCH_
namespace parallax::cpu {

inline constexpr int kBatchPixels = 64;
inline constexpr int kFeatureWidth = kNumCandidates * kBatchPixels;   // each candidate's pixels together
inline constexpr std::ptrdiff_t kFeatureStride = kFeatureWidth + 64;  // kernels write a vector past a row
inline constexpr int kAllRingPixels = kNumCandidateRings * kRingPixels;

// The inputs of the features of a batch's pixels.
struct ChoiceBatch {
  alignas(64) float values[kNumCandidates][kBatchPixels];
  float of_tiles[kTilesAround][kBatchPixels];
  float of_own[kBatchPixels];                     // of its own tile's plane, or else of the chosen one
  float column[kBatchPixels];                     // x
  float left[kBatchPixels], right[kBatchPixels];  // of the nearest kept pixels; none: less than any value
  // The pixels of the rings; those outside the image have no value and count as not kept.
  float filled[kAllRingPixels][kBatchPixels];
  std::uint8_t guide[kAllRingPixels][kBatchPixels], is_kept[kAllRingPixels][kBatchPixels];
  std::uint8_t gray[kBatchPixels];
};

}  // namespace parallax::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace parallax::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using TagF = hn::ScalableTag<float>;
using TagI = hn::RebindToSigned<TagF>;
using VF = hn::Vec<TagF>;
using VI = hn::Vec<TagI>;

// The features of candidates; features: rows kFeatureStride apart.
void MakeFeaturesOfTarget(const ChoiceBatch& batch, std::uint8_t* HWY_RESTRICT features) {
  using F = CandidateFeature;
  const TagF df;
  const TagI di;
  const hn::Rebind<std::uint8_t, TagF> d8;
  const int lanes = static_cast<int>(hn::Lanes(df));
  const auto set = [&](float value) HWY_ATTR { return hn::Set(df, value); };
  const auto bytes = [&](const std::uint8_t* from)
                         HWY_ATTR { return hn::PromoteTo(di, hn::LoadU(d8, from)); };
  for (int x = 0; x < kBatchPixels; x += lanes) {
    const auto put = [&](F feature, int i, VI v) HWY_ATTR {
      hn::StoreU(hn::DemoteTo(d8, v), d8,
                 features + static_cast<std::ptrdiff_t>(feature) * kFeatureStride + i * kBatchPixels + x);
    };
    // ToByte() and QuartersAbove().
    const auto to_byte = [&](VF v) HWY_ATTR {
      return hn::ConvertTo(di, hn::Min(hn::Max(v, hn::Zero(df)), set(255.0F)));
    };
    const auto quarters = [&](VF value, const float* other) HWY_ATTR {
      return to_byte(hn::Add(set(128.0F), hn::Mul(set(4.0F), hn::Sub(value, hn::Load(df, other + x)))));
    };
    for (int i = 0; i < kNumCandidates; ++i) {
      const VF v = hn::Load(df, batch.values[i] + x);
      put(F::kDisparity, i, to_byte(v));
      put(F::kRightColumn, i, to_byte(hn::Add(hn::Sub(hn::Load(df, batch.column + x), v), set(64.0F))));
      put(F::kAbovePlane, i, quarters(v, batch.values[0]));
      put(F::kAboveFilled, i, quarters(v, batch.values[1]));
      put(F::kAboveOwnPlane, i, quarters(v, batch.of_own));
      put(F::kAboveLeft, i, quarters(v, batch.left));
      put(F::kAboveRight, i, quarters(v, batch.right));
      const auto distance = [&](int tile) HWY_ATTR {
        return hn::Mul(set(8.0F), hn::Abs(hn::Sub(v, hn::Load(df, batch.of_tiles[tile] + x))));
      };
      VF nearest = set(255.0F);
      VI num_near = hn::Zero(di);
      for (int tile = 0; tile < kTilesAround; ++tile) {
        nearest = hn::Min(nearest, distance(tile));
        const auto is_near = hn::Lt(distance(tile), set(static_cast<float>(kNearPlane)));
        num_near = hn::Sub(num_near, hn::VecFromMask(di, hn::RebindMask(di, is_near)));
      }
      put(F::kOwnPlane, i, to_byte(distance(kTilesAround / 2)));
      put(F::kNearestPlane, i, to_byte(nearest));
      put(F::kNumPlanes, i, num_near);
    }
    const VI gray = bytes(batch.gray + x);
    for (int ring = 0; ring < kNumCandidateRings; ++ring) {
      const VF little = set(CandidateRingOf(ring).difference);
      VI agreement[kNumCandidates], num_higher[kNumCandidates], num_kept = hn::Zero(di);
      for (int i = 0; i < kNumCandidates; ++i) agreement[i] = num_higher[i] = num_kept;
      VF sum = hn::Zero(df);
      for (int pixel = ring * kRingPixels; pixel < (ring + 1) * kRingPixels; ++pixel) {
        const VF value = hn::Load(df, batch.filled[pixel] + x);
        const VI kept = bytes(batch.is_kept[pixel] + x);
        VI weight = hn::Add(kept, hn::Set(di, 1));
        if (ring > 0) {
          const VI difference = hn::Abs(hn::Sub(bytes(batch.guide[pixel] + x), gray));
          weight = hn::IfThenElseZero(hn::Lt(difference, hn::Set(di, kAlikeGray)), weight);
        }
        num_kept = hn::Add(num_kept, kept);
        sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(df, hn::Gt(kept, hn::Zero(di))), value));
        for (int i = 0; i < kNumCandidates; ++i) {
          const VF above = hn::Sub(value, hn::Load(df, batch.values[i] + x));
          const auto agrees = hn::RebindMask(di, hn::Le(hn::Abs(above), little));
          agreement[i] = hn::Add(agreement[i], hn::IfThenElseZero(agrees, weight));
          if (ring == 3) {
            const auto is_higher = hn::RebindMask(di, hn::Gt(above, little));
            num_higher[i] = hn::Add(num_higher[i], hn::IfThenElseZero(is_higher, kept));
          }
        }
      }
      constexpr F kAgree[] = {F::kAgree2, F::kAgree4, F::kAgree16, F::kAgree28};
      constexpr F kMean[] = {F::kCount, F::kMean4, F::kMean16, F::kMean28};
      const auto has_any = hn::Gt(num_kept, hn::Zero(di));
      const VF mean = hn::Div(sum, hn::ConvertTo(df, hn::Max(num_kept, hn::Set(di, 1))));
      for (int i = 0; i < kNumCandidates; ++i) {
        put(kAgree[ring], i, agreement[i]);
        if (ring == 0) continue;
        const VF above = hn::Sub(mean, hn::Load(df, batch.values[i] + x));
        const VF least = hn::Max(hn::Add(set(128.0F), hn::Mul(set(2.0F), above)), set(1.0F));
        put(kMean[ring], i, hn::IfThenElseZero(has_any, to_byte(least)));
        if (ring < 3) continue;
        put(F::kHigher28, i, num_higher[i]);
        put(F::kKept28, i, num_kept);
      }
    }
  }
}

}  // namespace
}  // namespace parallax::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parallax::cpu {
HWY_EXPORT(MakeFeaturesOfTarget);
namespace {

// The pixels of a row are considered from left to right.
class Batch {
 public:
  Batch(const CandidateView& view, const CandidateTrees& trees)
      : view_(view),
        trees_(trees),
        features_(static_cast<std::size_t>(kNumCandidateFeatures * kFeatureStride), 0),
        sums_(static_cast<std::size_t>(kFeatureStride)) {
    for (int ring = 0; ring < kNumCandidateRings; ++ring) {
      for (int i = 0; i < kRingPixels; ++i)
        offsets_[ring * kRingPixels + i] = ScaledTo(CandidateRingOf(ring).radius, RingOffsetOf(i));
    }
  }

  void ConsiderRow(int y, float* values) {
    int left = -1 - kNearestKept_px, right = -1;  // the nearest kept pixels, as far as they are known
    for (int x = 0; x < view_.width; ++x) {
      if (view_.IsKept(x, y)) {
        left = x;
        continue;
      }
      Candidates& candidates = candidates_[count_];
      if (!FindCandidates(view_, x, y, values[x], candidates)) continue;
      if (right < x) {
        for (right = x + 1; right < view_.width && !view_.IsKept(right, y);) ++right;
      }
      Gather(x, y, x - left <= kNearestKept_px ? left : -1,
             right < view_.width && right - x <= kNearestKept_px ? right : -1);
      values_[count_] = &values[x];
      if (++count_ == kBatchPixels) Decide();
    }
  }
  // Decides for the pixels collected so far; their values have changed when this returns.
  void Decide() {
    if (count_ == 0) return;
    HWY_DYNAMIC_DISPATCH(MakeFeaturesOfTarget)(inputs_, features_.data());
    SumLeavesRow(trees_.bias, trees_.trees, kNumCandidateTrees, features_.data(), kFeatureStride,
                 kFeatureWidth, sums_.data());
    for (int pixel = 0; pixel < count_; ++pixel) {
      int sums[kNumCandidates];
      for (int i = 0; i < kNumCandidates; ++i)
        sums[i] = sums_[static_cast<std::size_t>(i * kBatchPixels + pixel)];
      *values_[pixel] = candidates_[pixel].values[BestCandidate(sums)];
    }
    count_ = 0;
  }

 private:
  // left, right: the nearest kept pixels in the row, -1 = none.
  void Gather(int x, int y, int left, int right) {
    using F = CandidateFeature;
    const Candidates& candidates = candidates_[count_];
    const auto put = [&](F feature, std::uint8_t byte) {
      for (int i = 0; i < kNumCandidates; ++i)
        features_[static_cast<std::size_t>(static_cast<int>(feature) * kFeatureStride + i * kBatchPixels +
                                           count_)] = byte;
    };
    const DisparityPlane& own = view_.PlaneOf(x / view_.tile_px, y / view_.tile_px);
    put(F::kStatus, StatusOf(view_.ValidityAt(x, y)));
    put(F::kGray, static_cast<std::uint8_t>(view_.GuideAt(x, y)));
    put(F::kRow, ClampToByte(255 * y / view_.height));
    put(F::kSlopeX, ToByte(128.0F + 80.0F * own.slope_x));
    put(F::kSlopeY, ToByte(128.0F + 80.0F * own.slope_y));
    put(F::kGap, ClampToByte(left < 0 ? 255 : x - left));

    for (int i = 0; i < kNumCandidates; ++i) inputs_.values[i][count_] = candidates.values[i];
    for (int i = 0; i < kTilesAround; ++i) inputs_.of_tiles[i][count_] = candidates.of_tiles[i];
    const float of_own = candidates.of_tiles[kTilesAround / 2];
    inputs_.of_own[count_] =
        of_own == kNoValue ? candidates.values[0] : ClampTo(of_own, view_.lowest, view_.highest);
    inputs_.column[count_] = static_cast<float>(x);
    inputs_.left[count_] = left < 0 ? kNoValue : view_.FilledAt(left, y);
    inputs_.right[count_] = right < 0 ? kNoValue : view_.FilledAt(right, y);
    inputs_.gray[count_] = static_cast<std::uint8_t>(view_.GuideAt(x, y));
    constexpr int kReach = CandidateRingOf(kNumCandidateRings - 1).radius;
    const bool is_far_inside =
        x >= kReach && x < view_.width - kReach && y >= kReach && y < view_.height - kReach;
    for (int i = 0; i < kAllRingPixels; ++i) {
      const int u = x + offsets_[i].x, v = y + offsets_[i].y;
      const bool is_inside = is_far_inside || view_.Contains(u, v);
      inputs_.filled[i][count_] = is_inside ? view_.FilledAt(u, v) : std::numeric_limits<float>::quiet_NaN();
      inputs_.guide[i][count_] = is_inside ? static_cast<std::uint8_t>(view_.GuideAt(u, v)) : std::uint8_t{0};
      inputs_.is_kept[i][count_] = is_inside && view_.IsKept(u, v) ? 1 : 0;
    }
  }

  const CandidateView& view_;
  const CandidateTrees& trees_;
  RingOffset offsets_[kAllRingPixels];
  std::vector<std::uint8_t> features_;  // rows of kFeatureStride
  std::vector<std::int16_t> sums_;
  ChoiceBatch inputs_{};
  Candidates candidates_[kBatchPixels];
  float* values_[kBatchPixels];
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
    for (int y = begin; y < end; ++y) batch.ConsiderRow(y, from_planes.Row(y));
    batch.Decide();
  });
}

}  // namespace parallax::cpu
#endif
