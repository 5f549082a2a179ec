// The times of a frame's steps, from events between them.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "cuda/device/steps.h"
#include "cuda/device/stream.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax::cuda {

class StepTimer {
 public:
  StepTimer();

  // Called when a frame begins.
  void Begin(cudaStream_t stream);
  // Called by the observer when a step ends.
  void End(Step step, cudaStream_t stream);
  // Adds the times of the frame, which must be done. The first step's time includes the upload.
  void AddTo(StageTimes& times) const;

 private:
  Event start_{true};
  std::vector<Event> events_;  // one for each step
  std::vector<Step> steps_;    // of the frame, in order
};

}  // namespace parallax::cuda
