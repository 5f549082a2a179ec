// Smoothing within a map that stops at edges.
#pragma once

#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// The recursive edge-preserving filter of depth cameras (after Gastal and Oliveira, "Domain transform", 2011,
// in its recursive form with a step in place of the exponential). Each iteration goes along the rows, there
// and back, then along the columns, there and back, and changes the map as it goes:
// - along rows a pixel becomes alpha * itself + (1 - alpha) * what the pixel before it became, where the two
// values as
//   they were differ by less than delta / 32 px; else it stays, and the mean begins with it anew.
// - along columns the same, but held against what the pixel before it became.
// A pixel without a value stays so, and interrupts what goes along. One correctly rounded operation at a
// time. map: px, NaN = none. alpha, delta, iterations: parameters.spatial_*.
void FilterSpatially(const LiveParameters& parameters, HostImage<float>& map, ThreadPool& threads);

}  // namespace parallax
