// The stages after the winner, for any method: consistency, removal of speckles; verdicts of trees; filling,
// if the method has none of its own; planes, choice, median, smoothing.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/device/arena.h"
#include "cuda/device/device_disparity_map.h"
#include "cuda/device/steps.h"
#include "cuda/filters/cuda_candidate_choice.h"
#include "cuda/filters/cuda_consistency.h"
#include "cuda/filters/cuda_judgement.h"
#include "parallax/image.h"
#include "pipeline/rules/refinement_math.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

// The device memory of MapStages, with room for any image up to width x height. Borrowed.
struct MapMemory {
  std::uint16_t *winner_left = nullptr, *winner_right = nullptr;
  float *disparity = nullptr, *other_disparity = nullptr;
  std::uint8_t *validity = nullptr, *confidence = nullptr;
  std::uint32_t *labels = nullptr, *sizes = nullptr;
  DisparityPlane* planes = nullptr;
  std::uint32_t* num_rejected = nullptr;
  JudgementMemory judgement;
  ChoiceMemory choice;
  std::uint32_t *has_value = nullptr, *holes_left = nullptr;

  static MapMemory Take(Arena& arena, const Parameters& parameters, int width, int height);
};

class MapStages {
 public:
  // parameters must be valid. memory: taken by Take for them and the largest image.
  MapStages(const Parameters& parameters, const MapMemory& memory)
      : parameters_(parameters), memory_(memory) {}

  // Frames from here on have this size, up to the largest.
  void SetSize(int width, int height);

  // The method's output: the selected disparities, and its winners unless it checks consistency itself. When
  // an observer is called: the map after its step.
  const DeviceDisparityMap& map() const { return map_; }
  const WinnerImages& winners() const { return winners_; }

  // The Enqueue functions launch their stages on stream and return before they are done. SetSize is called
  // first for each frame. This one launches consistency (unless is_checked) and speckles.
  void EnqueueChecks(bool is_checked, const StepRunner& run, cudaStream_t stream);
  // Launches the trees' verdicts, if there are trees. guide: left image.
  void EnqueueJudgement(DeviceImageView<const std::uint8_t> guide, const StepRunner& run,
                        cudaStream_t stream);
  void EnqueueFill(const StepRunner& run, cudaStream_t stream);
  // Launches planes, the trees' choice, median and smoothing. guide: left image.
  void EnqueueLast(DeviceImageView<const std::uint8_t> guide, const StepRunner& run, cudaStream_t stream);

  // Valid in stream order after EnqueueLast.
  const DeviceDisparityMap& result() const { return map_; }

 private:
  Parameters parameters_;
  MapMemory memory_;
  WinnerImages winners_;
  DeviceDisparityMap map_;
  DeviceImageView<float> other_disparity_;  // is swapped with map_'s
};

}  // namespace parallax::cuda
