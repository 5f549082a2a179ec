#include "cuda/filters/map_stages.h"

#include "cuda/filters/fill.h"
#include "cuda/filters/median.h"
#include "cuda/filters/speckle.h"

namespace parallax::cuda {

MapMemory MapMemory::Take(Arena& arena, const Parameters& parameters, std::size_t num_pixels) {
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
  if (parameters.filter.fill) {
    memory.nearest = arena.Take<float>(8 * num_pixels);
    memory.holes_left = arena.Take<std::uint32_t>(2);
  }
  if (parameters.filter.median > 1) memory.other_disparity = arena.Take<float>(num_pixels);
  return memory;
}

void MapStages::SetSize(int width, int height) {
  const auto image = [&]<typename T>(T* data) { return DeviceImageView<T>{data, width, height}; };
  winners_ = {image(memory_.winner_left), image(memory_.winner_right)};
  map_ = {image(memory_.disparity), image(memory_.validity), image(memory_.confidence)};
  result_ = map_;
  if (parameters_.filter.median > 1) result_.disparity = image(memory_.other_disparity);
}

void MapStages::Enqueue(bool is_checked, const StepRunner& run, cudaStream_t stream) const {
  const FilterParameters& filter = parameters_.filter;
  const int width = map_.disparity.width, height = map_.disparity.height;
  if (!is_checked) {
    run(Step::kConsistency, [&] {
      const DisparityRange range{parameters_.matching_cost.min_disparity,
                                 parameters_.matching_cost.num_disparities};
      CheckConsistency(winners_, range, parameters_.consistency, map_, stream);
    });
  }
  run(Step::kSpeckle, [&] {
    const SpeckleScratch scratch{{memory_.labels, width, height}, {memory_.sizes, width, height}};
    RemoveSpeckles(filter, scratch, map_, stream);
  });
  run(Step::kFill, [&] {
    if (filter.fill) FillHoles({memory_.nearest, memory_.holes_left}, map_, stream);
  });
  run(Step::kMedian, [&] {
    if (filter.median > 1) MedianFilter(filter.median, AsConst(map_.disparity), result_.disparity, stream);
  });
}

}  // namespace parallax::cuda
