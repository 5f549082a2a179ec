// A calibration in words and figures.
#pragma once

#include <string>

#include "datasets/calibration/calibration_file.h"
#include "pipeline/calibration/rectification.h"

namespace parallax::app {

// Several lines: cameras, pose, the rectified pair, and disparities and depth by distance.
std::string RigText(const Calibration& calibration, const RectificationOptions& options, double nearest_m);

}  // namespace parallax::app
