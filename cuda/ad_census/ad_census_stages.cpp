#include "cuda/ad_census/ad_census_stages.h"

#include <variant>

#include "cuda/ad_census/cuda_ad_census_selection.h"
#include "cuda/device/check.h"
#include "cuda/device/stream.h"

namespace parallax::cuda::ad_census {
namespace {

CostShape ShapeOf(const Parameters& parameters, int width, int height) {
  const MatchingCostParameters& p = parameters.matching_cost;
  return {width, height, p.num_disparities, p.min_disparity, PaddedDisparities(p.num_disparities)};
}

bool IsOwn(const Parameters& parameters) { return parameters.ad_census.right_winner == RightWinner::kOwn; }

}  // namespace

AdCensusMemory AdCensusMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const CostShape shape = ShapeOf(parameters, width, height);
  const AdCensusParameters& p = parameters.ad_census;
  AdCensusMemory memory;
  memory.views = ViewMemory::Take(arena, parameters, width, height);
  memory.tables = arena.Take<std::uint16_t>(kNumColorCosts + kNumCensusCosts);
  memory.costs = arena.Take<std::uint16_t>(shape.num_cells());
  // These volumes serve the aggregation before they hold sums of path costs.
  const bool both = p.support == SupportRegion::kBoth;
  if (p.scanlines || p.iterations > 0) memory.row_sums = arena.Take<std::uint16_t>(shape.num_cells());
  if (p.scanlines || (p.iterations > 0 && both))
    memory.column_sums = arena.Take<std::uint16_t>(shape.num_cells());
  if (p.iterations > 1 && both) memory.more_sizes = arena.Take<std::uint16_t>(shape.num_cells());
  if (!both) {
    for (float*& reciprocals : memory.reciprocals) reciprocals = arena.Take<float>(shape.num_pixels());
  }
  memory.refinement = RefinementMemory::Take(arena, parameters, width, height);
  if (IsOwn(parameters)) {
    memory.mirrored_left = arena.Take<std::uint8_t>(shape.num_pixels() * sizeof(Rgb8));
    memory.mirrored_right = arena.Take<std::uint8_t>(shape.num_pixels() * sizeof(Rgb8));
  }
  return memory;
}

AdCensusStages::AdCensusStages(const Parameters& parameters, const AdCensusMemory& memory)
    : parameters_(parameters),
      tables_(MakeAdCensusTables(parameters)),
      memory_(memory),
      device_tables_{memory.tables, tables_.outside_cost} {
  const Stream stream;
  CopyNow(memory.tables, tables_.color_cost.data(), kNumColorCosts, stream.get());
  CopyNow(memory.tables + kNumColorCosts, tables_.census_cost.data(), kNumCensusCosts, stream.get());
}

void AdCensusStages::MakeSums(const StepRunner& run, cudaStream_t stream) {
  const AdCensusParameters& p = parameters_.ad_census;
  const RegionSizes sizes{{memory_.column_sums, memory_.more_sizes},
                          {memory_.reciprocals[0], memory_.reciprocals[1]}};
  costs_ = memory_.costs;
  run(Step::kMatchingCost, [&] {
    preparation_.begun.Record(stream);
    Check(cudaStreamWaitEvent(preparation_.stream.get(), preparation_.begun.get()), "cudaStreamWaitEvent");
    MakeRegionSizes(views_, shape_, p, sizes, sizes_made_, preparation_.stream.get());
    if (p.scanlines)
      FindSteps(views_, shape_.width, shape_.height, p.step_threshold, preparation_.stream.get());
    preparation_.done.Record(preparation_.stream.get());
    MatchingCost(views_, shape_, p.color_difference, device_tables_, costs_, stream);
  });
  run(Step::kAggregation, [&] {
    std::uint16_t* const both[] = {memory_.costs, memory_.row_sums};
    costs_ = AggregateOverCrosses(views_, shape_, p, both[0], both[1], sizes, sizes_made_, aggregation_fork_,
                                  stream);
    Check(cudaStreamWaitEvent(stream, preparation_.done.get()), "cudaStreamWaitEvent");
    sums_ = {costs_, nullptr};
    if (p.scanlines) {
      sums_ = OptimizeScanlines(views_, shape_, tables_, costs_, costs_ == both[0] ? both[1] : both[0],
                                memory_.column_sums, stream);
    }
  });
}

void AdCensusStages::Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right,
                             const WinnerImages& winners, const DeviceDisparityMap& map,
                             const StepRunner& run, cudaStream_t stream) {
  shape_ =
      std::visit([&](const auto& image) { return ShapeOf(parameters_, image.width, image.height); }, left);
  run(Step::kCensusTransform, [&] {
    if (IsOwn(parameters_)) {
      // The right image becomes the left one when both are mirrored and change places. Nobody watches.
      const DeviceCameraImage mirrored_left = MirrorImage(left, memory_.mirrored_left, stream);
      const DeviceCameraImage mirrored_right = MirrorImage(right, memory_.mirrored_right, stream);
      views_ = MakeViews(mirrored_right, mirrored_left, parameters_, memory_.views, stream);
      const StepObserver nobody;
      MakeSums(StepRunner(nobody), stream);
      SelectMirrored(sums_, shape_, winners.right, stream);
    }
    views_ = MakeViews(left, right, parameters_, memory_.views, stream);
  });
  MakeSums(run, stream);
  run(Step::kSelection, [&] {
    const int uniqueness_percent = parameters_.selection.uniqueness_percent;
    if (IsOwn(parameters_)) {
      SelectLeftDisparities(sums_, shape_, uniqueness_percent, winners.left, map, stream);
    } else {
      SelectDisparities(sums_, shape_, uniqueness_percent, winners, map, stream);
    }
  });
}

void AdCensusStages::EnqueueRefinement(const DeviceDisparityMap& map, bool results_between,
                                       const StepRunner& run, cudaStream_t stream) {
  Refinement refinement(memory_.refinement, shape_, parameters_, views_.left, sums_);
  const auto hand_out = [&] {
    if (results_between) refinement.WriteMap(map, stream);
  };
  run(Step::kVoting, [&] {
    refinement.ReadMap(map, stream);
    refinement.VoteInRegions(map, stream);
    hand_out();
  });
  run(Step::kFill, [&] {
    if (parameters_.filter.fill) refinement.Interpolate(map, stream);
    hand_out();
  });
  run(Step::kDiscontinuities, [&] {
    if (parameters_.ad_census.discontinuities) refinement.AdjustDiscontinuities(stream);
    hand_out();
  });
  run(Step::kSubpixel, [&] { refinement.RefineSubpixel(map, stream); });
}

}  // namespace parallax::cuda::ad_census
