// Values for holes by the simple rules of depth cameras.
#pragma once

#include <cstdint>

#include "parallax/image.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// Fills row by row from above, each row from left to right. A pixel without a value takes
// - kLeft: the value of the pixel to its left;
// - kFarthest, kNearest: the lowest or the highest disparity of those above, below and to the left, left above
//   and left below included.
// Filled values count for later pixels. Pixels outside the map have no value. Filled pixels get kFilled.
// rule: not kAsFilter.
void FillSimply(LiveHoles rule, HostImage<float>& map, HostImage<std::uint8_t>& validity);

}  // namespace parallax
