#include "cuda/sgm/sgm_stages.h"

#include "cuda/device/check.h"
#include "cuda/device/device_code.h"
#include "cuda/sgm/aggregation.h"
#include "cuda/sgm/cuda_matching_cost.h"
#include "cuda/sgm/penalty_jumps.h"
#include "cuda/sgm/tile_differences.h"
#include "pipeline/trees/pixel_trees.h"

namespace parallax::cuda {

SgmMemory SgmMemory::Take(Arena& arena, const Parameters& parameters, const VolumeLayout& largest) {
  const std::size_t pixels = largest.num_pixels();
  SgmMemory memory;
  memory.jump_table = arena.Take<std::uint16_t>(JumpTable{}.size());
  if (HasJumps(largest, MakeMatchingTables(parameters))) {
    memory.jumps =
        arena.Take<std::uint32_t>(static_cast<std::size_t>(largest.num_volumes) * NumJumpWords(largest));
  }
  memory.census = CensusMemory::Take(arena, parameters.census_transform.window, pixels);
  if (parameters.matching_cost.gradient_weight > 0) {
    memory.gradients_left = arena.Take<std::uint32_t>(pixels);
    memory.gradients_right = arena.Take<std::uint32_t>(pixels);
  }
  if (MakeMatchingTables(parameters).weights.weighs()) {
    memory.tile_differences = arena.Take<std::uint32_t>(NumTileDifferences(largest.width, largest.height));
  }
  memory.costs = arena.Take<std::uint8_t>(largest.cost_bytes());
  memory.checkpoints = arena.Take<std::uint8_t>(MostCheckpointBytes(largest));
  memory.sums = arena.Take<std::uint8_t>(static_cast<std::size_t>(largest.num_volumes) * largest.sum_bytes());
  memory.bands_done = arena.Take<std::uint32_t>(static_cast<std::size_t>(NumBands(largest.height)));
  return memory;
}

SgmStages::SgmStages(const Parameters& parameters, const CudaTuning& tuning, const VolumeLayout& largest,
                     const SgmMemory& memory)
    : parameters_(parameters),
      tuning_(tuning),
      tables_(MakeMatchingTables(parameters)),
      memory_(memory),
      has_dependent_launch_(HasDependentLaunch()) {
  SetSize(largest.width, largest.height);
  // What lies before the first and behind the last pixel's costs is read along with them, though not used.
  Check(cudaMemsetAsync(memory_.costs, 0, largest.cost_bytes(), side_stream_.get()), "cudaMemsetAsync");
  const JumpTable jump_table = MakeJumpTable(tables_);
  Check(cudaMemcpyAsync(memory_.jump_table, jump_table.data(), sizeof(jump_table), cudaMemcpyHostToDevice,
                        side_stream_.get()),
        "cudaMemcpyAsync");
  Check(cudaStreamSynchronize(side_stream_.get()), "cudaStreamSynchronize");
}

void SgmStages::SetSize(int width, int height) {
  const auto image = [&]<typename T>(T* data) { return DeviceImageView<T>{data, width, height}; };
  gradients_ = {image(memory_.gradients_left), image(memory_.gradients_right)};
  volumes_ = {.layout = MakeVolumeLayout(parameters_, tables_, width, height, tuning_),
              .costs_memory = memory_.costs,
              .sums_memory = memory_.sums,
              .checkpoints = memory_.checkpoints,
              .bands_done = has_dependent_launch_ ? memory_.bands_done : nullptr};
}

bool SgmStages::Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right,
                        const WinnerImages& winners, const DeviceDisparityMap& map, bool results_between,
                        const StepRunner& run, cudaStream_t stream) {
  const CensusWindow window = parameters_.census_transform.window;
  run(Step::kCensusTransform, [&] {
    census_ = MakePairCensus(left, right, window, memory_.census, tables_.has_gradient, stream);
    if (tables_.has_gradient) GradientsAlongRow(census_.gray_left, census_.gray_right, gradients_, stream);
    if (memory_.tile_differences != nullptr)
      SumTileDifferences(census_.gray_left, memory_.tile_differences, stream);
  });
  run(Step::kMatchingCost, [&] {
    MatchingCost({.census = census_.codes,
                  .window = window,
                  .gradients = gradients_,
                  .gradient_cap = parameters_.matching_cost.gradient_cap,
                  .tile_differences = memory_.tile_differences,
                  .tables = tables_},
                 volumes_, stream);
    if (memory_.jumps != nullptr)
      FindJumps(guide(), memory_.jump_table, volumes_.layout, memory_.jumps, stream);
  });
  run(Step::kAggregation, [&] {
    if (!has_dependent_launch_) {
      costs_done_.Record(stream);
      Check(cudaStreamWaitEvent(side_stream_.get(), costs_done_.get()), "cudaStreamWaitEvent");
    }
    const cudaStream_t stream_of_rows = has_dependent_launch_ ? stream : side_stream_.get();
    const AggregationInput input{.tables = tables_, .jumps = memory_.jumps};
    if (volumes_.layout.columns_first) AggregateColumns(input, volumes_, stream);
    AggregateRows(input, volumes_, stream_of_rows);
    if (!volumes_.layout.columns_first) AggregateColumns(input, volumes_, stream);
    if (!has_dependent_launch_) {
      rows_done_.Record(side_stream_.get());
      Check(cudaStreamWaitEvent(stream, rows_done_.get()), "cudaStreamWaitEvent");
    }
  });
  // Trees look at what was selected.
  const bool checks = !results_between && !HasTrees(parameters_) &&
                      parameters_.consistency.max_difference >= 0 && FitsSelectAndCheck(volumes_.layout);
  if (checks) {
    run(Step::kConsistency,
        [&] { SelectAndCheck(volumes_, parameters_.selection, parameters_.consistency, map, stream); });
  } else {
    run(Step::kSelection, [&] { SelectDisparities(volumes_, parameters_.selection, winners, map, stream); });
  }
  return checks;
}

}  // namespace parallax::cuda
