// The value "auto" of matching_cost.num_disparities: the range of disparities that the first frames need.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/parameters_yaml.h"
#include "pipeline/calibration/rectifier.h"
#include "pipeline/frames/frame_source.h"

namespace parallax::app {

// If the range is left to the first frames, reads up to three ahead, sets the range of the first one that
// shows enough in chosen, and calls tell with a line. The source that is returned has these frames too. Later
// frames do not change the range, so a shard or a resumed run has that of the whole. If the data set states a
// number of disparities, that is used. rectifier: for frames that the source leaves raw; may be null.
std::unique_ptr<FrameSource> WithChosenRange(std::unique_ptr<FrameSource> source, ChosenParameters& chosen,
                                             const std::function<void(const std::string& line)>& tell,
                                             FrameRectifier* rectifier = nullptr);

}  // namespace parallax::app
