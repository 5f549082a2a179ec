// Measures the stages of a frame.
#pragma once

#include <chrono>

#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

// Wall time, measured where times is not null.
class StageWatch {
 public:
  explicit StageWatch(StageTimes* times) : times_(times) {}
  // What was since the last call belongs to no stage.
  void Skip() { last_ = Clock::now(); }
  // Books the time since the last call on stage.
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
