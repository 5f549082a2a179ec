// The parameters of one frame.
#pragma once

#include "config/parameters_yaml.h"
#include "pipeline/frame.h"
#include "pipeline/parameters.h"

namespace parallax {

// The key that a data set may decide frame by frame.
inline constexpr const char* kNumDisparitiesKey = "matching_cost.num_disparities";

// The chosen parameters; where the number of disparities was left open and the frame's data set states its
// largest disparity, the search ends there.
Parameters ParametersOfFrame(const StereoFrame& frame, const ChosenParameters& chosen);

}  // namespace parallax
