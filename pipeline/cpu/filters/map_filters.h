#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/cpu/filters/speckle.h"
#include "pipeline/matcher.h"
#include "pipeline/parallel.h"
#include "pipeline/parameters.h"

namespace parallax::cpu {

// Removes small islands of disparity, interpolates rejected pixels if that is asked for, then replaces every
// value by the median around it, side 0, 3 or 5 (docs/matching.md, "filter"). workspace:
// FilterWorkspaceBytes(), aligned, with any content. stages: null, or gets the map after each.
std::size_t FilterWorkspaceBytes(int width, int height, int num_threads);
void FilterMap(const FilterParameters& parameters, SpeckleFilter& speckles, DisparityMap& map,
               std::uint8_t* workspace, ThreadPool& threads, StageResults* stages);

}  // namespace parallax::cpu
