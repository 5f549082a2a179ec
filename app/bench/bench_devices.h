// Frames per second when several devices share one sequence.
#pragma once

#include "pipeline/matchers/device_pool.h"

namespace parallax::app {

// Returns frames per second. Matches the pair again and again for about `seconds`, after a warm-up, with
// images and results in host memory as in the frame pipeline. Throws what the pool throws.
double RateOfPool(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options,
                  int num_in_flight, const CameraImageView& left, const CameraImageView& right,
                  double seconds);

}  // namespace parallax::app
