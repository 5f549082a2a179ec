// How fast this device matches frames of one size. No CUDA header: the program includes this.
#pragma once

#include <string_view>
#include <vector>

#include "cuda/device/tuning.h"
#include "cuda/matcher/stage_work.h"
#include "pipeline/matchers/stereo_matcher.h"

namespace parallax {

struct CudaFrameTimes {
  std::vector<double> resident_ms;  // one CUDA graph a frame, images on the device (CUDA events)
  std::vector<double> host_ms;      // the caller's images in, the disparity map out, one frame at a time
  struct Step {
    std::string_view name;  // "aggregation", ...
    std::vector<double> samples_ms;
    StageWork work;
    StageFloor floor;
  };
  // Each step alone, launched without a graph, without those that are fused with the next. In a frame they
  // overlap: the frame takes less time than their sum.
  std::vector<Step> steps;
  DeviceRates rates;  // the basis of the lower bounds: bytes measured here, the clock as the device states it
  // Frames per second, 0 = not measured.
  std::vector<double> resident_rates;  // one, two, ... streams, images on the device
  double pinned_rate = 0;              // page-locked images in, page-locked map out, copies overlap with work
  double queue_rate = 0;               // the caller's images through MakeCudaFrameQueue
  double memory_mb = 0;                // of the device, for each frame in flight
};

struct CudaBenchmarkOptions {
  int repeat = 200;  // frames timed one by one, after 20 for warm-up; >= 1
  int num_streams =
      3;  // resident_rates are measured with up to this many in flight, the others with exactly this many
  bool rates = true;
  CudaTuning tuning;
};

// left, right: of the size and on the device of matcher. Throws what MakeCudaMatcher throws.
CudaFrameTimes MeasureCudaFrames(const Parameters& parameters, const MatcherOptions& matcher,
                                 const CameraImageView& left, const CameraImageView& right,
                                 const CudaBenchmarkOptions& options);

}  // namespace parallax
