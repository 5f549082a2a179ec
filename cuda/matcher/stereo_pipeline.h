// One frame's stages on the device, for callers with their own stream and device images: a method
// (cuda/sgm/sgm_stages.h, cuda/ad_census/ad_census_stages.h) and the stages after the winner
// (cuda/filters/map_stages.h).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cuda/ad_census/ad_census_stages.h"
#include "cuda/device/device_image.h"
#include "cuda/device/steps.h"
#include "cuda/device/tuning.h"
#include "cuda/filters/map_stages.h"
#include "cuda/sgm/sgm_stages.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cuda {

class StereoPipeline {
 public:
  // Allocates the memory for images of up to width x height on the current device, in one piece. parameters
  // must be valid. Throws Error if the device has too little, with the needed memory and a number of
  // disparities that fits.
  StereoPipeline(const Parameters& parameters, int width, int height, const CudaTuning& tuning = {});

  // Launches all stages on stream and returns before they are done. left and right are of one pixel type and
  // one size up to the largest, rows densely packed, in device memory; they must stay until the stream has
  // passed this point. One frame at a time: the next Enqueue must be ordered behind this one (the same
  // stream, or an event). Neither allocates nor synchronises, so it can be captured into a graph.
  // results_between: runs every stage by itself, so that the result of each exists; otherwise some are fused.
  void Enqueue(const DeviceCameraImage& left, const DeviceCameraImage& right, cudaStream_t stream,
               const StepObserver& observer = {}, bool results_between = false);

  // The result of the last frame, in stream order after Enqueue; overwritten by the next one.
  const DeviceDisparityMap& result() const { return map_stages_.result(); }
  // The intermediate results, valid when the observer is called for their step.
  const SgmStages& sgm() const { return *sgm_; }                              // with the method sgm
  const ad_census::AdCensusStages& ad_census() const { return *ad_census_; }  // with the method ad_census
  const MapStages& map_stages() const { return map_stages_; }

  const Parameters& parameters() const { return parameters_; }
  int largest_width() const { return largest_width_; }
  int largest_height() const { return largest_height_; }
  std::size_t memory_bytes() const { return memory_.size_bytes(); }

 private:
  Parameters parameters_;
  int largest_width_, largest_height_;
  DeviceBuffer<std::byte> memory_;
  Arena arena_;
  std::optional<SgmStages> sgm_;
  std::optional<ad_census::AdCensusStages> ad_census_;
  MapStages map_stages_;
};

}  // namespace parallax::cuda
