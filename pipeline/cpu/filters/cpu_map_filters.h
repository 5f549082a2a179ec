#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/cpu/filters/speckle.h"
#include "pipeline/matchers/stereo_matcher.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax::cpu {

// Bytes of FilterMap's workspace.
std::size_t FilterWorkspaceBytes(const Parameters& parameters, int width, int height, int num_threads);
// Runs the stages after selection that the parameters request (docs/matching.md, "filter" and "refinement"):
// removes small islands of disparity, lets trees judge the pixels, interpolates rejected ones, replaces every
// value by the median around it, and refines the map. workspace: FilterWorkspaceBytes(), aligned, with any
// content. guide: left image. selected: the disparities before consistency; without them no pixel is judged.
// stages: null, or receives the map after each.
void FilterMap(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
               HostImageView<const float> selected, SpeckleFilter& speckles, DisparityMap& map,
               std::uint8_t* workspace, ThreadPool& threads, StageResults* stages);

}  // namespace parallax::cpu
