// The filters and refinements after consistency, in their order, for methods without their own.
#pragma once

#include <cstdint>

#include "parallax/disparity_map.h"
#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"
#include "pipeline/types/stage_results.h"

namespace parallax::reference {

// Removes speckles, judges pixels, fills holes, takes medians and refines, as the parameters request, in
// place (docs/matching.md, "filter" and "refinement"). guide: left image. selected: the disparities before
// consistency; without them no pixel is judged. stages: null, or receives the map after each.
void FilterMap(const Parameters& parameters, HostImageView<const std::uint8_t> guide,
               HostImageView<const float> selected, DisparityMap& map, ThreadPool& threads,
               StageResults* stages);

}  // namespace parallax::reference
