// Stages that refine a map whose holes are filled; a map with holes is refined as well, its holes stay.
// docs/matching.md, "refinement".
#pragma once

#include <cstdint>

#include "pipeline/disparity_map.h"
#include "pipeline/image.h"
#include "pipeline/parallel.h"
#include "pipeline/parameters.h"

namespace parallax::reference {

// --- planes -------------------------------------------------------------------
// Rejected pixels take the value of the plane, of those of the tiles around them, that the pixels beside them
// lie on (robust fits by iterated weighted least squares). Changes disparity, and sets kFilled where it does.
void FillFromPlanes(const Parameters& parameters, HostImageView<const std::uint8_t> guide, DisparityMap& map,
                    ThreadPool& threads);

// --- smoothing ----------------------------------------------------------------
// Bilateral means along rows, then along columns (separable: Pham & van Vliet 2005), in place.
void Smooth(const RefinementParameters& parameters, HostImageView<float> disparity, ThreadPool& threads);

}  // namespace parallax::reference
