#include "cuda/filters/map_stages.h"

#include <utility>

#include "cuda/device/check.h"
#include "cuda/filters/cuda_plane_filling.h"
#include "cuda/filters/cuda_smoothing.h"
#include "cuda/filters/cuda_speckle.h"
#include "cuda/filters/fill.h"
#include "cuda/filters/median.h"
#include "pipeline/trees/candidate_choice.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {

MapMemory MapMemory::Take(Arena& arena, const Parameters& parameters, int width, int height) {
  const std::size_t num_pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  MapMemory memory;
  memory.winner_left = arena.Take<std::uint16_t>(num_pixels);
  memory.winner_right = arena.Take<std::uint16_t>(num_pixels);
  memory.disparity = arena.Take<float>(num_pixels);
  memory.validity = arena.Take<std::uint8_t>(num_pixels);
  memory.confidence = arena.Take<std::uint8_t>(num_pixels);
  if (parameters.filter.speckle_size > 1) {
    memory.labels = arena.Take<std::uint32_t>(num_pixels);
    memory.sizes = arena.Take<std::uint32_t>(num_pixels);
  }
  if (parameters.filter.fill && parameters.method == Method::kSgm) {
    memory.has_value = arena.Take<std::uint32_t>(NumFillWords(width, height));
    memory.holes_left = arena.Take<std::uint32_t>(2);
  }
  const RefinementParameters& refinement = parameters.refinement;
  const bool judges = HasTrees(parameters);
  if (judges) memory.judgement = JudgementMemory::Take(arena, width, height);
  if (refinement.planes) memory.num_rejected = arena.Take<std::uint32_t>(1);
  if (HasChoice(parameters)) memory.choice = ChoiceMemory::Take(arena, width, height);
  if (refinement.planes || judges) {
    memory.planes = arena.Take<DisparityPlane>(LargestNumTiles(refinement, num_pixels));
  }
  if (refinement.planes || parameters.filter.median > 1 || refinement.smoothing_passes > 0) {
    memory.other_disparity = arena.Take<float>(num_pixels);
  }
  return memory;
}

void MapStages::SetSize(int width, int height) {
  const auto image = [&]<typename T>(T* data) { return DeviceImageView<T>{data, width, height}; };
  winners_ = {image(memory_.winner_left), image(memory_.winner_right)};
  map_ = {image(memory_.disparity), image(memory_.validity), image(memory_.confidence)};
  other_disparity_ = image(memory_.other_disparity);
}

void MapStages::EnqueueChecks(bool is_checked, const StepRunner& run, cudaStream_t stream) {
  const int width = map_.disparity.width, height = map_.disparity.height;
  const bool judges = HasTrees(parameters_);
  if (!is_checked) {
    run(Step::kConsistency, [&] {
      const DisparityRange range{parameters_.matching_cost.min_disparity,
                                 parameters_.matching_cost.num_disparities};
      CheckConsistency(winners_, range, parameters_.consistency, map_,
                       judges ? memory_.judgement.selected : nullptr, stream);
    });
  }
  run(Step::kSpeckle, [&] {
    const SpeckleScratch scratch{{memory_.labels, width, height}, {memory_.sizes, width, height}};
    RemoveSpeckles(parameters_.filter, scratch, map_, stream);
  });
}

void MapStages::EnqueueJudgement(DeviceImageView<const std::uint8_t> guide, const StepRunner& run,
                                 cudaStream_t stream) {
  if (!HasTrees(parameters_)) return;
  run(Step::kJudgement, [&] {
    FitPlanes(parameters_, map_, memory_.planes, stream);
    JudgePixels(parameters_, guide, memory_.judgement, memory_.planes, map_, stream);
  });
}

void MapStages::EnqueueFill(const StepRunner& run, cudaStream_t stream) {
  run(Step::kFill, [&] {
    if (parameters_.filter.fill)
      FillHoles({memory_.has_value, memory_.holes_left, memory_.num_rejected}, map_, stream);
  });
}

void MapStages::EnqueueLast(DeviceImageView<const std::uint8_t> guide, const StepRunner& run,
                            cudaStream_t stream) {
  const FilterParameters& filter = parameters_.filter;
  const RefinementParameters& refinement = parameters_.refinement;
  const auto swap = [&] { std::swap(map_.disparity, other_disparity_); };
  if (refinement.planes) {
    run(Step::kPlanes, [&] {
      if (memory_.holes_left == nullptr) {  // hole filling, which clears it, did not run
        Check(cudaMemsetAsync(memory_.num_rejected, 0, sizeof(*memory_.num_rejected), stream),
              "cudaMemsetAsync");
      }
      // The list replaces the winners, which are not needed any more.
      const RejectedPixels rejected{memory_.winner_left, memory_.winner_right, memory_.num_rejected};
      FillFromPlanes(parameters_, guide, map_, memory_.planes, rejected, other_disparity_,
                     memory_.choice.num_listed, stream);
      swap();
    });
    if (HasChoice(parameters_)) {
      run(Step::kChoice, [&] {
        const DeviceDisparityMap filled{other_disparity_, map_.validity, map_.confidence};
        ChooseCandidates(parameters_, guide, filled, memory_.planes, memory_.choice, map_.disparity, stream);
      });
    }
  }
  run(Step::kMedian, [&] {
    if (filter.median <= 1) return;
    MedianFilter(filter.median, AsConst(map_.disparity), other_disparity_, stream);
    swap();
  });
  if (refinement.smoothing_passes > 0) {
    run(Step::kSmoothing, [&] {
      for (int pass = 0; pass < refinement.smoothing_passes; ++pass) {
        SmoothOnce(refinement, pass, AsConst(map_.disparity), other_disparity_, stream);
        swap();
      }
    });
  }
}

}  // namespace parallax::cuda
