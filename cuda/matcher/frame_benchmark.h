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
  std::vector<double> host_ms;      // the caller's images in, his disparity map out, one frame at a time
  struct Step {
    std::string_view name;  // "aggregation", ...
    std::vector<double> samples_ms;
    StageWork work;
    StageFloor floor;
  };
  // Each alone, launched without a graph; those fused with the next are left out. In a frame they overlap:
  // the frame takes less than the steps together.
  std::vector<Step> steps;
  DeviceRates
      rates;  // that the floors were worked out with: bytes measured here, the clock as the device says
  // Frames per second, 0 = not measured.
  std::vector<double> resident_rates;  // one, two, ... streams, images on the device
  double pinned_rate = 0;              // page-locked images in, page-locked map out, copies behind work
  double queue_rate = 0;               // the caller's images through MakeCudaFrameQueue
  double memory_mb = 0;                // of the device, a frame in flight
};

struct CudaBenchmarkOptions {
  int repeat = 200;  // frames timed one by one, after 20 to warm up; >= 1
  int num_streams =
      3;  // resident_rates are measured with up to so many, and the others with so many in flight
  bool rates = true;
  CudaTuning tuning;
};

// left, right: of the size and the device in matcher. Throws as MakeCudaMatcher.
CudaFrameTimes MeasureCudaFrames(const Parameters& parameters, const MatcherOptions& matcher,
                                 const CameraImageView& left, const CameraImageView& right,
                                 const CudaBenchmarkOptions& options);

}  // namespace parallax
