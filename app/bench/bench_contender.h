// What `parallax bench` times: a matcher, ours or OpenCV's, at one size and D.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "app/bench/bench_opencv.h"
#include "app/bench/bench_report.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/types/frame.h"

namespace parallax::app {

class Contender {
 public:
  // row: describes the work; stage, samples and memory are still empty. `rows` has a copy for each stage of
  // a matcher and one for the whole frame.
  Contender(std::unique_ptr<StereoMatcher> matcher, BenchRow row);
  Contender(std::unique_ptr<OpencvMatcher> matcher, BenchRow row);
  // match: the work to be timed, by a clock that a test may replace.
  Contender(std::function<void(const StereoFrame&)> match, BenchRow row,
            std::function<double()> now_ms = SteadyMilliseconds);

  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  // Times a frame, into rows.
  void Run(const StereoFrame& frame);
  // Times a frame within a sequence of frames: the caches that another matcher has filled and sleeping
  // threads delay the first short frame (below 100 ms) by a millisecond or two. `before` is therefore matched
  // first and not counted.
  void RunAfterAnother(const StereoFrame& before, const StereoFrame& frame);

  std::vector<BenchRow> rows;  // memory_mb: 0 where the matcher does not report it

 private:
  static double SteadyMilliseconds();

  std::function<void(const StereoFrame&)> match_;
  std::function<double()> now_ms_ = SteadyMilliseconds;
  StageTimes times_;
  double last_ms_ = 0;
};

}  // namespace parallax::app
