// The parameters of one frame, logged.
#pragma once

#include "config/frame_parameters.h"

namespace parallax::app {

// Logs the calibration and returns the result of ParametersOfFrame.
Parameters ParametersFor(const StereoFrame& frame, const ChosenParameters& chosen);

}  // namespace parallax::app
