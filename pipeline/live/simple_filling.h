// Values for holes by the simple rules of depth cameras.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Row by row from above, each from left to right, a pixel without a value takes
// - kLeft: that of the pixel left of it;
// - kFarthest, kNearest: the lowest, the highest disparity of those above, below and left of it, left above
// and left
//   below included.
// What was filled counts for what comes after it. Pixels outside the map have no value. Filled pixels get
// kFilled. rule: not kAsFilter.
void FillSimply(LiveHoles rule, HostImage<float>& map, HostImage<std::uint8_t>& validity);

}  // namespace parallax
