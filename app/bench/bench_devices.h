// Frames per second when several devices share one sequence.
#pragma once

#include "pipeline/matchers/device_pool.h"

namespace parallax::app {

// Images and results are in host memory, as in the frame pipeline. The pair is handed in repeatedly for about
// that long, after a warm-up. Throws what the pool throws.
double RateOfPool(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options,
                  int num_in_flight, const CameraImageView& left, const CameraImageView& right,
                  double seconds);

}  // namespace parallax::app
