// Semi-global matching on the cpu. Stages that are calls of their own on the reference are fused here:
//
// - matching_cost with aggregation: two sweeps over the image (Aggregator::Compute) make the costs in
//   registers, each for itself, and never store them. The first sweep, from below, stores its sums.
// - selection with the last sweep (Sink::Take): only there are a pixel's sums over all paths whole, and
//   W x H x D of them are neither written nor read again; the right image's winners follow from the same.
// - sub-pixel values and consistency with the end of a band of that sweep (Sink::EndBand): the winners of the
//   band's rows are in the cache, the left image's and the right one's.
//
// Apart stand census_transform, before the sweeps, in blocks of rows of both images (Transform), and what
// needs the whole map: the filters and refinements of cpu/filters/, which the methods share (FilterMap).
#include "pipeline/cpu/cpu_matcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include "parallax/error.h"
#include "pipeline/cpu/filters/cpu_map_filters.h"
#include "pipeline/cpu/filters/speckle.h"
#include "pipeline/cpu/sgm/aggregator.h"
#include "pipeline/cpu/sgm/census_transform.h"
#include "pipeline/cpu/sgm/tile_weights.h"
#include "pipeline/matchers/stage_watch.h"
#include "pipeline/rules/texture.h"
#include "pipeline/simd/row_tasks.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax {
namespace {

DisparityMap MakeMap(int width, int height) {
  return {HostImage<float>(width, height), HostImage<std::uint8_t>(width, height),
          HostImage<std::uint8_t>(width, height)};
}

cpu::PaddedImage<std::uint16_t> SmoothedOf(const Parameters& parameters, int width, int height) {
  if (!HasTwoScales(parameters.census_transform.window)) return {};
  return {width, height};
}

std::string Megabytes(std::size_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

class CpuSgmMatcher final : public StereoMatcher {
 public:
  CpuSgmMatcher(const Parameters& parameters, const MatcherOptions& options)
      : parameters_(parameters),
        tables_(MakeMatchingTables(parameters)),
        threads_(options.num_threads),
        largest_width_(options.width),
        largest_height_(options.height),
        width_(options.width),
        height_(options.height),
        aggregator_(parameters, tables_, width_, height_, threads_),
        memory_bytes_(PlanMemory(options)),
        gray_right_(width_, height_),
        guide_(width_, height_),
        smoothed_left_(SmoothedOf(parameters, width_, height_)),
        smoothed_right_(SmoothedOf(parameters, width_, height_)),
        weights_(tables_.weights, width_, height_),
        left_(MakePlanes(nullptr)),
        right_(MakePlanes(&aggregator_.right_row())),
        speckles_(width_, height_),
        selected_(MakeSelected()) {
    aggregator_.SetUp();
  }

  std::size_t memory_bytes() const override { return memory_bytes_; }

  std::string_view backend() const override { return "cpu"; }

  void Compute(const CameraImageView& left, const CameraImageView& right, DisparityMap& result,
               StageTimes* times, StageResults* stages) override {
    CheckMatcherInput(left, right, largest_width_, largest_height_);
    SetSize(WidthOf(left), HeightOf(left));
    if (times != nullptr) *times = {};
    if (stages != nullptr) PrepareHandOut(left, right, *stages);
    StageWatch watch(times);
    Transform(left, right, left_, right_);
    weights_.Compute(guide_, threads_);
    watch.Lap(Stage::kCensusTransform);

    if (result.disparity.width() != width_ || result.disparity.height() != height_)
      result = MakeMap(width_, height_);
    aggregator_.Compute(left_, right_, guide_, weights_, result, selected_.View(), times, stages);
    if (stages != nullptr) stages->Add("consistent", Clone(result));

    watch.Skip();
    cpu::FilterMap(parameters_, {guide_.Row(0), width_, height_, guide_.stride()}, selected_.ConstView(),
                   speckles_, result, aggregator_.workspace(), threads_, stages);
    ClearConfidenceOfConstantImages(left, right, result.confidence.View());
    watch.Lap(Stage::kFilter);
  }

 private:
  // The memory that the images and the aggregator need, known before they allocate it: a refused request has
  // touched nothing.
  std::size_t PlanMemory(const MatcherOptions& options) {
    const std::size_t cells = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) *
                              static_cast<std::size_t>(parameters_.matching_cost.num_disparities);
    const std::size_t limit =
        options.memory_limit_bytes > 0 ? options.memory_limit_bytes : cells / 2 * 5 + 64'000'000;
    const auto planes = [&](const cpu::PhasedRow* phases) {
      return cpu::CensusPlanes::BytesOf(width_, height_, aggregator_.plane_kind(), phases);
    };
    const std::size_t num_deep = HasTwoScales(parameters_.census_transform.window) ? 4 : 2;
    const std::size_t images = 2 * cpu::PaddedImage<std::uint8_t>::BytesOf(width_, height_) +
                               num_deep * cpu::PaddedImage<std::uint16_t>::BytesOf(width_, height_) +
                               planes(nullptr) + planes(&aggregator_.right_row()) + SelectedBytes() +
                               cpu::CostWeights::BytesOf(tables_.weights, width_, height_);
    const std::size_t workspace =
        cpu::FilterWorkspaceBytes(parameters_, width_, height_, threads_.num_threads());
    const std::size_t bytes = images + aggregator_.Plan(limit - std::min(limit, images), workspace);
    if (options.memory_limit_bytes > 0 && bytes > limit)
      throw NeedsMoreMemory(parameters_, options, bytes, 1);
    return bytes;
  }

  // The memory for disparities before the consistency check, which only trees read.
  std::size_t SelectedBytes() const {
    if (!HasTrees(parameters_)) return 0;
    return (static_cast<std::size_t>(largest_width_) + 15) / 16 * 64 *
           static_cast<std::size_t>(largest_height_);
  }
  HostImage<float> MakeSelected() const {
    return HasTrees(parameters_) ? HostImage<float>(width_, height_) : HostImage<float>();
  }

  // Sets the size of the frame; the memory stays the same when sizes change.
  void SetSize(int width, int height) {
    if (width == width_ && height == height_) return;
    width_ = width, height_ = height;
    aggregator_.SetSize(width, height);
    for (auto* image : {&gray_right_, &guide_}) image->SetSize(width, height);
    for (auto* image : {&deep_left_, &deep_right_, &smoothed_left_, &smoothed_right_}) {
      if (image->width() > 0) image->SetSize(width, height);
    }
    weights_.SetSize(width, height);
    for (auto* planes : {&left_, &right_}) planes->SetSize(width, height);
    speckles_.SetSize(width, height);
    selected_ = MakeSelected();
  }

  // Both images, a block of rows of one after the same of the other.
  void Transform(const CameraImageView& left, const CameraImageView& right, cpu::CensusPlanes& left_planes,
                 cpu::CensusPlanes& right_planes) {
    const bool deep = std::holds_alternative<HostImageView<const std::uint16_t>>(left);
    if (deep && deep_left_.width() == 0) {
      deep_left_ = cpu::PaddedImage<std::uint16_t>(largest_width_, largest_height_);
      deep_right_ = cpu::PaddedImage<std::uint16_t>(largest_width_, largest_height_);
      deep_left_.SetSize(width_, height_);
      deep_right_.SetSize(width_, height_);
    }
    constexpr int kRowsPerBlock = 16;
    cpu::ForRowBlocks(height_, kRowsPerBlock, threads_, [&](int begin, int end) {
      cpu::LoadGray(left, begin, end, guide_, deep_left_);
      cpu::LoadGray(right, begin, end, gray_right_, deep_right_);
      if (deep) cpu::GuideFromGray16(deep_left_, begin, end, guide_);
      if (deep && left_planes.kind().has_gradient) cpu::GuideFromGray16(deep_right_, begin, end, gray_right_);
    });
    const cpu::PlaneInput left_input{&guide_, deep ? &deep_left_ : nullptr, &smoothed_left_};
    const cpu::PlaneInput right_input{&gray_right_, deep ? &deep_right_ : nullptr, &smoothed_right_};
    if (HasTwoScales(parameters_.census_transform.window)) {
      cpu::ForRowBlocks(height_, kRowsPerBlock, threads_, [&](int begin, int end) {
        const auto smooth = [&](const cpu::PlaneInput& input, cpu::PaddedImage<std::uint16_t>& smoothed) {
          if (deep) return cpu::SmoothRows(*input.gray16, begin, end, smoothed);
          cpu::SmoothRows(*input.gray8, begin, end, smoothed);
        };
        smooth(left_input, smoothed_left_);
        smooth(right_input, smoothed_right_);
      });
    }
    cpu::ForRowBlocks(height_, kRowsPerBlock, threads_, [&](int begin, int end) {
      left_planes.Transform(left_input, begin, end);
      right_planes.Transform(right_input, begin, end);
    });
  }

  // Census codes, and room for what the aggregator hands out.
  void PrepareHandOut(const CameraImageView& left, const CameraImageView& right, StageResults& stages) {
    stages.Clear();
    cpu::CensusPlanes left_planes = MakePlanes(nullptr), right_planes = MakePlanes(nullptr);
    Transform(left, right, left_planes, right_planes);
    const auto codes_of = [&](const cpu::CensusPlanes& planes) {
      HostImage<std::uint64_t> codes(width_, height_);
      for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) codes(x, y) = planes.Code(x, y);
      }
      return codes;
    };
    stages.Add("census_left", codes_of(left_planes));
    stages.Add("census_right", codes_of(right_planes));
    stages.Add("sums",
               HostCostVolume<std::uint16_t>(width_, height_, parameters_.matching_cost.num_disparities));
    stages.Add("winner_left", HostImage<std::uint16_t>(width_, height_));
    stages.Add("winner_right", HostImage<std::uint16_t>(width_, height_));
    stages.Add("selected", MakeMap(width_, height_));
  }

  cpu::CensusPlanes MakePlanes(const cpu::PhasedRow* phases) const {
    return cpu::CensusPlanes(width_, height_, aggregator_.plane_kind(), phases,
                             aggregator_.striping().Padded(), parameters_.matching_cost.min_disparity);
  }

  Parameters parameters_;
  MatchingTables tables_;
  ThreadPool threads_;
  const int largest_width_, largest_height_;
  int width_, height_;  // of the frame
  cpu::Aggregator aggregator_;
  const std::size_t memory_bytes_;
  cpu::PaddedImage<std::uint8_t> gray_right_, guide_;               // the guide is the left image
  cpu::PaddedImage<std::uint16_t> deep_left_, deep_right_;          // sized by the first frame of that depth
  cpu::PaddedImage<std::uint16_t> smoothed_left_, smoothed_right_;  // for the window of two scales
  cpu::CostWeights weights_;
  cpu::CensusPlanes left_, right_;
  cpu::SpeckleFilter speckles_;
  HostImage<float> selected_;
};

}  // namespace

NeedsMoreMemory::NeedsMoreMemory(const Parameters& parameters, const MatcherOptions& options,
                                 std::size_t needed_bytes, int num_in_flight)
    : InvalidArgument(
          (num_in_flight > 1 ? std::to_string(num_in_flight) + " frames at a time, of " : "frames of ") +
          std::to_string(options.width) + "x" + std::to_string(options.height) + " with " +
          std::to_string(parameters.matching_cost.num_disparities) + " disparities need " +
          Megabytes(needed_bytes) + " of working memory, more than the limit of " +
          Megabytes(options.memory_limit_bytes) + ": raise it, or match " +
          (num_in_flight > 1 ? "fewer at a time, " : "") + "smaller images or fewer disparities"),
      needed_bytes_(needed_bytes) {}

std::unique_ptr<StereoMatcher> MakeCpuMatcher(const Parameters& parameters, const MatcherOptions& options) {
  ValidateOrThrow(parameters);
  CheckMatcherSize(options);
  return std::make_unique<CpuSgmMatcher>(parameters, options);
}

}  // namespace parallax
