// Frames per second of several devices at one sequence.
#pragma once

#include "pipeline/matchers/device_pool.h"

namespace parallax::app {

// Images and results in host memory, as the frame pipeline has them: read into the pool's memory for images,
// lent results. The pair is handed in again and again for about that long, after some to warm up. Throws as
// the pool.
double RateOfPool(DevicePool& pool, const Parameters& parameters, const MatcherOptions& options,
                  int num_in_flight, const CameraImageView& left, const CameraImageView& right,
                  double seconds);

}  // namespace parallax::app
