// The parameters of one frame.
#pragma once

#include "config/parameters_yaml.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// The key that a data set may decide frame by frame.
inline constexpr const char* kNumDisparitiesKey = "matching_cost.num_disparities";

// The chosen parameters; where the number of disparities was left open and the frame's data set states its
// largest disparity, the search ends there.
Parameters ParametersOfFrame(const StereoFrame& frame, const ChosenParameters& chosen);

// The chosen table of uncertainty; if uncertainty.rig_px was left open and the data's rig is known to be off by
// rig_px > 0, with that.
UncertaintyParameters UncertaintyOf(float rig_px, const ChosenParameters& chosen);

}  // namespace parallax
