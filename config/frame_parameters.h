// The parameters of one frame.
#pragma once

#include "config/parameters_yaml.h"
#include "pipeline/types/frame.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// The chosen parameters. If the number of disparities was left open and the frame's data set states its
// largest disparity, the search ends there.
Parameters ParametersOfFrame(const StereoFrame& frame, const ChosenParameters& chosen);

// Sets the range that was to be found from the first frames. A chosen min_disparity stays.
void SetAutoRange(int min_disparity, int num_disparities, ChosenParameters& chosen);

// The chosen table of uncertainty. If uncertainty.rig_px was left open and the data's rig is known to be off
// by rig_px > 0, the table gets that value.
UncertaintyParameters UncertaintyOf(float rig_px, const ChosenParameters& chosen);

}  // namespace parallax
