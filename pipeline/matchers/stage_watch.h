// Measures the times of a frame's stages.
#pragma once

#include <chrono>

#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// Wall time, measured if times is not null.
class StageWatch {
 public:
  explicit StageWatch(StageTimes* times) : times_(times) {}
  // Leaves the time since the last call out: it belongs to no stage.
  void Skip() { last_ = Clock::now(); }
  // Adds the time since the last call to the stage.
  void Lap(Stage stage) {
    const Clock::time_point now = Clock::now();
    if (times_ != nullptr) (*times_)[stage] += std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  StageTimes* times_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace parallax
