// Parameters of the section "live" in commands that match sequences.
#pragma once

#include <memory>

#include "config/parameters_yaml.h"
#include "pipeline/frames/frame_pipeline.h"
#include "pipeline/frames/frame_source.h"

namespace parallax::app {

// The source with its images made smaller by live.decimation; itself where that is 1.
std::unique_ptr<FrameSource> WithDecimation(std::unique_ptr<FrameSource> source,
                                            const Parameters& parameters);

// If the parameters request filters over space and time, matchers get ForMatcher of what steps.parameters_for
// returns, and every map passes LiveFilters in the order of the frames.
void AddLiveFilters(const Parameters& parameters, int num_threads, FrameSteps& steps);

}  // namespace parallax::app
