// The steps of a frame's launches on the device, for observers.
#pragma once

#include <functional>

namespace parallax::cuda {

enum class Step {
  kCensusTransform,
  kMatchingCost,
  kAggregation,
  kSelection,
  kConsistency,
  kSpeckle,
  kJudgement,
  kVoting,
  kFill,
  kDiscontinuities,
  kSubpixel,
  kPlanes,
  kChoice,
  kMedian,
  kSmoothing,
  kReprojection,
  kCount
};
inline constexpr const char* kStepNames[] = {
    "census_transform", "matching_cost", "aggregation", "selection",       "consistency", "speckle",
    "judgement",        "voting",        "fill",        "discontinuities", "subpixel",    "planes",
    "choice",           "median",        "smoothing",   "reprojection"};

// Called after the launches of each step. It may launch more work on the stream, or wait for it.
using StepObserver = std::function<void(Step)>;

// Marks the launches of one step in a profiler's time line.
class StepRange {
 public:
  explicit StepRange(Step step);
  ~StepRange();
  StepRange(const StepRange&) = delete;
  StepRange& operator=(const StepRange&) = delete;
};

// Runs a step's launches and tells the observer, if there is one.
class StepRunner {
 public:
  explicit StepRunner(const StepObserver& observer) : observer_(observer) {}
  template <typename Launch>
  void operator()(Step step, const Launch& launch) const {
    {
      const StepRange range(step);
      launch();
    }
    if (observer_) observer_(step);
  }

 private:
  const StepObserver& observer_;
};

}  // namespace parallax::cuda
