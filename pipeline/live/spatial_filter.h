// Smoothing within a map that stops at edges.
#pragma once

#include "parallax/image.h"
#include "pipeline/threads/parallel.h"
#include "pipeline/types/parameter_info.h"

namespace parallax {

// The recursive edge-preserving filter of depth cameras (after Gastal and Oliveira, "Domain transform", 2011,
// in its recursive form with a step instead of the exponential). Each iteration runs along the rows, forward
// and back, then along the columns, forward and back, and changes the map in place:
// - Along rows a pixel becomes alpha * itself + (1 - alpha) * the new value of the previous pixel, if the old
//   values of the two differ by less than delta / 32 px. Otherwise it stays, and the mean starts anew with it.
// - Along columns the same, but compared with the new value of the previous pixel.
// A pixel without a value stays so and interrupts the mean. One correctly rounded operation at a time.
// map: px, NaN = none. alpha, delta, iterations: parameters.spatial_*.
void FilterSpatially(const LiveParameters& parameters, HostImage<float>& map, ThreadPool& threads);

}  // namespace parallax
