#include "cuda/device/step_timer.h"

#include <cstddef>

namespace parallax::cuda {
namespace {

Stage StageOf(Step step) {
  switch (step) {
    case Step::kCensusTransform:
      return Stage::kCensusTransform;
    case Step::kMatchingCost:
      return Stage::kMatchingCost;
    case Step::kAggregation:
      return Stage::kAggregation;
    case Step::kSelection:
      return Stage::kSelection;
    case Step::kConsistency:
      return Stage::kConsistency;
    case Step::kReprojection:
      return Stage::kReprojection;
    default:
      return Stage::kFilter;
  }
}

}  // namespace

StepTimer::StepTimer() {
  for (int i = 0; i < static_cast<int>(Step::kCount); ++i) events_.emplace_back(true);
}

void StepTimer::Begin(cudaStream_t stream) {
  start_.Record(stream);
  steps_.clear();
}

void StepTimer::End(Step step, cudaStream_t stream) {
  events_[static_cast<std::size_t>(step)].Record(stream);
  steps_.push_back(step);
}

void StepTimer::AddTo(StageTimes& times) const {
  cudaEvent_t before = start_.get();
  for (const Step step : steps_) {
    cudaEvent_t after = events_[static_cast<std::size_t>(step)].get();
    float ms = 0;
    Check(cudaEventElapsedTime(&ms, before, after), "cudaEventElapsedTime");
    times[StageOf(step)] += static_cast<double>(ms);
    before = after;
  }
}

}  // namespace parallax::cuda
