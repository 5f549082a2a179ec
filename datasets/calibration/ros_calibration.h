// The calibration that two camera_info of ROS state.
#pragma once

#include <string>

#include "datasets/calibration/calibration_file.h"
#include "datasets/formats/ros_messages.h"

namespace parallax {

// The calibration of a stereo pair as ROS states it: K and D of the raw cameras, the rotations R that rectify
// them, and P of the rectified pair; the right P has the baseline: P[3] = -fx * baseline. left_name,
// right_name: where they are from, for messages. Throws Error in one line for another lens model, a bad
// number, and cameras that are not a pair.
Calibration CalibrationOf(const RosCameraInfo& left, const RosCameraInfo& right, const std::string& left_name,
                          const std::string& right_name);

}  // namespace parallax
